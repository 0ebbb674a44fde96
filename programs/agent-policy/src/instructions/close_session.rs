//! End a session in the account's name: at once where nothing keeps the payee from it, else after the grace period.
use anchor_lang::prelude::*;

use super::{close_expired_session::*, unix_now};
use crate::{errors::PolicyError, events::SessionClosing, state::SessionStatus};

#[derive(Accounts)]
pub struct CloseSession<'info> {
    pub ending: EndSession<'info>,
    /// The account's authority or operator; anybody once the grace period is over.
    pub closer: Signer<'info>,
    /// The payee's consent: then no grace period is needed.
    #[account(address = ending.settlement.payee.key() @ PolicyError::WrongPayee)]
    pub payee_consent: Option<Signer<'info>>,
}

/// Without a voucher, what was shown before is paid. A closing that began is not prolonged by another one.
pub fn close_session(ctx: Context<CloseSession>) -> Result<()> {
    let ending = &ctx.accounts.ending;
    let clock = Clock::get()?;
    let now = clock.unix_timestamp;
    let is_over = ending.is_over(now)?;
    if !is_over {
        let account = ending.settlement.account.load()?;
        let is_ours = [account.authority, account.operator].contains(ctx.accounts.closer.key);
        require!(is_ours, PolicyError::SessionInUse);
    }
    ending.settlement.show(now)?;
    let needs_no_grace = ctx.accounts.payee_consent.is_some() || ending.settlement.session.load()?.grace_seconds == 0;
    if is_over || needs_no_grace {
        return ending.end(unix_now(&clock)?);
    }
    begin_closing(ending, &clock)
}

fn begin_closing(ending: &EndSession, clock: &Clock) -> Result<()> {
    let settlement = &ending.settlement;
    {
        let mut session = settlement.session.load_mut()?;
        if session.has_status(SessionStatus::Open) {
            session.status = SessionStatus::Closing as u8;
            session.closing_at = clock.unix_timestamp;
        }
    }
    let amount = if settlement.can_pay()? { settlement.pay(unix_now(clock)?)? } else { 0 };
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
