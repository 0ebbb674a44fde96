//! Gives back what an account, a fleet and its policy hold above today's minimum: the price of rent may fall after they were created.
use anchor_lang::prelude::*;

use crate::{
    errors::PolicyError,
    events::SurplusRentReturned,
    shared::{policy_owner::PolicyOwner, rent::rent_recipient},
    state::Policy,
};

#[derive(Accounts)]
pub struct ReturnSurplusRent<'info> {
    /// CHECK: the `AgentAccount` or the `Fleet`; `validate` checks it.
    #[account(mut, owner = crate::ID)]
    pub owner: UncheckedAccount<'info>,
    /// Its policy; may be left out.
    #[account(mut)]
    pub policy: Option<AccountLoader<'info, Policy>>,
    /// CHECK: the key that paid the rent.
    #[account(mut)]
    pub creator: UncheckedAccount<'info>,
}

impl<'info> ReturnSurplusRent<'info> {
    fn validate(&'info self) -> Result<()> {
        let owner = PolicyOwner::load(&self.owner)?;
        require_keys_eq!(owner.creator()?, self.creator.key(), PolicyError::WrongRentRecipient);
        if let Some(policy) = &self.policy {
            require_keys_eq!(policy.load()?.owner, self.owner.key(), PolicyError::WrongPolicy);
        }
        Ok(())
    }
}

/// Anyone. Errors: `WrongRentRecipient`, `WrongPolicy`.
pub fn return_surplus_rent<'info>(ctx: Context<'info, ReturnSurplusRent<'info>>) -> Result<()> {
    let accounts: &'info ReturnSurplusRent = ctx.accounts;
    accounts.validate()?;
    let recipient = rent_recipient(&accounts.creator, &accounts.owner);
    let mut lamports = give_back(&accounts.owner, &recipient)?;
    if let Some(policy) = &accounts.policy {
        lamports += give_back(policy.as_ref(), &recipient)?;
    }
    emit!(SurplusRentReturned { owner: accounts.owner.key(), lamports });
    Ok(())
}

/// Moves the lamports of `from` above its minimum. Returns them.
fn give_back<'info>(from: &AccountInfo<'info>, to: &AccountInfo<'info>) -> Result<u64> {
    let surplus = from.lamports().saturating_sub(Rent::get()?.minimum_balance(from.data_len()));
    from.sub_lamports(surplus)?;
    to.add_lamports(surplus)?;
    Ok(surplus)
}
