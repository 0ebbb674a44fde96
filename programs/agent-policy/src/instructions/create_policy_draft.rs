//! Creates a draft for lists that do not fit in one transaction.
use anchor_lang::{prelude::*, solana_program::entrypoint::MAX_PERMITTED_DATA_INCREASE};

use crate::{
    constants::*,
    errors::PolicyError,
    shared::{
        policy_owner::{max_counterparties_of, operator_at},
        rent::pay_rent,
    },
    state::{Fleet, PolicyDraft},
};

#[derive(AnchorSerialize, AnchorDeserialize)]
pub struct CreatePolicyDraftArgs {
    /// Version of the policy that will hold these lists.
    pub target_version: u64,
    /// SHA-256 of the number of counterparties (u16 LE) and all entries: counterparties, then categories.
    pub content_hash: [u8; 32],
    /// Number of counterparties, at most 128, of a fleet 1,024.
    pub counterparty_count: u16,
    /// Number of categories, at most 32.
    pub category_count: u16,
}

#[derive(Accounts)]
#[instruction(args: CreatePolicyDraftArgs)]
pub struct CreatePolicyDraft<'info> {
    /// CHECK: an `AgentAccount` or a `Fleet`; `validate` checks it.
    #[account(owner = crate::ID)]
    pub owner: UncheckedAccount<'info>,
    pub operator: Signer<'info>,
    #[account(mut)]
    pub payer: Signer<'info>,
    #[account(
        init,
        payer = payer,
        space = PolicyDraft::space_of(args.counterparty_count, args.category_count).min(MAX_PERMITTED_DATA_INCREASE),
        seeds = [DRAFT_SEED, owner.key().as_ref(), &args.target_version.to_le_bytes(), &args.content_hash],
        bump
    )]
    pub draft: Account<'info, PolicyDraft>,
    pub system_program: Program<'info, System>,
    /// The fleet of a member.
    pub fleet: Option<AccountLoader<'info, Fleet>>,
}

impl CreatePolicyDraft<'_> {
    fn validate(&self, args: &CreatePolicyDraftArgs) -> Result<()> {
        let operator = operator_at(&self.owner, &self.fleet)?;
        require_keys_eq!(self.operator.key(), operator, PolicyError::WrongOperator);
        let max_counterparties = max_counterparties_of(&self.owner)?;
        require!(args.counterparty_count <= max_counterparties, PolicyError::TooManyCounterparties);
        require!(args.category_count <= MAX_CATEGORIES, PolicyError::TooManyCategories);
        Ok(())
    }
}

/// The payer pays the rent of the complete draft. Errors: `TooManyCounterparties`, `TooManyCategories`.
pub fn create_policy_draft(ctx: Context<CreatePolicyDraft>, args: CreatePolicyDraftArgs) -> Result<()> {
    let bump = ctx.bumps.draft;
    let accounts = ctx.accounts;
    accounts.validate(&args)?;
    accounts.draft.set_inner(PolicyDraft {
        owner: accounts.owner.key(),
        rent_payer: accounts.payer.key(),
        target_version: args.target_version,
        content_hash: args.content_hash,
        created_at: Clock::get()?.unix_timestamp,
        counterparty_count: args.counterparty_count,
        category_count: args.category_count,
        bump,
    });
    pay_rent(&accounts.payer, accounts.draft.as_ref(), accounts.draft.space())
}
