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
    /// CHECK: loaded and tied to the others by `belonging`: a loader in here would refuse to leave, or overwrite, a tombstone.
    #[account(mut)]
    pub account: UncheckedAccount<'info>,
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

pub fn close_account<'info>(ctx: Context<'info, CloseAccount<'info>>) -> Result<()> {
    let accounts: &'info CloseAccount = ctx.accounts;
    let (creator, id, bump) = {
        let loader = AccountLoader::<AgentAccount>::try_from(accounts.account.as_ref())?;
        let account = loader.load()?;
        belonging(accounts, &account)?;
        let balance = spendable_balance(&accounts.token_account, &account)?;
        let has_sessions = account.open_sessions > 0 || account.owed_sessions > 0;
        let is_free = balance == 0 && account.reserved == 0 && !has_sessions;
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

/// The keys and accounts must be the account's own.
fn belonging(accounts: &CloseAccount, account: &AgentAccount) -> Result<()> {
    require!(account.operator == *accounts.operator.key, PolicyError::WrongOperator);
    require!(account.mint == *accounts.mint.key, PolicyError::WrongMint);
    require!(account.token_account == *accounts.token_account.key, PolicyError::WrongTokenAccount);
    require!(account.creator == *accounts.creator.key, PolicyError::WrongRentRecipient);
    Ok(())
}
