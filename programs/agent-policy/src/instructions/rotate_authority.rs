//! Another key spends from now on.
use anchor_lang::prelude::*;
use anchor_spl::token::Token;

use super::stop_charge;
use crate::{constants::LAYOUT_VERSION, errors::PolicyError, events::AuthorityRotated, state::AgentAccount};

#[derive(Accounts)]
pub struct RotateAuthority<'info> {
    #[account(
        mut,
        has_one = operator @ PolicyError::WrongOperator,
        constraint = account.load()?.version == LAYOUT_VERSION @ PolicyError::UnsupportedVersion
    )]
    pub account: AccountLoader<'info, AgentAccount>,
    pub operator: Signer<'info>,
    /// CHECK: the account's own; needed while a charge is open.
    #[account(mut, address = account.load()?.token_account @ PolicyError::WrongTokenAccount)]
    pub token_account: Option<UncheckedAccount<'info>>,
    /// Needed while a charge is open.
    pub token_program: Option<Program<'info, Token>>,
}

/// The old authority may know the key of an open charge, so that charge ends too.
pub fn rotate_authority(ctx: Context<RotateAuthority>, new_authority: Pubkey) -> Result<()> {
    let accounts = &ctx.accounts;
    stop_charge(&accounts.account, &accounts.token_account, &accounts.token_program)?;
    let mut account = accounts.account.load_mut()?;
    let is_taken = [account.operator, account.creator, account.charge.delegate].contains(&new_authority);
    require!(!is_taken, PolicyError::KeysNotDistinct);
    account.authority = new_authority;
    emit!(AuthorityRotated { account: accounts.account.key(), authority: new_authority });
    Ok(())
}
