//! Writes a part of a draft, which grows towards its size first. Idempotent.
use anchor_lang::{prelude::*, solana_program::entrypoint::MAX_PERMITTED_DATA_INCREASE};

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

/// Writes `content` at `offset` bytes into the entries. Each call lets the draft grow by at most 10,240 bytes, so the first parts of a long
/// one are written in order. Error: `DraftOutOfBounds`.
pub fn write_policy_draft(ctx: Context<WritePolicyDraft>, offset: u32, content: Vec<u8>) -> Result<()> {
    let accounts = &ctx.accounts;
    accounts.validate()?;
    let draft = accounts.draft.to_account_info();
    draft.resize(accounts.draft.space().min(draft.data_len() + MAX_PERMITTED_DATA_INCREASE))?;
    let mut data = draft.try_borrow_mut_data()?;
    let start = PolicyDraft::HEADER.checked_add(offset as usize);
    let range = start.and_then(|start| Some(start..start.checked_add(content.len())?));
    range.and_then(|range| data.get_mut(range)).ok_or(PolicyError::DraftOutOfBounds)?.copy_from_slice(&content);
    Ok(())
}
