//! A view for simulation: whether a single payment inside a session may be made. It changes nothing; a refusal is its answer.
use anchor_lang::prelude::*;

use super::ask;
use crate::{
    constants::LAYOUT_VERSION,
    errors::PolicyError,
    state::{AgentAccount, Entry, Order, Policy, Session},
};

#[derive(AnchorSerialize, AnchorDeserialize)]
pub struct CheckPaymentArgs {
    /// Micro-USDC of this one payment.
    pub amount: u64,
    /// Category of this one payment, zero-padded; the session's where it has none of its own.
    pub category: Option<Entry>,
}

#[derive(Accounts)]
pub struct CheckPayment<'info> {
    #[account(constraint = account.load()?.version == LAYOUT_VERSION @ PolicyError::UnsupportedVersion)]
    pub account: AccountLoader<'info, AgentAccount>,
    #[account(
        has_one = account @ PolicyError::WrongPolicy,
        constraint = policy.load()?.layout_version == LAYOUT_VERSION @ PolicyError::UnsupportedVersion
    )]
    pub policy: AccountLoader<'info, Policy>,
    #[account(
        has_one = account @ PolicyError::WrongSession,
        constraint = session.load()?.version == LAYOUT_VERSION @ PolicyError::UnsupportedVersion
    )]
    pub session: AccountLoader<'info, Session>,
}

/// Every rule but the daily limit and the balance, which the cap has passed. Nobody is asked to approve a payment inside a session:
/// at or above the threshold it is refused, unless the operator approved a cap at least as high.
pub fn check_payment(ctx: Context<CheckPayment>, args: CheckPaymentArgs) -> Result<()> {
    require!(args.amount > 0, PolicyError::AmountZero);
    let session = ctx.accounts.session.load()?;
    let mut account = *ctx.accounts.account.load()?;
    let order = Order {
        single: args.amount,
        session_cap: None,
        amount: 0,
        escalated: args.amount,
        recipient: Some([session.payee_token_account.as_ref(), session.payee.as_ref()]),
        category: args.category.as_ref().or(session.category()),
        has_memo: true,
        balance: 0,
        is_approved: session.is_approved(args.amount),
    };
    ask(&mut account, &ctx.accounts.policy, &order)?;
    session.check_open(Clock::get()?.unix_timestamp)
}
