//! Who decides over an account: its operator, or the operator of its fleet; and what its fleet counts with it.
use anchor_lang::prelude::*;

use crate::{
    constants::LAYOUT_VERSION,
    errors::PolicyError,
    state::{AgentAccount, Fleet},
};

/// Returns the operator of an account: the only reader of `controller` as a key. Errors: `FleetMissing` for a member without its fleet,
/// `WrongFleet` for another fleet, or any for an account that is not a member.
pub fn effective_operator(account: &AgentAccount, fleet: &Option<AccountLoader<Fleet>>) -> Result<Pubkey> {
    match (account.is_member != 0, fleet) {
        (false, None) => Ok(account.controller),
        (false, Some(_)) => err!(PolicyError::WrongFleet),
        (true, None) => err!(PolicyError::FleetMissing),
        (true, Some(fleet)) => {
            require_keys_eq!(fleet.key(), account.controller, PolicyError::WrongFleet);
            let fleet = fleet.load()?;
            require!(fleet.version == LAYOUT_VERSION, PolicyError::UnsupportedVersion);
            Ok(fleet.operator)
        }
    }
}

/// Releases `held` micro-USDC that the account and its fleet reserve, of which `spent` left at `now` (unix seconds). Never fails for the
/// state of the fleet. What ends a session or a charge by it then calls `check_sums`. Errors: those of `effective_operator`.
pub fn release(
    account: &mut AgentAccount,
    fleet: &Option<AccountLoader<Fleet>>,
    held: u64,
    spent: u64,
    now: u64,
) -> Result<()> {
    effective_operator(account, fleet)?;
    account.tally.release(held, spent, now)?;
    if let Some(fleet) = fleet {
        let mut fleet = fleet.load_mut()?;
        fleet.tally.release(held, spent, now)?;
        require!(fleet.tally.is_plausible(), PolicyError::InvariantViolated);
    }
    Ok(())
}

/// Checks that the sums of account and fleet are those of their buckets. Error: `InvariantViolated`.
pub fn check_sums(account: &AgentAccount, fleet: &Option<AccountLoader<Fleet>>) -> Result<()> {
    account.invariant()?;
    if let Some(fleet) = fleet {
        require!(fleet.load()?.tally.is_consistent(), PolicyError::InvariantViolated);
    }
    Ok(())
}
