//! Writes a part of a draft. Idempotent.
use anchor_lang::prelude::*;

use crate::{
    errors::PolicyError,
    shared::policy_owner::operator_at,
    state::{Fleet, PolicyDraft},
};

#[derive(Accounts)]
pub struct WritePolicyDraft<'info> {
    /// CHECK: an `AgentAccount` or a `Fleet`; `validate` checks it.
    #[account(owner = crate::ID)]
    pub owner: UncheckedAccount<'info>,
    pub operator: Signer<'info>,
    #[account(mut, has_one = owner @ PolicyError::WrongDraft)]
    pub draft: Account<'info, PolicyDraft>,
    /// The fleet of a member.
    pub fleet: Option<AccountLoader<'info, Fleet>>,
}

impl WritePolicyDraft<'_> {
    fn validate(&self) -> Result<()> {
        let operator = operator_at(&self.owner, &self.fleet)?;
        require_keys_eq!(self.operator.key(), operator, PolicyError::WrongOperator);
        Ok(())
    }
}

/// Writes `content` at `offset` bytes into the entries. Error: `DraftOutOfBounds`.
pub fn write_policy_draft(ctx: Context<WritePolicyDraft>, offset: u32, content: Vec<u8>) -> Result<()> {
    let accounts = &ctx.accounts;
    accounts.validate()?;
    let draft = accounts.draft.to_account_info();
    let mut data = draft.try_borrow_mut_data()?;
    let start = PolicyDraft::HEADER.checked_add(offset as usize);
    let range = start.and_then(|start| Some(start..start.checked_add(content.len())?));
    range.and_then(|range| data.get_mut(range)).ok_or(PolicyError::DraftOutOfBounds)?.copy_from_slice(&content);
    Ok(())
}
