//! Takes back what a session owes to a payee that cannot receive it, so that no payee prevents the account from being closed.
use anchor_lang::prelude::*;

use super::close_expired_session::*;
use crate::{errors::PolicyError, events::SessionWrittenOff, shared::token_view::check_mint, state::SessionStatus};

#[derive(Accounts)]
pub struct WriteOffSession<'info> {
    pub closing: CloseExpiredSession<'info>,
    pub operator: Signer<'info>,
}

impl WriteOffSession<'_> {
    fn validate(&self) -> Result<()> {
        let settlement = &self.closing.settlement;
        require_keys_eq!(self.operator.key(), settlement.operator()?, PolicyError::WrongOperator);
        check_mint(&settlement.escrow, settlement.mint.key)?;
        {
            let session = settlement.session.load()?;
            require!(session.has_status(SessionStatus::Owed), PolicyError::SessionNotOwed);
            require!(Clock::get()?.unix_timestamp >= session.claim_ends_at(), PolicyError::ClaimNotExpired);
        }
        require!(!settlement.can_pay()?, PolicyError::PayeeCanReceive);
        Ok(())
    }
}

/// Errors: `SessionNotOwed`, `ClaimNotExpired` within 90 days after it became owed, `PayeeCanReceive`.
pub fn write_off_session(ctx: Context<WriteOffSession>) -> Result<()> {
    ctx.accounts.validate()?;
    let closing = &ctx.accounts.closing;
    let settlement = &closing.settlement;
    let session = *settlement.session.load()?;
    {
        let mut account = settlement.account.load_mut()?;
        account.owed_sessions = account.owed_sessions.checked_sub(1).ok_or(PolicyError::Overflow)?;
        account.invariant()?;
    }
    closing.refund_all_but(0)?;
    closing.close_accounts()?;
    emit!(SessionWrittenOff {
        account: session.account,
        session: settlement.session.key(),
        session_id: session.id,
        amount: session.proven - session.settled,
    });
    Ok(())
}
