//! The payment: judge, spend the number, book the amount, move the money, tell.
use anchor_lang::prelude::*;
use anchor_spl::token::Token;

use super::{ask, is_approved, signed_by_account, Payment};
use crate::{
    constants::LAYOUT_VERSION,
    errors::PolicyError,
    events::Transferred,
    state::{spendable_balance, AgentAccount, Entry, Order, Policy, TokenAccountState, TokenView},
};

#[derive(AnchorSerialize, AnchorDeserialize)]
pub struct TransferArgs {
    /// The sequence number that it spends; once for ever.
    pub seq: u64,
    /// The service's id of the transfer.
    pub transfer_id: [u8; 16],
    /// Micro-USDC, above zero.
    pub amount: u64,
    /// Category, zero-padded.
    pub category: Option<Entry>,
    /// HMAC of the memo, whose text stays off chain.
    pub memo_hash: Option<[u8; 32]>,
}

/// The account's owner, discriminator and ties prove it ours; its address needs no derivation.
#[derive(Accounts)]
pub struct Transfer<'info> {
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
    /// CHECK: read in place.
    #[account(mut)]
    pub destination: UncheckedAccount<'info>,
    pub token_program: Program<'info, Token>,
}

pub fn transfer(ctx: Context<Transfer>, args: TransferArgs) -> Result<()> {
    let accounts = &ctx.accounts;
    let (balance, policy_version) = book(accounts, &args)?;
    move_money(accounts, args.amount)?;
    let left = spendable_balance(&accounts.token_account, &*accounts.account.load()?)?;
    require!(balance.checked_sub(left) == Some(args.amount), PolicyError::UnexpectedBalance);
    emit!(Transferred {
        account: accounts.account.key(),
        transfer_id: args.transfer_id,
        seq: args.seq,
        amount: args.amount,
        destination: accounts.destination.key(),
        policy_version,
        category: args.category.unwrap_or_default(),
        memo_hash: args.memo_hash.unwrap_or_default(),
        approved: accounts.operator.is_some(),
    });
    Ok(())
}

/// Every check, then the number and the amount are taken. Returns the balance before, and the policy's version.
fn book(accounts: &Transfer, args: &TransferArgs) -> Result<(u64, u64)> {
    require!(args.amount > 0, PolicyError::AmountZero);
    let mut account = accounts.account.load_mut()?;
    let is_approved = is_approved(&accounts.operator, &account)?;
    account.replay.spend(args.seq)?;

    let balance = spendable_balance(&accounts.token_account, &account)?;
    require_keys_neq!(*accounts.destination.key, account.token_account, PolicyError::DestinationIsSource);
    let destination = accounts.destination.try_borrow_data()?;
    let recipient = TokenView::read(&destination, accounts.destination.owner, &account.mint)
        .ok_or(PolicyError::InvalidDestination)?;
    require!(recipient.state() == TokenAccountState::Initialized, PolicyError::DestinationFrozen);

    let order = Order {
        single: args.amount,
        session_cap: None,
        amount: args.amount,
        escalated: args.amount,
        recipient: Some([accounts.destination.key.as_ref(), recipient.owner()]),
        category: args.category.as_ref(),
        has_memo: args.memo_hash.is_some(),
        balance,
        is_approved,
    };
    let policy_version = ask(&mut account, &accounts.policy, &order)?;
    account.window.book(args.amount)?;
    Ok((balance, policy_version))
}

fn move_money(accounts: &Transfer, amount: u64) -> Result<()> {
    let payment = Payment {
        from: &accounts.token_account,
        mint: &accounts.mint,
        to: &accounts.destination,
        owner: accounts.account.as_ref(),
        amount,
        decimals: accounts.account.load()?.mint_decimals,
    };
    signed_by_account(&accounts.account, |seeds| payment.pay(seeds))
}
