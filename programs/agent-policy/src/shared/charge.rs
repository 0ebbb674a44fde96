//! Finishing the open charge: `finish_charge`, and the instructions with which the operator takes spending away.
use anchor_lang::prelude::*;
use anchor_spl::token::{self, Token};

use super::{
    clock::unix_now,
    controller::{check_sums, release},
    pda::signed_by_account,
    token_view::{TokenAccountState, TokenView},
};
use crate::{
    errors::PolicyError,
    events::ChargeFinished,
    state::{AgentAccount, Fleet},
};

/// Finishes the open charge, if there is one; for a pause or a new authority. While the token account is frozen, nothing can be
/// revoked and nothing can move: then the charge's deadline becomes now, so that anyone may finish it once the token account is
/// thawed. Error: `ChargeOpen` if a charge is open and the accounts to finish it are missing.
pub fn stop_charge<'info>(
    account: &AccountLoader<'info, AgentAccount>,
    fleet: &Option<AccountLoader<'info, Fleet>>,
    token_account: &Option<UncheckedAccount<'info>>,
    token_program: &Option<Program<'info, Token>>,
) -> Result<()> {
    if !account.load()?.has_open_charge() {
        return Ok(());
    }
    let (Some(token_account), Some(token_program)) = (token_account, token_program) else {
        return err!(PolicyError::ChargeOpen);
    };
    require_keys_eq!(token_account.key(), account.load()?.token_account, PolicyError::WrongTokenAccount);
    match close_charge(account, fleet, token_account, token_program)? {
        Some(event) => emit!(event),
        None => {
            let now = Clock::get()?.unix_timestamp;
            let charge = &mut account.load_mut()?.charge;
            charge.deadline = charge.deadline.min(now);
        }
    }
    Ok(())
}

/// Revokes the delegate of the open charge, counts what is missing of its allowance as spent now, and releases the rest. Spending is
/// counted later than it happened, so it never leaves the window too early. Returns None while the token account is frozen: then
/// nothing changes.
pub fn close_charge<'info>(
    account: &AccountLoader<'info, AgentAccount>,
    fleet: &Option<AccountLoader<'info, Fleet>>,
    token_account: &AccountInfo<'info>,
    token_program: &Program<'info, Token>,
) -> Result<Option<ChargeFinished>> {
    let charge = account.load()?.charge;
    let allowance = {
        let data = token_account.try_borrow_data()?;
        let view = TokenView::of_any_mint(&data, token_account.owner).ok_or(PolicyError::WrongTokenAccount)?;
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
    // The token program clears a delegate whose allowance is used up, and lets a delegate revoke itself.
    let spent = charge.amount.saturating_sub(allowance.unwrap_or(0));
    let mut state = account.load_mut()?;
    release(&mut state, fleet, charge.amount, spent, unix_now(&Clock::get()?)?)?;
    state.charge.amount = 0;
    check_sums(&state, fleet)?;
    Ok(Some(ChargeFinished {
        account: account.key(),
        charge_id: charge.id,
        seq: charge.seq,
        amount: charge.amount,
        spent,
        exact: allowance.is_some(),
    }))
}
