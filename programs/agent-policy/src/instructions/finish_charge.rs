//! The end of a charge: its key moves nothing any more, and what it moved is counted now, later than it left and so never too early.
use anchor_lang::prelude::*;
use anchor_spl::token::{self, Token};

use super::{signed_by_account, unix_now};
use crate::{
    errors::PolicyError,
    events::ChargeFinished,
    state::{AgentAccount, TokenAccountState, TokenView},
};

#[derive(Accounts)]
pub struct FinishCharge<'info> {
    #[account(mut, has_one = token_account @ PolicyError::WrongTokenAccount)]
    pub account: AccountLoader<'info, AgentAccount>,
    /// CHECK: tied to the account and read in place.
    #[account(mut)]
    pub token_account: UncheckedAccount<'info>,
    /// The account's authority or operator; anybody once the deadline is past.
    pub closer: Signer<'info>,
    pub token_program: Program<'info, Token>,
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
    let is_frozen = !end_charge(&accounts.account, &accounts.token_account, &accounts.token_program)?;
    require!(!is_frozen, PolicyError::SourceFrozen);
    Ok(())
}

/// Revokes, and counts what is missing of the allowance. False where the token account is frozen: then the delegate can move
/// nothing and nothing can be revoked.
pub(super) fn end_charge<'info>(
    account: &AccountLoader<'info, AgentAccount>,
    token_account: &AccountInfo<'info>,
    token_program: &Program<'info, Token>,
) -> Result<bool> {
    let charge = account.load()?.charge;
    let allowance = {
        let data = token_account.try_borrow_data()?;
        let view =
            TokenView::read(&data, token_account.owner, &account.load()?.mint).ok_or(PolicyError::WrongTokenAccount)?;
        if view.state() == TokenAccountState::Frozen {
            return Ok(false);
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
    // The token program forgets a delegate whose allowance is used up.
    let spent = charge.amount.saturating_sub(allowance.unwrap_or(0));
    let mut account_data = account.load_mut()?;
    account_data.release(charge.amount, spent, unix_now(&Clock::get()?)?)?;
    account_data.charge.amount = 0;
    emit!(ChargeFinished {
        account: account.key(),
        charge_id: charge.id,
        seq: charge.seq,
        amount: charge.amount,
        spent,
    });
    Ok(true)
}
