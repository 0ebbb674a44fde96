//! Close an account for good. What stays at its address keeps the operator, who may sweep what arrives later.
use anchor_lang::prelude::*;
use anchor_spl::token::Token;

use super::{close_token_account, rent_recipient, Payment};
use crate::{
    constants::LAYOUT_VERSION,
    errors::PolicyError,
    events::AccountClosed,
    state::{spendable_balance, AgentAccount, ClosedAccount, Policy},
};

#[derive(Accounts)]
pub struct CloseAccount<'info> {
    /// CHECK: loaded and tied to the others by `closable`: a loader in here would write its discriminator over what stays.
    #[account(mut)]
    pub account: UncheckedAccount<'info>,
    #[account(mut, has_one = account @ PolicyError::WrongPolicy)]
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
    /// CHECK: the token account that receives what is left; the token program checks it. Without one the account must be empty.
    #[account(mut)]
    pub destination: Option<UncheckedAccount<'info>>,
    pub token_program: Program<'info, Token>,
}

pub fn close_account<'info>(ctx: Context<'info, CloseAccount<'info>>) -> Result<()> {
    let accounts: &'info CloseAccount = ctx.accounts;
    let info = accounts.account.to_account_info();
    let (closed, left) = closable(accounts)?;
    let bump = [closed.bump];
    let seeds = AgentAccount::seeds(&closed.creator, &closed.id, &bump);
    let destination = sweep(accounts, &closed, left, &seeds)?;
    close_token_account(&accounts.token_account, &info, &seeds)?;

    let recipient = rent_recipient(&accounts.creator, &info);
    accounts.policy.close(recipient.clone())?;
    info.resize(ClosedAccount::SPACE)?;
    closed.try_serialize(&mut &mut info.try_borrow_mut_data()?[..])?;
    let freed = info.lamports().saturating_sub(Rent::get()?.minimum_balance(ClosedAccount::SPACE));
    info.sub_lamports(freed)?;
    recipient.add_lamports(freed)?;
    emit!(AccountClosed { account: *info.key, swept: left, destination });
    Ok(())
}

/// The keys and accounts must be the account's own, and nothing may be promised any more. Returns what will stay at the address,
/// and the micro-USDC that are left.
fn closable<'info>(accounts: &'info CloseAccount<'info>) -> Result<(ClosedAccount, u64)> {
    let loader = AccountLoader::<AgentAccount>::try_from(accounts.account.as_ref())?;
    let account = loader.load()?;
    require!(account.version == LAYOUT_VERSION, PolicyError::UnsupportedVersion);
    require!(account.operator == *accounts.operator.key, PolicyError::WrongOperator);
    require!(account.mint == *accounts.mint.key, PolicyError::WrongMint);
    require!(account.token_account == *accounts.token_account.key, PolicyError::WrongTokenAccount);
    require!(account.creator == *accounts.creator.key, PolicyError::WrongRentRecipient);
    let left = spendable_balance(&accounts.token_account, &account)?;
    let has_sessions = account.open_sessions > 0 || account.owed_sessions > 0;
    let is_closable = account.reserved == 0 && !has_sessions && (left == 0 || accounts.destination.is_some());
    require!(is_closable, PolicyError::AccountInUse);
    let closed = ClosedAccount {
        operator: account.operator,
        creator: account.creator,
        id: account.id,
        bump: account.bump,
        mint: account.mint,
        mint_decimals: account.mint_decimals,
    };
    Ok((closed, left))
}

/// Moves the rest to where the operator signed for. Returns that token account.
fn sweep(accounts: &CloseAccount, closed: &ClosedAccount, left: u64, seeds: &[&[u8]]) -> Result<Pubkey> {
    let Some(destination) = accounts.destination.as_ref().filter(|_| left > 0) else { return Ok(Pubkey::default()) };
    require_keys_neq!(*destination.key, *accounts.token_account.key, PolicyError::DestinationIsSource);
    Payment {
        from: &accounts.token_account,
        mint: &accounts.mint,
        to: destination,
        owner: &accounts.account,
        amount: left,
        decimals: closed.mint_decimals,
    }
    .pay(seeds)?;
    Ok(*destination.key)
}
