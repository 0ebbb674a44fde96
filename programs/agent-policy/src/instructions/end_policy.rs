//! Ends a member's own policy, so that only its fleet's policy and limits bind it.
use anchor_lang::prelude::*;

use crate::{
    constants::LAYOUT_VERSION,
    errors::PolicyError,
    events::PolicyEnded,
    shared::{controller::effective_operator, rent::rent_recipient},
    state::{AgentAccount, Fleet, Policy},
};

#[derive(Accounts)]
pub struct EndPolicy<'info> {
    #[account(mut, constraint = account.load()?.version == LAYOUT_VERSION @ PolicyError::UnsupportedVersion)]
    pub account: AccountLoader<'info, AgentAccount>,
    #[account(mut)]
    pub policy: AccountLoader<'info, Policy>,
    pub operator: Signer<'info>,
    /// CHECK: the account's creator, who gets the rent.
    #[account(mut, address = account.load()?.creator @ PolicyError::WrongRentRecipient)]
    pub rent_recipient: UncheckedAccount<'info>,
    pub fleet: Option<AccountLoader<'info, Fleet>>,
}

impl EndPolicy<'_> {
    fn validate(&self, expected_version: u64) -> Result<()> {
        let account = self.account.load()?;
        let operator = effective_operator(&account, &self.fleet)?;
        require!(account.is_member != 0, PolicyError::FleetMissing);
        require_keys_eq!(self.operator.key(), operator, PolicyError::WrongOperator);
        let policy = self.policy.load()?;
        require_keys_eq!(policy.owner, self.account.key(), PolicyError::WrongPolicy);
        require!(policy.version == expected_version, PolicyError::PolicyVersionMismatch);
        Ok(())
    }
}

/// Errors: `FleetMissing` for an account outside of a fleet, `WrongFleet`, `WrongOperator`, `PolicyVersionMismatch`.
pub fn end_policy(ctx: Context<EndPolicy>, expected_version: u64) -> Result<()> {
    let accounts = &ctx.accounts;
    accounts.validate(expected_version)?;
    accounts.policy.close(rent_recipient(&accounts.rent_recipient, accounts.account.as_ref()))?;
    let mut account = accounts.account.load_mut()?;
    account.has_policy = 0;
    account.invariant()?;
    emit!(PolicyEnded { account: accounts.account.key() });
    Ok(())
}
