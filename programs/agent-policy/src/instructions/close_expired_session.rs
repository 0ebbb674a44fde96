//! Closes a session after its grace period: pays the proven amount and refunds the rest in one transaction. Permissionless, so that
//! neither a payee nor a lost key can hold the account's limit.
use anchor_lang::prelude::*;

use super::settle_session::*;
use crate::{
    errors::PolicyError,
    events::SessionClosed,
    program::AgentPolicy,
    shared::{
        clock::unix_now,
        controller::{check_sums, release},
        event_cpi::emit_by_cpi,
        pda::signed_by_session,
        rent::{close_token_account, rent_recipient},
        token_view::{check_mint, escrow_balance, TokenAccountState, TokenView},
    },
    state::SessionStatus,
};

/// Also part of the accounts of `close_session` and `write_off_session`.
#[derive(Accounts)]
pub struct CloseExpiredSession<'info> {
    pub settlement: SettleSession<'info>,
    /// CHECK: tied to the account and read in place; receives the refund.
    #[account(mut, address = settlement.account.load()?.token_account @ PolicyError::WrongTokenAccount)]
    pub token_account: UncheckedAccount<'info>,
    /// CHECK: the key that paid the rent of session and escrow and gets it back.
    #[account(mut, address = settlement.session.load()?.rent_payer @ PolicyError::WrongRentRecipient)]
    pub rent_payer: UncheckedAccount<'info>,
    /// CHECK: signs for the event.
    #[account(address = crate::EVENT_AUTHORITY_AND_BUMP.0)]
    pub event_authority: UncheckedAccount<'info>,
    /// This program, which the event's CPI calls.
    pub program: Program<'info, AgentPolicy>,
}

impl<'info> CloseExpiredSession<'info> {
    fn validate(&self, now: i64) -> Result<()> {
        require!(self.is_permissionless(now)?, PolicyError::SessionInUse);
        Ok(())
    }

    /// Whether anyone may close the session at `now` (unix seconds): it is owed, or its grace period is over.
    pub(super) fn is_permissionless(&self, now: i64) -> Result<bool> {
        let session = self.settlement.session.load()?;
        Ok(session.has_status(SessionStatus::Owed) || now >= session.ends_at())
    }

    /// Pays, refunds and closes at `now` (unix seconds). If the payee cannot receive, what is owed stays in escrow and counts as spent
    /// now, because it is no longer the account's; the rest is refunded and the session becomes `Owed`. Error: `PayeeBlocked` for a
    /// session that is owed already.
    pub(super) fn close(&self, now: u64) -> Result<()> {
        let settlement = &self.settlement;
        check_mint(&settlement.escrow, settlement.mint.key)?;
        settlement.operator()?;
        let was_owed = settlement.session.load()?.has_status(SessionStatus::Owed);
        let amount = if settlement.can_pay()? {
            settlement.pay(now)?
        } else {
            require!(!was_owed, PolicyError::PayeeBlocked);
            0
        };
        let session = *settlement.session.load()?;
        let owed = session.proven - session.settled;
        self.release(session.cap - session.settled, owed, was_owed, now)?;
        let returned = session.cap - session.proven;
        let refunded = if was_owed { 0 } else { returned };
        let dust = self.refund_all_but(owed)?.checked_sub(refunded).ok_or(PolicyError::UnexpectedBalance)?;
        if owed == 0 {
            session.invariant()?;
            self.close_accounts()?;
        } else {
            self.become_owed(now)?;
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

    /// Releases the `held` micro-USDC of a session that was not owed yet, counts `owed` of them as spent, and updates the counters.
    fn release(&self, held: u64, owed: u64, was_owed: bool, now: u64) -> Result<()> {
        let count = |number: u32, change: i32| number.checked_add_signed(change).ok_or(PolicyError::Overflow);
        let mut account = self.settlement.account.load_mut()?;
        if !was_owed {
            release(&mut account, &self.settlement.fleet, held, owed, now)?;
            account.open_sessions = count(account.open_sessions, -1)?;
        }
        account.owed_sessions = count(account.owed_sessions, i32::from(owed > 0) - i32::from(was_owed))?;
        check_sums(&account, &self.settlement.fleet)
    }

    /// The session stays until its payee can receive or the operator writes it off. Only a session that was not owed gets here.
    fn become_owed(&self, now: u64) -> Result<()> {
        let mut session = self.settlement.session.load_mut()?;
        session.owed_at = i64::try_from(now).map_err(|_| PolicyError::ClockInvalid)?;
        session.status = SessionStatus::Owed as u8;
        session.invariant()
    }

    /// Transfers everything but `owed` micro-USDC from the escrow to the account: the unused cap, and what others sent to the escrow.
    /// Returns the micro-USDC transferred. Error: `SourceFrozen` if the account cannot receive.
    pub(super) fn refund_all_but(&self, owed: u64) -> Result<u64> {
        let settlement = &self.settlement;
        let balance = escrow_balance(&settlement.escrow, &settlement.session.key())?;
        let refund = balance.checked_sub(owed).ok_or(PolicyError::UnexpectedBalance)?;
        if refund > 0 {
            {
                let data = self.token_account.try_borrow_data()?;
                let view = TokenView::read(&data, self.token_account.owner, settlement.mint.key);
                let is_ready = view.is_some_and(|view| view.state() == TokenAccountState::Initialized);
                require!(is_ready, PolicyError::SourceFrozen);
            }
            settlement.transfer_from_escrow(&self.token_account, refund)?;
        }
        Ok(refund)
    }

    /// Closes escrow and session and returns the rent of both.
    pub(super) fn close_accounts(&self) -> Result<()> {
        let settlement = &self.settlement;
        let session = settlement.session.as_ref();
        signed_by_session(&settlement.session, |seeds| close_token_account(&settlement.escrow, session, seeds))?;
        settlement.session.close(rent_recipient(&self.rent_payer, settlement.account.as_ref()))
    }
}

/// Errors: `SessionInUse` before the end of the grace period, `PayeeBlocked`, and those of the voucher.
pub fn close_expired_session(ctx: Context<CloseExpiredSession>) -> Result<()> {
    let accounts = &ctx.accounts;
    let clock = Clock::get()?;
    accounts.validate(clock.unix_timestamp)?;
    accounts.settlement.prove_voucher(clock.unix_timestamp)?;
    accounts.close(unix_now(&clock)?)
}
