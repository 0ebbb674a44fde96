//! Takes an account out of its fleet. What left of it as a member stays counted there. Without a policy of its own it gets a paused one.
use anchor_lang::prelude::*;

use crate::{
    constants::LAYOUT_VERSION,
    errors::PolicyError,
    events::{FleetLeft, PolicyChanged},
    shared::{controller::effective_operator, policy_owner::create_policy},
    state::{AgentAccount, Fleet, Policy},
};

#[derive(Accounts)]
pub struct LeaveFleet<'info> {
    #[account(mut, constraint = account.load()?.version == LAYOUT_VERSION @ PolicyError::UnsupportedVersion)]
    pub account: AccountLoader<'info, AgentAccount>,
    #[account(mut)]
    pub fleet: Option<AccountLoader<'info, Fleet>>,
    pub operator: Signer<'info>,
    /// CHECK: created here if the account has no policy of its own.
    #[account(mut)]
    pub policy: UncheckedAccount<'info>,
    /// Pays the rent of a new policy.
    #[account(mut)]
    pub payer: Signer<'info>,
    pub system_program: Program<'info, System>,
}

impl LeaveFleet<'_> {
    fn validate(&self) -> Result<()> {
        let account = self.account.load()?;
        let operator = effective_operator(&account, &self.fleet)?;
        require!(account.is_member != 0, PolicyError::FleetMissing);
        require_keys_eq!(self.operator.key(), operator, PolicyError::WrongOperator);
        require!(account.tally.reserved == 0, PolicyError::AmountsReserved);
        account.check_keys(&operator)
    }
}

/// Errors: `FleetMissing`, `WrongFleet`, `WrongOperator`, `AmountsReserved`, `KeysNotDistinct`.
pub fn leave_fleet(ctx: Context<LeaveFleet>) -> Result<()> {
    let accounts = &ctx.accounts;
    accounts.validate()?;
    let owner = accounts.account.key();
    if accounts.account.load()?.has_policy == 0 {
        let bump = create_policy(&accounts.policy, &accounts.payer, &owner, Policy::HEADER)?;
        let policy = Policy { paused: 1, ..Policy::without_limits(owner, bump, Clock::get()?.unix_timestamp) };
        policy.store(&accounts.policy)?;
        emit!(PolicyChanged { owner, version: policy.version, paused: true });
    }
    let mut account = accounts.account.load_mut()?;
    let fleet_address = account.controller;
    account.has_policy = 1;
    (account.controller, account.is_member) = (accounts.operator.key(), 0);
    account.invariant()?;
    if let Some(fleet) = &accounts.fleet {
        let mut fleet = fleet.load_mut()?;
        fleet.members = fleet.members.checked_sub(1).ok_or(PolicyError::Overflow)?;
        fleet.invariant()?;
    }
    emit!(FleetLeft { fleet: fleet_address, account: owner });
    Ok(())
}
