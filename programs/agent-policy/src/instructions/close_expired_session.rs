//! End a session: pay what is proven, give all the rest back, in one transaction. Nobody's signature is needed once the grace
//! period is over, so no payee and no lost key holds the account's limit for ever.
use anchor_lang::prelude::*;

use super::{close_token_account, emit_by_cpi, rent_recipient, settle_session::*, signed_by_session, unix_now};
use crate::{
    errors::PolicyError,
    events::SessionClosed,
    program::AgentPolicy,
    state::{escrow_balance, SessionStatus, TokenAccountState, TokenView},
};

#[derive(Accounts)]
pub struct EndSession<'info> {
    pub settlement: SettleSession<'info>,
    /// CHECK: tied to the account and read in place: the only one that is refunded.
    #[account(mut, address = settlement.account.load()?.token_account @ PolicyError::WrongTokenAccount)]
    pub token_account: UncheckedAccount<'info>,
    /// CHECK: who paid the rent of session and escrow and gets it back.
    #[account(mut, address = settlement.session.load()?.rent_payer @ PolicyError::WrongRentRecipient)]
    pub rent_payer: UncheckedAccount<'info>,
    /// CHECK: signs for the event.
    #[account(address = crate::EVENT_AUTHORITY_AND_BUMP.0)]
    pub event_authority: UncheckedAccount<'info>,
    /// This program, which the event calls.
    pub program: Program<'info, AgentPolicy>,
}

pub fn close_expired_session(ctx: Context<EndSession>) -> Result<()> {
    let accounts = &ctx.accounts;
    let clock = Clock::get()?;
    let is_over = accounts.is_over(clock.unix_timestamp)?;
    require!(is_over, PolicyError::SessionInUse);
    accounts.settlement.show(clock.unix_timestamp)?;
    accounts.end(unix_now(&clock)?)
}

impl<'info> EndSession<'info> {
    /// Whether anybody may end it.
    pub(super) fn is_over(&self, now: i64) -> Result<bool> {
        let session = self.settlement.session.load()?;
        Ok(session.has_status(SessionStatus::Owed) || now >= session.ends_at())
    }

    /// Pays, refunds and closes. Where the payee cannot receive, what is owed stays in escrow and is counted as spent now, for it
    /// is the account's no more; everything else is over all the same.
    pub(super) fn end(&self, now: u64) -> Result<()> {
        let settlement = &self.settlement;
        let was_owed = settlement.session.load()?.has_status(SessionStatus::Owed);
        let amount = if settlement.can_pay()? {
            settlement.pay(now)?
        } else {
            require!(!was_owed, PolicyError::PayeeBlocked);
            0
        };
        let session = *settlement.session.load()?;
        let owed = session.proven - session.settled;
        let count = |number: u32, change: i32| number.checked_add_signed(change).ok_or(PolicyError::Overflow);
        {
            let mut account = settlement.account.load_mut()?;
            if !was_owed {
                account.release(session.cap - session.settled, owed, now)?;
                account.open_sessions = count(account.open_sessions, -1)?;
            }
            account.owed_sessions = count(account.owed_sessions, i32::from(owed > 0) - i32::from(was_owed))?;
        }
        let returned = session.cap - session.proven;
        let refunded = if was_owed { 0 } else { returned };
        let dust = self.refund_all_but(owed)?.checked_sub(refunded).ok_or(PolicyError::UnexpectedBalance)?;
        if owed == 0 {
            self.close_accounts()?;
        } else {
            let mut session = settlement.session.load_mut()?;
            if !was_owed {
                session.owed_at = i64::try_from(now).map_err(|_| PolicyError::ClockInvalid)?;
            }
            session.status = SessionStatus::Owed as u8;
        }
        let event = SessionClosed {
            account: session.account,
            session: settlement.session.key(),
            session_id: session.id,
            amount,
            settled: session.proven,
            returned,
            owed,
            refunded,
            dust,
        };
        emit_by_cpi(&self.event_authority, &event)
    }

    /// The unused cap, and whatever strangers sent.
    pub(super) fn refund_all_but(&self, owed: u64) -> Result<u64> {
        let settlement = &self.settlement;
        let balance = escrow_balance(&settlement.escrow, &settlement.session.key(), &*settlement.account.load()?)?;
        let refund = balance.checked_sub(owed).ok_or(PolicyError::UnexpectedBalance)?;
        if refund > 0 {
            {
                let data = self.token_account.try_borrow_data()?;
                let view = TokenView::read(&data, self.token_account.owner, settlement.mint.key);
                let is_ready = view.is_some_and(|view| view.state() == TokenAccountState::Initialized);
                require!(is_ready, PolicyError::SourceFrozen);
            }
            settlement.move_from_escrow(&self.token_account, refund)?;
        }
        Ok(refund)
    }

    /// Escrow and session; the rent of both goes back.
    pub(super) fn close_accounts(&self) -> Result<()> {
        let settlement = &self.settlement;
        let session = settlement.session.as_ref();
        signed_by_session(&settlement.session, |seeds| close_token_account(&settlement.escrow, session, seeds))?;
        settlement.session.close(rent_recipient(&self.rent_payer, settlement.account.as_ref()))
    }
}
