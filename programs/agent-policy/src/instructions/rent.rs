//! Rent that goes back. A CPI may pay lamports to an address of this program only: the runtime does not copy a CPI's changes to an
//! executable account back, and whoever paid the rent may have become a program since. So token accounts are closed into a PDA of
//! ours, and from there lamports move without a CPI.
use anchor_lang::prelude::*;
use anchor_spl::token;

/// Where the rent of `payer` goes: back to it, or to `account`, an account of this program, where `payer` has become a program.
pub(super) fn rent_recipient<'info>(payer: &AccountInfo<'info>, account: &AccountInfo<'info>) -> AccountInfo<'info> {
    if payer.executable {
        account.clone()
    } else {
        payer.clone()
    }
}

/// Closes an empty token account. Its rent goes to `owner`, the PDA of this program that owns it and that `seeds` sign for.
pub(super) fn close_token_account<'info>(
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
