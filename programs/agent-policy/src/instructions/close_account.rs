//! End an empty account. A tombstone of eight bytes stays, so that its address never lives twice.
use anchor_lang::prelude::*;
use anchor_spl::token::{self, Token};

use crate::{
    errors::PolicyError,
    state::{spendable_balance, AgentAccount, Policy},
};

/// Discriminator of no account: neither this program nor anybody else can use the address again.
const TOMBSTONE: [u8; 8] = [0xff; 8];

#[derive(Accounts)]
pub struct CloseAccount<'info> {
    #[account(
        mut,
        has_one = operator @ PolicyError::WrongOperator,
        has_one = mint @ PolicyError::WrongMint,
        has_one = token_account @ PolicyError::WrongTokenAccount,
        has_one = creator @ PolicyError::WrongRentRecipient
    )]
    pub account: AccountLoader<'info, AgentAccount>,
    #[account(mut, close = creator, has_one = account @ PolicyError::WrongPolicy)]
    pub policy: AccountLoader<'info, Policy>,
    pub operator: Signer<'info>,
    /// CHECK: tied to the account and read in place.
    #[account(mut)]
    pub token_account: UncheckedAccount<'info>,
    /// CHECK: tied to the account.
    pub mint: UncheckedAccount<'info>,
    /// CHECK: who paid the rent and gets it back.
    #[account(mut)]
    pub creator: UncheckedAccount<'info>,
    pub token_program: Program<'info, Token>,
}

pub fn close_account(ctx: Context<CloseAccount>) -> Result<()> {
    let accounts = &ctx.accounts;
    let (creator, id, bump) = {
        let account = accounts.account.load()?;
        let balance = spendable_balance(&accounts.token_account, &account.mint)?;
        let is_free = balance == 0 && account.reserved == 0 && account.open_sessions == 0;
        require!(is_free, PolicyError::AccountInUse);
        (account.creator, account.id, [account.bump])
    };
    let info = accounts.account.to_account_info();
    token::close_account(CpiContext::new_with_signer(
        accounts.token_program.key(),
        token::CloseAccount {
            account: accounts.token_account.to_account_info(),
            destination: accounts.creator.to_account_info(),
            authority: info.clone(),
        },
        &[&AgentAccount::seeds(&creator, &id, &bump)],
    ))?;

    info.resize(TOMBSTONE.len())?;
    info.try_borrow_mut_data()?.copy_from_slice(&TOMBSTONE);
    let freed = info.lamports().saturating_sub(Rent::get()?.minimum_balance(TOMBSTONE.len()));
    info.sub_lamports(freed)?;
    accounts.creator.add_lamports(freed)?;
    Ok(())
}
