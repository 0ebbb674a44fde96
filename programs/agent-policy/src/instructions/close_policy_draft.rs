//! Give up a draft that will not be committed; its rent goes back to who paid it.
use anchor_lang::prelude::*;

use crate::{
    constants::DRAFT_LIFETIME_SECONDS,
    errors::PolicyError,
    state::{AgentAccount, Policy, PolicyDraft},
};

#[derive(Accounts)]
pub struct ClosePolicyDraft<'info> {
    pub account: AccountLoader<'info, AgentAccount>,
    #[account(has_one = account @ PolicyError::WrongPolicy)]
    pub policy: AccountLoader<'info, Policy>,
    #[account(
        mut,
        close = rent_payer,
        has_one = account @ PolicyError::WrongDraft,
        has_one = rent_payer @ PolicyError::WrongRentRecipient
    )]
    pub draft: Account<'info, PolicyDraft>,
    /// CHECK: who paid for the draft.
    #[account(mut)]
    pub rent_payer: UncheckedAccount<'info>,
    /// The operator, or anybody once the draft is stale.
    pub closer: Signer<'info>,
}

pub fn close_policy_draft(ctx: Context<ClosePolicyDraft>) -> Result<()> {
    let draft = &ctx.accounts.draft;
    let is_operator = ctx.accounts.closer.key() == ctx.accounts.account.load()?.operator;
    let is_outdated = draft.target_version <= ctx.accounts.policy.load()?.version;
    let is_old = Clock::get()?.unix_timestamp.saturating_sub(draft.created_at) >= DRAFT_LIFETIME_SECONDS;
    require!(is_operator || is_outdated || is_old, PolicyError::DraftInUse);
    Ok(())
}
