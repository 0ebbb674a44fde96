//! A view, to be simulated: whether a single payment inside a session is allowed. It changes nothing; a violation is its error.
use anchor_lang::prelude::*;

use crate::{
    constants::LAYOUT_VERSION,
    errors::PolicyError,
    shared::policy_check::{check_policy, Order},
    state::{AgentAccount, Entry, Policy, Session},
};

#[derive(AnchorSerialize, AnchorDeserialize)]
pub struct CheckPaymentArgs {
    /// Micro-USDC of the payment.
    pub amount: u64,
    /// Category of the payment, zero-padded; the session's category if None.
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

impl CheckPayment<'_> {
    fn validate(&self, args: &CheckPaymentArgs) -> Result<()> {
        require!(args.amount > 0, PolicyError::AmountZero);
        Ok(())
    }
}

/// Checks every rule but the daily limit and the balance, which were checked for the cap. A payment inside a session is never sent for
/// approval: at or above the escalation threshold it is a violation, unless the operator approved a cap at least as high. Errors:
/// those of the policy check, `SessionNotOpen`, `SessionExpired`.
pub fn check_payment(ctx: Context<CheckPayment>, args: CheckPaymentArgs) -> Result<()> {
    ctx.accounts.validate(&args)?;
    let session = ctx.accounts.session.load()?;
    let mut account = *ctx.accounts.account.load()?;
    let order = Order {
        single_amount: args.amount,
        session_cap: None,
        amount: 0,
        escalation_amount: args.amount,
        destination: Some([session.payee_token_account.as_ref(), session.payee.as_ref()]),
        category: args.category.as_ref().or(session.category()),
        has_memo: true,
        balance: 0,
        is_approved: session.is_approved(args.amount),
    };
    check_policy(&mut account, &ctx.accounts.policy, &order)?;
    session.check_open(Clock::get()?.unix_timestamp)
}
