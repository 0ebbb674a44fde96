//! Transfers money that arrived after an account was closed: anyone can create its token account again and send to it.
use anchor_lang::prelude::*;
use anchor_spl::token::Token;

use crate::{
    errors::PolicyError,
    events::AccountSwept,
    shared::{token_transfer::TokenTransfer, token_view::TokenView},
    state::{AgentAccount, ClosedAccount},
};

#[derive(Accounts)]
pub struct SweepClosedAccount<'info> {
    #[account(has_one = operator @ PolicyError::WrongOperator, has_one = mint @ PolicyError::WrongMint)]
    pub account: Account<'info, ClosedAccount>,
    pub operator: Signer<'info>,
    /// CHECK: read in place; must be owned by the closed account.
    #[account(mut)]
    pub token_account: UncheckedAccount<'info>,
    /// CHECK: tied to the account.
    pub mint: UncheckedAccount<'info>,
    /// CHECK: the token program checks it.
    #[account(mut)]
    pub destination: UncheckedAccount<'info>,
    pub token_program: Program<'info, Token>,
}

impl SweepClosedAccount<'_> {
    /// Returns the micro-USDC to sweep.
    fn validate(&self) -> Result<u64> {
        require_keys_neq!(*self.destination.key, *self.token_account.key, PolicyError::DestinationIsSource);
        let data = self.token_account.try_borrow_data()?;
        let amount = TokenView::read(&data, self.token_account.owner, &self.account.mint)
            .filter(|view| view.owner() == self.account.key().as_ref())
            .ok_or(PolicyError::WrongTokenAccount)?
            .amount();
        require!(amount > 0, PolicyError::AmountZero);
        Ok(amount)
    }
}

/// Transfers the whole balance. Errors: `WrongTokenAccount`, `DestinationIsSource`, `AmountZero` if the token account is empty.
pub fn sweep_closed_account(ctx: Context<SweepClosedAccount>) -> Result<()> {
    let accounts = &ctx.accounts;
    let closed = &accounts.account;
    let amount = accounts.validate()?;
    TokenTransfer {
        from: &accounts.token_account,
        mint: &accounts.mint,
        to: &accounts.destination,
        owner: closed.as_ref(),
        amount,
        decimals: closed.mint_decimals,
    }
    .execute(&AgentAccount::seeds(&closed.creator, &closed.id, &[closed.bump]))?;
    emit!(AccountSwept { account: closed.key(), amount, destination: accounts.destination.key() });
    Ok(())
}
