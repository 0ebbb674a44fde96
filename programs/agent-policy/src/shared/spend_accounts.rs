//! The accounts and steps that `transfer`, `open_session`, `top_up_session` and `approve_charge` share.
use anchor_lang::prelude::*;

use super::{
    pda::signed_by_account,
    policy_check::{check_policy, Order},
    token_transfer::TokenTransfer,
    token_view::spendable_balance,
};
use crate::{
    constants::LAYOUT_VERSION,
    errors::PolicyError,
    state::{AgentAccount, Policy},
};

/// Accounts of an instruction that spends under the policy and uses up a nonce. Owner, discriminator and the ties below prove that
/// they belong together, so no address is derived.
#[derive(Accounts)]
pub struct SpendAccounts<'info> {
    #[account(
        mut,
        has_one = authority @ PolicyError::WrongAuthority,
        has_one = mint @ PolicyError::WrongMint,
        has_one = token_account @ PolicyError::WrongTokenAccount,
        constraint = account.load()?.version == LAYOUT_VERSION @ PolicyError::UnsupportedVersion
    )]
    pub account: AccountLoader<'info, AgentAccount>,
    #[account(
        has_one = account @ PolicyError::WrongPolicy,
        constraint = policy.load()?.layout_version == LAYOUT_VERSION @ PolicyError::UnsupportedVersion
    )]
    pub policy: AccountLoader<'info, Policy>,
    pub authority: Signer<'info>,
    /// Signs at or above the escalation threshold.
    pub operator: Option<Signer<'info>>,
    /// CHECK: tied to the account and read in place.
    #[account(mut)]
    pub token_account: UncheckedAccount<'info>,
    /// CHECK: tied to the account.
    pub mint: UncheckedAccount<'info>,
}

impl<'info> SpendAccounts<'info> {
    /// Checks the operator's signature, the nonce `seq` and the state of the token account. Returns the spendable balance in
    /// micro-USDC.
    pub fn validate(&self, seq: u64) -> Result<u64> {
        let account = self.account.load()?;
        if let Some(operator) = &self.operator {
            require_keys_eq!(operator.key(), account.operator, PolicyError::WrongOperator);
        }
        account.replay.check(seq)?;
        spendable_balance(&self.token_account, &account)
    }

    /// Whether the operator signed as well.
    pub fn is_approved(&self) -> bool {
        self.operator.is_some()
    }

    /// Checks the policy, uses up the nonce `seq` and applies `record` to the account. Returns the policy's version.
    pub fn spend(&self, seq: u64, order: &Order, record: impl FnOnce(&mut AgentAccount) -> Result<()>) -> Result<u64> {
        let mut account = self.account.load_mut()?;
        let policy_version = check_policy(&mut account, &self.policy, order)?;
        account.replay.spend(seq)?;
        record(&mut account)?;
        Ok(policy_version)
    }

    /// Transfers `amount` micro-USDC out of the token account, whose spendable balance was `balance` before, and checks that exactly
    /// this much left. Error: `UnexpectedBalance`.
    pub fn transfer(&self, to: &AccountInfo<'info>, amount: u64, balance: u64) -> Result<()> {
        let transfer = TokenTransfer {
            from: &self.token_account,
            mint: &self.mint,
            to,
            owner: self.account.as_ref(),
            amount,
            decimals: self.account.load()?.mint_decimals,
        };
        signed_by_account(&self.account, |seeds| transfer.execute(seeds))?;
        let left = spendable_balance(&self.token_account, &*self.account.load()?)?;
        require!(balance.checked_sub(left) == Some(amount), PolicyError::UnexpectedBalance);
        Ok(())
    }
}
