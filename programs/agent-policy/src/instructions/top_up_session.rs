//! A higher cap for an open session: judged anew, with the amount that is added.
use anchor_lang::prelude::*;
use anchor_spl::token::Token;

use super::{ask, is_approved, signed_by_account, Payment};
use crate::{
    constants::LAYOUT_VERSION,
    errors::PolicyError,
    events::SessionToppedUp,
    state::{escrow_balance, spendable_balance, AgentAccount, Order, Policy, Session},
};

#[derive(AnchorSerialize, AnchorDeserialize)]
pub struct TopUpSessionArgs {
    /// The sequence number that it spends; once for ever. Not the one that opened the session.
    pub seq: u64,
    /// The service's id of the top-up.
    pub top_up_id: [u8; 16],
    /// Micro-USDC to add, above zero.
    pub amount: u64,
}

#[derive(Accounts)]
pub struct TopUpSession<'info> {
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
    #[account(
        mut,
        has_one = account @ PolicyError::WrongSession,
        has_one = escrow @ PolicyError::WrongEscrow,
        constraint = session.load()?.version == LAYOUT_VERSION @ PolicyError::UnsupportedVersion
    )]
    pub session: AccountLoader<'info, Session>,
    /// CHECK: tied to the session and read in place.
    #[account(mut)]
    pub escrow: UncheckedAccount<'info>,
    pub authority: Signer<'info>,
    /// Signs where the new cap is at or above the escalation threshold.
    pub operator: Option<Signer<'info>>,
    /// CHECK: tied to the account and read in place.
    #[account(mut)]
    pub token_account: UncheckedAccount<'info>,
    /// CHECK: tied to the account.
    pub mint: UncheckedAccount<'info>,
    pub token_program: Program<'info, Token>,
}

pub fn top_up_session(ctx: Context<TopUpSession>, args: TopUpSessionArgs) -> Result<()> {
    let accounts = &ctx.accounts;
    let (balance, policy_version) = book(accounts, &args)?;
    let payment = Payment {
        from: &accounts.token_account,
        mint: &accounts.mint,
        to: &accounts.escrow,
        owner: accounts.account.as_ref(),
        amount: args.amount,
        decimals: accounts.account.load()?.mint_decimals,
    };
    signed_by_account(&accounts.account, |seeds| payment.pay(seeds))?;
    let left = spendable_balance(&accounts.token_account, &*accounts.account.load()?)?;
    require!(balance.checked_sub(left) == Some(args.amount), PolicyError::UnexpectedBalance);
    let session = accounts.session.load()?;
    emit!(SessionToppedUp {
        account: session.account,
        session: accounts.session.key(),
        session_id: session.id,
        top_up_id: args.top_up_id,
        seq: args.seq,
        amount: args.amount,
        cap: session.cap,
        policy_version,
        approved: accounts.operator.is_some(),
    });
    Ok(())
}

/// Every check, then the number and the amount are taken. Returns the balance before, and the policy's version.
fn book(accounts: &TopUpSession, args: &TopUpSessionArgs) -> Result<(u64, u64)> {
    require!(args.amount > 0, PolicyError::AmountZero);
    let mut account = accounts.account.load_mut()?;
    let mut session = accounts.session.load_mut()?;
    session.check_open(Clock::get()?.unix_timestamp)?;
    escrow_balance(&accounts.escrow, &accounts.session.key(), &account)?;
    let is_approved = is_approved(&accounts.operator, &account)?;
    account.replay.spend(args.seq)?;

    let balance = spendable_balance(&accounts.token_account, &account)?;
    let cap = session.cap.checked_add(args.amount).ok_or(PolicyError::Overflow)?;
    let order = Order {
        single: 0,
        session_cap: Some(cap),
        amount: args.amount,
        escalated: cap,
        recipient: Some([session.payee_token_account.as_ref(), session.payee.as_ref()]),
        category: session.category(),
        has_memo: true,
        balance,
        is_approved,
    };
    let policy_version = ask(&mut account, &accounts.policy, &order)?;
    account.reserve(args.amount)?;
    session.cap = cap;
    if is_approved {
        session.approved_cap = cap;
    }
    Ok((balance, policy_version))
}
