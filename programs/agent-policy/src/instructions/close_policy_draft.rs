//! Give up a draft that will not be committed; its rent goes back to who paid it.
use anchor_lang::prelude::*;

use super::rent_recipient;
use crate::{
    constants::{DRAFT_LIFETIME_SECONDS, LAYOUT_VERSION},
    errors::PolicyError,
    state::{AgentAccount, ClosedAccount, Policy, PolicyDraft},
};

#[derive(Accounts)]
pub struct ClosePolicyDraft<'info> {
    /// CHECK: an `AgentAccount`, or what stays of a closed one; `is_unusable` tells.
    #[account(mut, owner = crate::ID)]
    pub account: UncheckedAccount<'info>,
    /// CHECK: the account's policy; not read once the account is closed.
    pub policy: UncheckedAccount<'info>,
    #[account(
        mut,
        has_one = account @ PolicyError::WrongDraft,
        has_one = rent_payer @ PolicyError::WrongRentRecipient
    )]
    pub draft: Account<'info, PolicyDraft>,
    /// CHECK: who paid for the draft.
    #[account(mut)]
    pub rent_payer: UncheckedAccount<'info>,
    /// The operator, or anybody once the draft is stale or the account closed.
    pub closer: Signer<'info>,
}

pub fn close_policy_draft<'info>(ctx: Context<'info, ClosePolicyDraft<'info>>) -> Result<()> {
    let accounts: &'info ClosePolicyDraft = ctx.accounts;
    require!(is_unusable(accounts)?, PolicyError::DraftInUse);
    accounts.draft.close(rent_recipient(&accounts.rent_payer, &accounts.account))
}

/// Whether the closer may give the draft up: the operator always, everybody where no policy can take it any more.
fn is_unusable<'info>(accounts: &'info ClosePolicyDraft<'info>) -> Result<bool> {
    if ClosedAccount::is_at(&accounts.account)? {
        return Ok(true);
    }
    let account = AccountLoader::<AgentAccount>::try_from(accounts.account.as_ref())?;
    let policy = AccountLoader::<Policy>::try_from(accounts.policy.as_ref())?;
    let (account, policy) = (account.load()?, policy.load()?);
    let is_current = account.version == LAYOUT_VERSION && policy.layout_version == LAYOUT_VERSION;
    require!(is_current, PolicyError::UnsupportedVersion);
    require_keys_eq!(policy.account, accounts.account.key(), PolicyError::WrongPolicy);
    let draft = &accounts.draft;
    let is_operator = accounts.closer.key() == account.operator;
    let is_outdated = draft.target_version <= policy.version;
    let is_old = Clock::get()?.unix_timestamp.saturating_sub(draft.created_at) >= DRAFT_LIFETIME_SECONDS;
    Ok(is_operator || is_outdated || is_old)
}
