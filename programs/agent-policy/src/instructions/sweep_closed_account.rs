//! Money that arrived after an account was closed: anybody can make its token account again and send to it.
use anchor_lang::prelude::*;
use anchor_spl::token::Token;

use super::Payment;
use crate::{
    errors::PolicyError,
    events::AccountSwept,
    state::{AgentAccount, ClosedAccount, TokenView},
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

/// Moves all of it. Errors: `WrongTokenAccount`, `AmountZero` where nothing is there.
pub fn sweep_closed_account(ctx: Context<SweepClosedAccount>) -> Result<()> {
    let accounts = &ctx.accounts;
    let closed = &accounts.account;
    require_keys_neq!(*accounts.destination.key, *accounts.token_account.key, PolicyError::DestinationIsSource);
    let amount = {
        let data = accounts.token_account.try_borrow_data()?;
        TokenView::read(&data, accounts.token_account.owner, &closed.mint)
            .filter(|view| view.owner() == closed.key().as_ref())
            .ok_or(PolicyError::WrongTokenAccount)?
            .amount()
    };
    require!(amount > 0, PolicyError::AmountZero);
    Payment {
        from: &accounts.token_account,
        mint: &accounts.mint,
        to: &accounts.destination,
        owner: closed.as_ref(),
        amount,
        decimals: closed.mint_decimals,
    }
    .pay(&AgentAccount::seeds(&closed.creator, &closed.id, &[closed.bump]))?;
    emit!(AccountSwept { account: closed.key(), amount, destination: accounts.destination.key() });
    Ok(())
}
