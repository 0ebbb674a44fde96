//! The accounts and steps that `transfer`, `open_session`, `top_up_session` and `approve_charge` share.
use anchor_lang::prelude::*;

use super::{
    clock::unix_now,
    controller::effective_operator,
    pda::signed_by_account,
    policy_check::{Governing, Order, Rules},
    token_transfer::TokenTransfer,
    token_view::{check_mint, decimals, spendable_balance},
};
use crate::{
    constants::LAYOUT_VERSION,
    errors::PolicyError,
    state::{AgentAccount, Fleet, Policy, PolicyLists, Tally},
};

/// Accounts of an instruction that spends under the policy and uses up a nonce. Owner, discriminator and the ties below prove that
/// they belong together, so no address is derived.
#[derive(Accounts)]
pub struct SpendAccounts<'info> {
    /// `validate` ties it to the keys and the token account: loading it once for that is cheaper than constraints.
    #[account(mut)]
    pub account: AccountLoader<'info, AgentAccount>,
    /// The account's own policy, if it has one; `check` ties it.
    pub policy: Option<AccountLoader<'info, Policy>>,
    pub authority: Signer<'info>,
    /// Signs at or above the thresholds of approval.
    pub operator: Option<Signer<'info>>,
    /// CHECK: tied to the account and read in place.
    #[account(mut)]
    pub token_account: UncheckedAccount<'info>,
    /// CHECK: tied to the token account.
    pub mint: UncheckedAccount<'info>,
    /// The fleet of a member.
    #[account(mut)]
    pub fleet: Option<AccountLoader<'info, Fleet>>,
    /// The policy of the fleet; `check` ties it.
    pub fleet_policy: Option<AccountLoader<'info, Policy>>,
}

/// What happens with the amount of an order.
#[derive(Clone, Copy)]
pub enum Booking {
    /// It leaves now.
    Spent,
    /// It may leave from now on.
    Reserved,
}

impl Booking {
    fn book(self, tally: &mut Tally, amount: u64) -> Result<()> {
        match self {
            Self::Spent => tally.record(amount),
            Self::Reserved => tally.reserve(amount),
        }
    }
}

impl<'info> SpendAccounts<'info> {
    /// Checks the account, its three keys, the operator's signature, the nonce `seq` and the state of the token account. Returns the
    /// spendable balance in micro-USDC.
    pub fn validate(&self, seq: u64) -> Result<u64> {
        let account = self.account.load()?;
        require!(account.authority == *self.authority.key, PolicyError::WrongAuthority);
        require!(account.token_account == *self.token_account.key, PolicyError::WrongTokenAccount);
        require!(account.version == LAYOUT_VERSION, PolicyError::UnsupportedVersion);
        let effective = effective_operator(&account, &self.fleet)?;
        account.check_keys(&effective)?;
        if let Some(operator) = &self.operator {
            require_keys_eq!(operator.key(), effective, PolicyError::WrongOperator);
        }
        account.replay.check(seq)?;
        check_mint(&self.token_account, self.mint.key)?;
        spendable_balance(&self.token_account, &account)
    }

    /// Returns the operator of the account. Errors: `FleetMissing`, `WrongFleet`.
    pub fn effective_operator(&self) -> Result<Pubkey> {
        effective_operator(&*self.account.load()?, &self.fleet)
    }

    /// Whether the operator signed as well.
    pub fn is_approved(&self) -> bool {
        self.operator.is_some()
    }

    /// Checks the policies and limits, uses up the nonce `seq`, books the order's amount in the account and its fleet, and applies
    /// `change` to the account. Returns the version of the account's policy.
    pub fn spend(
        &self,
        seq: u64,
        order: &Order,
        booking: Booking,
        change: impl FnOnce(&mut AgentAccount),
    ) -> Result<u64> {
        let mut account = self.account.load_mut()?;
        let now = unix_now(&Clock::get()?)?;
        account.tally.advance(now);
        if let Some(fleet) = &self.fleet {
            fleet.load_mut()?.tally.advance(now);
        }
        let policies = (&self.policy, &self.fleet_policy);
        let policy_version = check(&account, &self.account.key(), &self.fleet, policies, now, order)?;
        account.replay.spend(seq)?;
        booking.book(&mut account.tally, order.amount)?;
        if let Some(fleet) = &self.fleet {
            let mut fleet = fleet.load_mut()?;
            booking.book(&mut fleet.tally, order.amount)?;
            fleet.touched_invariant()?;
        }
        change(&mut account);
        Ok(policy_version)
    }

    /// Transfers `amount` micro-USDC out of the token account, whose spendable balance was `balance` before, and checks that exactly
    /// this much left, and what must hold after every instruction. Errors: `UnexpectedBalance`, `InvariantViolated`.
    pub fn transfer(&self, to: &AccountInfo<'info>, amount: u64, balance: u64) -> Result<()> {
        let transfer = TokenTransfer {
            from: &self.token_account,
            mint: &self.mint,
            to,
            owner: self.account.as_ref(),
            amount,
            decimals: decimals(&self.mint)?,
        };
        signed_by_account(&self.account, |seeds| transfer.execute(seeds))?;
        let account = self.account.load()?;
        let left = spendable_balance(&self.token_account, &account)?;
        require!(balance.checked_sub(left) == Some(amount), PolicyError::UnexpectedBalance);
        account.touched_invariant()
    }
}

/// Evaluates the account's policy, its fleet's policy and limits at `now` (unix seconds); the tallies were advanced. `policies` are the
/// account's own and the fleet's. Returns the version of the account's own policy, 0 without one. Errors: the violated rule,
/// `FleetMissing`, `WrongFleet`, `WrongPolicy`.
pub fn check<'info>(
    account: &AgentAccount,
    address: &Pubkey,
    fleet: &Option<AccountLoader<'info, Fleet>>,
    policies: (&Option<AccountLoader<'info, Policy>>, &Option<AccountLoader<'info, Policy>>),
    now: u64,
    order: &Order,
) -> Result<u64> {
    effective_operator(account, fleet)?;
    let (own, fleets) = policies;
    require!(own.is_some() == (account.has_policy != 0), PolicyError::WrongPolicy);
    require!(fleets.is_some() == fleet.is_some(), PolicyError::WrongPolicy);

    let own_data = own.as_ref().map(|policy| policy.as_ref().try_borrow_data()).transpose()?;
    let fleets_data = fleets.as_ref().map(|policy| policy.as_ref().try_borrow_data()).transpose()?;
    let loaded_fleet = fleet.as_ref().map(|fleet| fleet.load()).transpose()?;

    let own = own_data.as_deref().map(|data| rules(data, address)).transpose()?;
    let fleets = fleets_data.as_deref().map(|data| rules(data, &account.controller)).transpose()?;
    let fleet = loaded_fleet.as_deref().zip(fleets);
    Governing { now, tally: &account.tally, own, fleet }.check(order)
}

/// Reads the policy of `owner` in the bytes of an account that Anchor loaded as one. Errors: `WrongPolicy`, `UnsupportedVersion`.
fn rules<'a>(data: &'a [u8], owner: &Pubkey) -> Result<Rules<'a>> {
    let policy: &Policy = bytemuck::from_bytes(&data[8..Policy::HEADER]);
    require!(policy.layout_version == LAYOUT_VERSION, PolicyError::UnsupportedVersion);
    require!(policy.owner == *owner, PolicyError::WrongPolicy);
    Ok(Rules { policy, lists: PolicyLists::read(policy, data)? })
}
