//! Makes room for a draft's lists in a policy, which grows by at most 10,240 bytes in one instruction. `set_policy` takes back what it does
//! not need.
use anchor_lang::{prelude::*, solana_program::entrypoint::MAX_PERMITTED_DATA_INCREASE};

use crate::{
    constants::LAYOUT_VERSION,
    errors::PolicyError,
    shared::rent::pay_rent,
    state::{Policy, PolicyDraft},
};

#[derive(Accounts)]
pub struct GrowPolicy<'info> {
    #[account(mut, constraint = policy.load()?.layout_version == LAYOUT_VERSION @ PolicyError::UnsupportedVersion)]
    pub policy: AccountLoader<'info, Policy>,
    /// The draft, which only the operator could create. Its owner is the policy's.
    pub draft: Account<'info, PolicyDraft>,
    /// Pays the rent.
    #[account(mut)]
    pub payer: Signer<'info>,
    pub system_program: Program<'info, System>,
}

impl GrowPolicy<'_> {
    /// Returns the bytes that the policy takes with the longer one of each of its and the draft's lists.
    fn validate(&self) -> Result<usize> {
        let policy = self.policy.load()?;
        require_keys_eq!(policy.owner, self.draft.owner, PolicyError::WrongDraft);
        require!(policy.version.checked_add(1) == Some(self.draft.target_version), PolicyError::WrongDraft);
        let (counterparties, categories) = policy.entries();
        let counterparties = counterparties.max(self.draft.counterparty_count.into());
        Ok(Policy::space(counterparties + categories.max(self.draft.category_count.into())))
    }
}

/// Anyone. A policy that has the room stays as it is. Errors: `WrongDraft` of another owner or version, `UnsupportedVersion`.
pub fn grow_policy(ctx: Context<GrowPolicy>) -> Result<()> {
    let accounts = &ctx.accounts;
    let needed = accounts.validate()?;
    let info = accounts.policy.as_ref();
    let space = needed.min(info.data_len() + MAX_PERMITTED_DATA_INCREASE);
    if space <= info.data_len() {
        return Ok(());
    }
    pay_rent(&accounts.payer, info, space)?;
    Ok(info.resize(space)?)
}
