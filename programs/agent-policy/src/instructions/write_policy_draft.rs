//! Writes a part of a draft. Idempotent.
use anchor_lang::prelude::*;

use crate::{
    constants::LAYOUT_VERSION,
    errors::PolicyError,
    state::{AgentAccount, PolicyDraft},
};

#[derive(Accounts)]
pub struct WritePolicyDraft<'info> {
    #[account(
        has_one = operator @ PolicyError::WrongOperator,
        constraint = account.load()?.version == LAYOUT_VERSION @ PolicyError::UnsupportedVersion
    )]
    pub account: AccountLoader<'info, AgentAccount>,
    pub operator: Signer<'info>,
    #[account(mut, has_one = account @ PolicyError::WrongDraft)]
    pub draft: Account<'info, PolicyDraft>,
}

/// Writes `content` at `offset` bytes into the entries. Error: `DraftOutOfBounds`.
pub fn write_policy_draft(ctx: Context<WritePolicyDraft>, offset: u32, content: Vec<u8>) -> Result<()> {
    let draft = ctx.accounts.draft.to_account_info();
    let mut data = draft.try_borrow_mut_data()?;
    let start = PolicyDraft::HEADER.checked_add(offset as usize);
    let range = start.and_then(|start| Some(start..start.checked_add(content.len())?));
    range.and_then(|range| data.get_mut(range)).ok_or(PolicyError::DraftOutOfBounds)?.copy_from_slice(&content);
    Ok(())
}
