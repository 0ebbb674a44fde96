//! The end of a charge: its key moves nothing any more, and what it moved is counted now, later than it left and so never too early.
use anchor_lang::prelude::*;
use anchor_spl::token::{self, Token};

use super::{emit_by_cpi, signed_by_account, unix_now};
use crate::{
    constants::LAYOUT_VERSION,
    errors::PolicyError,
    events::ChargeFinished,
    program::AgentPolicy,
    state::{AgentAccount, TokenAccountState, TokenView},
};

#[derive(Accounts)]
pub struct FinishCharge<'info> {
    #[account(
        mut,
        has_one = token_account @ PolicyError::WrongTokenAccount,
        constraint = account.load()?.version == LAYOUT_VERSION @ PolicyError::UnsupportedVersion
    )]
    pub account: AccountLoader<'info, AgentAccount>,
    /// CHECK: tied to the account and read in place.
    #[account(mut)]
    pub token_account: UncheckedAccount<'info>,
    /// The account's authority or operator; anybody once the deadline is past.
    pub closer: Signer<'info>,
    pub token_program: Program<'info, Token>,
    /// CHECK: signs for the event.
    #[account(address = crate::EVENT_AUTHORITY_AND_BUMP.0)]
    pub event_authority: UncheckedAccount<'info>,
    /// This program, which the event calls.
    pub program: Program<'info, AgentPolicy>,
}

/// The number says which charge is meant, so that a repetition never ends the next one.
pub fn finish_charge(ctx: Context<FinishCharge>, seq: u64) -> Result<()> {
    let accounts = &ctx.accounts;
    {
        let account = accounts.account.load()?;
        require!(account.has_open_charge() && account.charge.seq == seq, PolicyError::ChargeNotOpen);
        let is_ours = [account.authority, account.operator].contains(accounts.closer.key);
        let is_late = Clock::get()?.unix_timestamp >= account.charge.deadline;
        require!(is_ours || is_late, PolicyError::ChargeInUse);
    }
    let event = end_charge(&accounts.account, &accounts.token_account, &accounts.token_program)?
        .ok_or(PolicyError::SourceFrozen)?;
    emit_by_cpi(&accounts.event_authority, &event)
}

/// Ends the open charge, if one is, where the operator takes spending away: by a pause, or a new authority. While the token account
/// is frozen nothing can be revoked and nothing can move: then that succeeds all the same, and from now on anybody may finish the
/// charge, as soon as the token account is thawed. Error: `ChargeOpen` without the accounts that ending it takes.
pub(super) fn stop_charge<'info>(
    account: &AccountLoader<'info, AgentAccount>,
    token_account: &Option<UncheckedAccount<'info>>,
    token_program: &Option<Program<'info, Token>>,
) -> Result<()> {
    if !account.load()?.has_open_charge() {
        return Ok(());
    }
    let (Some(token_account), Some(token_program)) = (token_account, token_program) else {
        return err!(PolicyError::ChargeOpen);
    };
    match end_charge(account, token_account, token_program)? {
        Some(event) => emit!(event),
        None => {
            let now = Clock::get()?.unix_timestamp;
            let charge = &mut account.load_mut()?.charge;
            charge.deadline = charge.deadline.min(now);
        }
    }
    Ok(())
}

/// Revokes, and counts what is missing of the allowance. None where the token account is frozen: then the delegate can move
/// nothing and nothing can be revoked.
fn end_charge<'info>(
    account: &AccountLoader<'info, AgentAccount>,
    token_account: &AccountInfo<'info>,
    token_program: &Program<'info, Token>,
) -> Result<Option<ChargeFinished>> {
    let charge = account.load()?.charge;
    let allowance = {
        let data = token_account.try_borrow_data()?;
        let view =
            TokenView::read(&data, token_account.owner, &account.load()?.mint).ok_or(PolicyError::WrongTokenAccount)?;
        if view.state() == TokenAccountState::Frozen {
            return Ok(None);
        }
        view.delegation().map(|(_, left)| left)
    };
    if allowance.is_some() {
        signed_by_account(account, |seeds| {
            token::revoke(CpiContext::new_with_signer(
                token_program.key(),
                token::Revoke { source: token_account.clone(), authority: account.to_account_info() },
                &[seeds],
            ))
        })?;
    }
    // The token program forgets a delegate whose allowance is used up, and lets a delegate revoke itself.
    let spent = charge.amount.saturating_sub(allowance.unwrap_or(0));
    let mut account_data = account.load_mut()?;
    account_data.release(charge.amount, spent, unix_now(&Clock::get()?)?)?;
    account_data.charge.amount = 0;
    Ok(Some(ChargeFinished {
        account: account.key(),
        charge_id: charge.id,
        seq: charge.seq,
        amount: charge.amount,
        spent,
        exact: allowance.is_some(),
    }))
}
