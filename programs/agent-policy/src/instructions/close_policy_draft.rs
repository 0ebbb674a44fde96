//! Closes a draft that is not going to be committed and returns its rent.
use anchor_lang::{prelude::*, Discriminator};

use crate::{
    constants::{DRAFT_LIFETIME_SECONDS, LAYOUT_VERSION},
    errors::PolicyError,
    shared::{policy_owner::PolicyOwner, rent::rent_recipient},
    state::{ClosedAccount, ClosedFleet, Fleet, Policy, PolicyDraft},
};

#[derive(Accounts)]
pub struct ClosePolicyDraft<'info> {
    /// CHECK: an `AgentAccount`, a `Fleet`, or the tombstone of a closed one; `validate` checks it.
    #[account(mut, owner = crate::ID)]
    pub owner: UncheckedAccount<'info>,
    /// CHECK: the owner's policy; not read if the owner is closed or has none.
    pub policy: UncheckedAccount<'info>,
    #[account(
        mut,
        has_one = owner @ PolicyError::WrongDraft,
        has_one = rent_payer @ PolicyError::WrongRentRecipient
    )]
    pub draft: Account<'info, PolicyDraft>,
    /// CHECK: the key that paid for the draft.
    #[account(mut)]
    pub rent_payer: UncheckedAccount<'info>,
    /// The operator, or anyone if the draft is stale or the owner is closed.
    pub closer: Signer<'info>,
    /// The fleet of a member; required if the operator closes a draft that is not stale.
    pub fleet: Option<AccountLoader<'info, Fleet>>,
}

impl<'info> ClosePolicyDraft<'info> {
    /// The operator may close a draft at any time, anyone once no policy can commit it. Errors: `DraftInUse`, `UnsupportedVersion`,
    /// `WrongPolicy`.
    fn validate(&'info self) -> Result<()> {
        if ClosedAccount::is_at(&self.owner)? || self.owner.try_borrow_data()?.starts_with(ClosedFleet::DISCRIMINATOR) {
            return Ok(());
        }
        let owner = PolicyOwner::load(&self.owner)?;
        let is_outdated = !self.policy.data_is_empty() && {
            let policy = AccountLoader::<Policy>::try_from(self.policy.as_ref())?;
            let policy = policy.load()?;
            require!(policy.layout_version == LAYOUT_VERSION, PolicyError::UnsupportedVersion);
            require_keys_eq!(policy.owner, self.owner.key(), PolicyError::WrongPolicy);
            self.draft.target_version <= policy.version
        };
        let age_seconds = Clock::get()?.unix_timestamp.saturating_sub(self.draft.created_at);
        let is_stale = is_outdated || age_seconds >= DRAFT_LIFETIME_SECONDS;
        require!(is_stale || self.closer.key() == owner.operator(&self.fleet)?, PolicyError::DraftInUse);
        Ok(())
    }
}

pub fn close_policy_draft<'info>(ctx: Context<'info, ClosePolicyDraft<'info>>) -> Result<()> {
    let accounts: &'info ClosePolicyDraft = ctx.accounts;
    accounts.validate()?;
    accounts.draft.close(rent_recipient(&accounts.rent_payer, &accounts.owner))
}
