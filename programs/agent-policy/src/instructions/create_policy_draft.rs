//! Creates a draft for lists that do not fit in one transaction.
use anchor_lang::prelude::*;

use crate::{
    constants::*,
    errors::PolicyError,
    state::{AgentAccount, PolicyDraft},
};

#[derive(AnchorSerialize, AnchorDeserialize)]
pub struct CreatePolicyDraftArgs {
    /// Version of the policy that will hold these lists.
    pub target_version: u64,
    /// SHA-256 of the number of counterparties (u16 LE) and all entries: counterparties, then categories.
    pub content_hash: [u8; 32],
    /// Number of counterparties, at most 128.
    pub counterparty_count: u16,
    /// Number of categories, at most 32.
    pub category_count: u16,
}

#[derive(Accounts)]
#[instruction(args: CreatePolicyDraftArgs)]
pub struct CreatePolicyDraft<'info> {
    #[account(
        has_one = operator @ PolicyError::WrongOperator,
        constraint = account.load()?.version == LAYOUT_VERSION @ PolicyError::UnsupportedVersion
    )]
    pub account: AccountLoader<'info, AgentAccount>,
    pub operator: Signer<'info>,
    #[account(mut)]
    pub payer: Signer<'info>,
    #[account(
        init,
        payer = payer,
        space = PolicyDraft::HEADER
            + (usize::from(args.counterparty_count) + usize::from(args.category_count)) * ENTRY_BYTES,
        seeds = [DRAFT_SEED, account.key().as_ref(), &args.target_version.to_le_bytes(), &args.content_hash],
        bump
    )]
    pub draft: Account<'info, PolicyDraft>,
    pub system_program: Program<'info, System>,
}

impl CreatePolicyDraft<'_> {
    fn validate(&self, args: &CreatePolicyDraftArgs) -> Result<()> {
        require!(args.counterparty_count <= MAX_COUNTERPARTIES, PolicyError::TooManyCounterparties);
        require!(args.category_count <= MAX_CATEGORIES, PolicyError::TooManyCategories);
        Ok(())
    }
}

/// Errors: `TooManyCounterparties`, `TooManyCategories`.
pub fn create_policy_draft(ctx: Context<CreatePolicyDraft>, args: CreatePolicyDraftArgs) -> Result<()> {
    ctx.accounts.validate(&args)?;
    ctx.accounts.draft.set_inner(PolicyDraft {
        account: ctx.accounts.account.key(),
        rent_payer: ctx.accounts.payer.key(),
        target_version: args.target_version,
        content_hash: args.content_hash,
        created_at: Clock::get()?.unix_timestamp,
        counterparty_count: args.counterparty_count,
        category_count: args.category_count,
        bump: ctx.bumps.draft,
    });
    Ok(())
}
