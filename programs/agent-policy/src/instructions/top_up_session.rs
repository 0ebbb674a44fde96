//! Raises an open session's cap; the added amount goes through the policy check.
use anchor_lang::prelude::*;
use anchor_spl::token::Token;

use crate::{
    constants::LAYOUT_VERSION,
    errors::PolicyError,
    events::SessionToppedUp,
    shared::{policy_check::Order, spend_accounts::*, token_view::escrow_balance},
    state::Session,
};

#[derive(AnchorSerialize, AnchorDeserialize)]
pub struct TopUpSessionArgs {
    /// The nonce that the top-up uses up, other than the one that opened the session.
    pub seq: u64,
    /// The service's id of the top-up.
    pub top_up_id: [u8; 16],
    /// Micro-USDC to add, above zero.
    pub amount: u64,
}

/// The operator signs if the new cap is at or above the escalation threshold.
#[derive(Accounts)]
pub struct TopUpSession<'info> {
    pub spender: SpendAccounts<'info>,
    #[account(
        mut,
        constraint = session.load()?.account == spender.account.key() @ PolicyError::WrongSession,
        constraint = session.load()?.escrow == escrow.key() @ PolicyError::WrongEscrow,
        constraint = session.load()?.version == LAYOUT_VERSION @ PolicyError::UnsupportedVersion
    )]
    pub session: AccountLoader<'info, Session>,
    /// CHECK: tied to the session and read in place.
    #[account(mut)]
    pub escrow: UncheckedAccount<'info>,
    pub token_program: Program<'info, Token>,
}

impl TopUpSession<'_> {
    /// Checks everything but the policy. Returns the spendable balance in micro-USDC.
    fn validate(&self, args: &TopUpSessionArgs) -> Result<u64> {
        require!(args.amount > 0, PolicyError::AmountZero);
        self.session.load()?.check_open(Clock::get()?.unix_timestamp)?;
        escrow_balance(&self.escrow, &self.session.key())?;
        self.spender.validate(args.seq)
    }
}

/// Errors: those of the policy check and the nonce window, `SessionNotOpen`, `SessionExpired`.
pub fn top_up_session(ctx: Context<TopUpSession>, args: TopUpSessionArgs) -> Result<()> {
    let accounts = &ctx.accounts;
    let spender = &accounts.spender;
    let balance = accounts.validate(&args)?;
    let is_approved = spender.is_approved();
    let policy_version = {
        let mut session = accounts.session.load_mut()?;
        let cap = session.cap.checked_add(args.amount).ok_or(PolicyError::Overflow)?;
        let order = Order {
            single_amount: 0,
            session_cap: Some(cap),
            amount: args.amount,
            ends_at: 0,
            escalation_amount: cap,
            destination: Some([session.payee_token_account.as_ref(), session.payee.as_ref()]),
            category: session.category(),
            has_memo: true,
            balance,
            is_approved,
        };
        let policy_version = spender.spend(args.seq, &order, Booking::Reserved, |_| ())?;
        session.cap = cap;
        if is_approved {
            session.approved_cap = cap;
        }
        policy_version
    };
    spender.transfer(&accounts.escrow, args.amount, balance)?;
    let session = accounts.session.load()?;
    session.invariant()?;
    emit!(SessionToppedUp {
        account: session.account,
        session: accounts.session.key(),
        session_id: session.id,
        top_up_id: args.top_up_id,
        seq: args.seq,
        amount: args.amount,
        cap: session.cap,
        policy_version,
        approved: is_approved,
    });
    Ok(())
}
