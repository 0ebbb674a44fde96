//! Closes a draft that is not going to be committed and returns its rent.
use anchor_lang::prelude::*;

use crate::{
    constants::{DRAFT_LIFETIME_SECONDS, LAYOUT_VERSION},
    errors::PolicyError,
    shared::rent::rent_recipient,
    state::{AgentAccount, ClosedAccount, Policy, PolicyDraft},
};

#[derive(Accounts)]
pub struct ClosePolicyDraft<'info> {
    /// CHECK: an `AgentAccount`, or the tombstone of a closed one; `validate` checks it.
    #[account(mut, owner = crate::ID)]
    pub account: UncheckedAccount<'info>,
    /// CHECK: the account's policy; not read if the account is closed.
    pub policy: UncheckedAccount<'info>,
    #[account(
        mut,
        has_one = account @ PolicyError::WrongDraft,
        has_one = rent_payer @ PolicyError::WrongRentRecipient
    )]
    pub draft: Account<'info, PolicyDraft>,
    /// CHECK: the key that paid for the draft.
    #[account(mut)]
    pub rent_payer: UncheckedAccount<'info>,
    /// The operator, or anyone if the draft is stale or the account is closed.
    pub closer: Signer<'info>,
}

impl<'info> ClosePolicyDraft<'info> {
    /// The operator may close a draft at any time, anyone once no policy can commit it. Errors: `DraftInUse`, `UnsupportedVersion`,
    /// `WrongPolicy`.
    fn validate(&'info self) -> Result<()> {
        if ClosedAccount::is_at(&self.account)? {
            return Ok(());
        }
        let account = AccountLoader::<AgentAccount>::try_from(self.account.as_ref())?;
        let policy = AccountLoader::<Policy>::try_from(self.policy.as_ref())?;
        let (account, policy) = (account.load()?, policy.load()?);
        let is_current = account.version == LAYOUT_VERSION && policy.layout_version == LAYOUT_VERSION;
        require!(is_current, PolicyError::UnsupportedVersion);
        require_keys_eq!(policy.account, self.account.key(), PolicyError::WrongPolicy);
        let is_operator = self.closer.key() == account.operator;
        let is_outdated = self.draft.target_version <= policy.version;
        let age_seconds = Clock::get()?.unix_timestamp.saturating_sub(self.draft.created_at);
        require!(is_operator || is_outdated || age_seconds >= DRAFT_LIFETIME_SECONDS, PolicyError::DraftInUse);
        Ok(())
    }
}

pub fn close_policy_draft<'info>(ctx: Context<'info, ClosePolicyDraft<'info>>) -> Result<()> {
    let accounts: &'info ClosePolicyDraft = ctx.accounts;
    accounts.validate()?;
    accounts.draft.close(rent_recipient(&accounts.rent_payer, &accounts.account))
}
