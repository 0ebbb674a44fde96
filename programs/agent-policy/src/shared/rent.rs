//! Returning rent. A CPI must credit lamports only to an account of this program: the runtime does not copy a CPI's changes back to
//! an executable account, and the rent payer may have become a program. Token accounts are therefore closed into a PDA of this
//! program, and the lamports move on from there without a CPI.
use anchor_lang::{prelude::*, system_program};
use anchor_spl::token;

/// Returns the account that receives the rent which `payer` paid: `payer`, or, if `payer` has become a program, `account`, which
/// belongs to this program.
pub fn rent_recipient<'info>(payer: &AccountInfo<'info>, account: &AccountInfo<'info>) -> AccountInfo<'info> {
    if payer.executable {
        account.clone()
    } else {
        payer.clone()
    }
}

/// Adds what `account` lacks of the rent for `space` bytes, out of `payer`.
pub fn pay_rent<'info>(payer: &AccountInfo<'info>, account: &AccountInfo<'info>, space: usize) -> Result<()> {
    let missing = Rent::get()?.minimum_balance(space).saturating_sub(account.lamports());
    if missing == 0 {
        return Ok(());
    }
    let transfer = system_program::Transfer { from: payer.clone(), to: account.clone() };
    system_program::transfer(CpiContext::new(System::id(), transfer), missing)
}

/// Closes an empty token account. Its rent goes to `owner`, the PDA of this program that owns it and for which `seeds` sign.
pub fn close_token_account<'info>(
    token_account: &AccountInfo<'info>,
    owner: &AccountInfo<'info>,
    seeds: &[&[u8]],
) -> Result<()> {
    token::close_account(CpiContext::new_with_signer(
        token::ID,
        token::CloseAccount { account: token_account.clone(), destination: owner.clone(), authority: owner.clone() },
        &[seeds],
    ))
}
