//! A view, to be simulated: whether a single payment inside a session is allowed. It changes nothing; a violation is its error.
use anchor_lang::prelude::*;

use crate::{
    constants::LAYOUT_VERSION,
    errors::PolicyError,
    shared::{clock::unix_now, policy_check::Order, spend_accounts::check},
    state::{AgentAccount, Entry, Fleet, Policy, Session},
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
    /// The account's own policy, if it has one.
    pub policy: Option<AccountLoader<'info, Policy>>,
    #[account(
        has_one = account @ PolicyError::WrongSession,
        constraint = session.load()?.version == LAYOUT_VERSION @ PolicyError::UnsupportedVersion
    )]
    pub session: AccountLoader<'info, Session>,
    /// The fleet of a member, and its policy.
    pub fleet: Option<AccountLoader<'info, Fleet>>,
    pub fleet_policy: Option<AccountLoader<'info, Policy>>,
}

impl CheckPayment<'_> {
    fn validate(&self, args: &CheckPaymentArgs) -> Result<()> {
        require!(args.amount > 0, PolicyError::AmountZero);
        Ok(())
    }
}

/// Checks every rule but the limits of a time and the balance, which were checked for the cap. A payment inside a session is never sent for
/// approval: at or above the escalation threshold it is a violation, unless the operator approved a cap at least as high. Errors:
/// those of the policy check, `SessionNotOpen`, `SessionExpired`.
pub fn check_payment(ctx: Context<CheckPayment>, args: CheckPaymentArgs) -> Result<()> {
    ctx.accounts.validate(&args)?;
    let accounts = &ctx.accounts;
    let session = accounts.session.load()?;
    let account = accounts.account.load()?;
    let clock = Clock::get()?;
    let order = Order {
        single_amount: args.amount,
        session_cap: None,
        amount: 0,
        ends_at: 0,
        escalation_amount: args.amount,
        destination: Some([session.payee_token_account.as_ref(), session.payee.as_ref()]),
        category: args.category.as_ref().or(session.category()),
        has_memo: true,
        balance: 0,
        is_approved: session.is_approved(args.amount),
    };
    // Nothing leaves now, so the windows need not be advanced.
    let policies = (&accounts.policy, &accounts.fleet_policy);
    check(&account, &accounts.account.key(), &accounts.fleet, policies, unix_now(&clock)?, &order)?;
    session.check_open(clock.unix_timestamp)
}
