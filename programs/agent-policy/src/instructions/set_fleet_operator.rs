//! Replaces the operator of a fleet and of all its members: the old one signs, the new one accepts, as for `set_operator`.
use anchor_lang::prelude::*;

use super::set_operator::has_accepted;
use crate::{
    constants::{INSTRUCTIONS_SYSVAR, LAYOUT_VERSION},
    errors::PolicyError,
    events::FleetOperatorChanged,
    state::Fleet,
};

#[derive(Accounts)]
pub struct SetFleetOperator<'info> {
    #[account(
        mut,
        has_one = operator @ PolicyError::WrongOperator,
        constraint = fleet.load()?.version == LAYOUT_VERSION @ PolicyError::UnsupportedVersion
    )]
    pub fleet: AccountLoader<'info, Fleet>,
    pub operator: Signer<'info>,
    /// CHECK: signs, or has accepted.
    pub new_operator: UncheckedAccount<'info>,
    /// CHECK: required if the new operator does not sign; an instruction before this one verifies its acceptance.
    #[account(address = INSTRUCTIONS_SYSVAR)]
    pub instructions: Option<UncheckedAccount<'info>>,
}

impl SetFleetOperator<'_> {
    fn validate(&self) -> Result<()> {
        let (new, old) = (&self.new_operator, self.operator.key);
        require!(new.is_signer || has_accepted(&self.instructions, new.key, old)?, PolicyError::NotAccepted);
        let fleet = self.fleet.load()?;
        require!(fleet.creator != *new.key && !fleet.is_guardian(new.key), PolicyError::KeysNotDistinct);
        Ok(())
    }
}

/// Errors: `WrongOperator`, `NotAccepted`, `KeysNotDistinct`. A member whose authority is the new operator spends nothing from then on:
/// each use checks that the keys differ.
pub fn set_fleet_operator(ctx: Context<SetFleetOperator>) -> Result<()> {
    let accounts = &ctx.accounts;
    accounts.validate()?;
    let mut fleet = accounts.fleet.load_mut()?;
    fleet.operator = accounts.new_operator.key();
    fleet.invariant()?;
    emit!(FleetOperatorChanged { fleet: accounts.fleet.key(), operator: fleet.operator });
    Ok(())
}
