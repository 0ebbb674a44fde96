//! Closes a session for the account: at once if there is no grace period or the payee consents, otherwise after the grace period.
use anchor_lang::prelude::*;

use super::close_expired_session::*;
use crate::{
    errors::PolicyError,
    events::SessionClosing,
    shared::{clock::unix_now, token_view::check_mint},
    state::SessionStatus,
};

#[derive(Accounts)]
pub struct CloseSession<'info> {
    pub closing: CloseExpiredSession<'info>,
    /// The account's authority or operator; anyone after the grace period.
    pub closer: Signer<'info>,
    /// The payee's signature, which waives the grace period.
    #[account(address = closing.settlement.payee.key() @ PolicyError::WrongPayee)]
    pub payee_consent: Option<Signer<'info>>,
}

impl CloseSession<'_> {
    /// Before the end of the grace period only the account's authority or operator may close.
    fn validate(&self, is_permissionless: bool) -> Result<()> {
        let settlement = &self.closing.settlement;
        check_mint(&settlement.escrow, settlement.mint.key)?;
        let is_authorized = [settlement.account.load()?.authority, settlement.operator()?].contains(self.closer.key);
        require!(is_permissionless || is_authorized, PolicyError::SessionInUse);
        Ok(())
    }
}

/// Pays the highest proven voucher and closes the session, or starts the grace period; one that runs is not prolonged. Errors:
/// `SessionInUse`, `PayeeBlocked` and those of the voucher.
pub fn close_session(ctx: Context<CloseSession>) -> Result<()> {
    let closing = &ctx.accounts.closing;
    let clock = Clock::get()?;
    let now = clock.unix_timestamp;
    let is_permissionless = closing.is_permissionless(now)?;
    ctx.accounts.validate(is_permissionless)?;
    closing.settlement.prove_voucher(now)?;
    let needs_no_grace = ctx.accounts.payee_consent.is_some() || closing.settlement.session.load()?.grace_seconds == 0;
    if is_permissionless || needs_no_grace {
        return closing.close(unix_now(&clock)?);
    }
    start_grace_period(closing, &clock)
}

fn start_grace_period(closing: &CloseExpiredSession, clock: &Clock) -> Result<()> {
    let settlement = &closing.settlement;
    {
        let mut session = settlement.session.load_mut()?;
        if session.has_status(SessionStatus::Open) {
            session.status = SessionStatus::Closing as u8;
            session.closing_at = clock.unix_timestamp;
        }
    }
    let amount = if settlement.can_pay()? { settlement.pay(unix_now(clock)?)? } else { 0 };
    settlement.check_invariants()?;
    let session = settlement.session.load()?;
    emit!(SessionClosing {
        account: session.account,
        session: settlement.session.key(),
        session_id: session.id,
        amount,
        settled: session.settled,
        proven: session.proven,
        ends_at: session.ends_at(),
    });
    Ok(())
}
