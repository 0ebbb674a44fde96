//! Adds an account to a fleet of the same operator. What left before does not count in the fleet.
use anchor_lang::prelude::*;

use crate::{
    constants::LAYOUT_VERSION,
    errors::PolicyError,
    events::FleetJoined,
    state::{AgentAccount, Fleet},
};

#[derive(Accounts)]
pub struct JoinFleet<'info> {
    #[account(mut, constraint = account.load()?.version == LAYOUT_VERSION @ PolicyError::UnsupportedVersion)]
    pub account: AccountLoader<'info, AgentAccount>,
    #[account(mut)]
    pub fleet: AccountLoader<'info, Fleet>,
    /// The fleet's operator or guardian.
    pub operator: Signer<'info>,
}

impl JoinFleet<'_> {
    fn validate(&self) -> Result<()> {
        let account = self.account.load()?;
        require!(account.is_member == 0, PolicyError::InFleet);
        require!(account.tally.reserved == 0, PolicyError::AmountsReserved);
        check_joining(&*self.fleet.load()?, &account.controller, self.operator.key)
    }
}

/// Checks that `signer` may add an account of `operator` to the fleet. Errors: `UnsupportedVersion`, `WrongOperator` for a stranger and
/// for the account of another operator.
pub(super) fn check_joining(fleet: &Fleet, operator: &Pubkey, signer: &Pubkey) -> Result<()> {
    require!(fleet.version == LAYOUT_VERSION, PolicyError::UnsupportedVersion);
    require!(fleet.operator == *signer || fleet.is_guardian(signer), PolicyError::WrongOperator);
    require!(fleet.operator == *operator, PolicyError::WrongOperator);
    Ok(())
}

/// Errors: `InFleet`, `AmountsReserved`, `WrongOperator`.
pub fn join_fleet(ctx: Context<JoinFleet>) -> Result<()> {
    let accounts = &ctx.accounts;
    accounts.validate()?;
    let fleet_address = accounts.fleet.key();
    let mut account = accounts.account.load_mut()?;
    let mut fleet = accounts.fleet.load_mut()?;
    fleet.members = fleet.members.checked_add(1).ok_or(PolicyError::Overflow)?;
    (account.controller, account.is_member) = (fleet_address, 1);
    account.invariant()?;
    fleet.invariant()?;
    emit!(FleetJoined { fleet: fleet_address, account: accounts.account.key() });
    Ok(())
}
