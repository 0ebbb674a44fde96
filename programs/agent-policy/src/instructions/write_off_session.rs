//! Take back what a session owes to a payee that can never receive it, so that no payee keeps an account from being closed.
use anchor_lang::prelude::*;

use super::close_expired_session::*;
use crate::{errors::PolicyError, events::SessionWrittenOff, state::SessionStatus};

#[derive(Accounts)]
pub struct WriteOffSession<'info> {
    pub ending: EndSession<'info>,
    #[account(address = ending.settlement.account.load()?.operator @ PolicyError::WrongOperator)]
    pub operator: Signer<'info>,
}

/// Errors: `SessionNotOwed`, `ClaimNotExpired` within 90 days of its end, `PayeeCanReceive`.
pub fn write_off_session(ctx: Context<WriteOffSession>) -> Result<()> {
    let ending = &ctx.accounts.ending;
    let settlement = &ending.settlement;
    let session = *settlement.session.load()?;
    require!(session.has_status(SessionStatus::Owed), PolicyError::SessionNotOwed);
    require!(Clock::get()?.unix_timestamp >= session.claim_ends_at(), PolicyError::ClaimNotExpired);
    require!(!settlement.can_pay()?, PolicyError::PayeeCanReceive);
    {
        let mut account = settlement.account.load_mut()?;
        account.owed_sessions = account.owed_sessions.checked_sub(1).ok_or(PolicyError::Overflow)?;
    }
    ending.refund_all_but(0)?;
    ending.close_accounts()?;
    emit!(SessionWrittenOff {
        account: session.account,
        session: settlement.session.key(),
        session_id: session.id,
        amount: session.proven - session.settled,
    });
    Ok(())
}
