//! Replaces the authority. The old one may know the delegate of the open charge, so that charge is finished too.
use anchor_lang::prelude::*;
use anchor_spl::token::Token;

use crate::{
    constants::LAYOUT_VERSION,
    errors::PolicyError,
    events::AuthorityRotated,
    shared::{charge::stop_charge, controller::effective_operator},
    state::{AgentAccount, Fleet},
};

#[derive(Accounts)]
pub struct RotateAuthority<'info> {
    #[account(
        mut,
        constraint = account.load()?.version == LAYOUT_VERSION @ PolicyError::UnsupportedVersion
    )]
    pub account: AccountLoader<'info, AgentAccount>,
    pub operator: Signer<'info>,
    /// CHECK: the account's token account; required while a charge is open.
    #[account(mut)]
    pub token_account: Option<UncheckedAccount<'info>>,
    /// Required while a charge is open.
    pub token_program: Option<Program<'info, Token>>,
    /// The fleet of a member.
    #[account(mut)]
    pub fleet: Option<AccountLoader<'info, Fleet>>,
}

impl RotateAuthority<'_> {
    fn validate(&self, new_authority: &Pubkey) -> Result<()> {
        let account = self.account.load()?;
        let operator = effective_operator(&account, &self.fleet)?;
        require_keys_eq!(self.operator.key(), operator, PolicyError::WrongOperator);
        require!(![operator, account.creator].contains(new_authority), PolicyError::KeysNotDistinct);
        Ok(())
    }
}

/// Errors: `KeysNotDistinct`, `ChargeOpen` if the accounts to finish the open charge are missing.
pub fn rotate_authority(ctx: Context<RotateAuthority>, new_authority: Pubkey) -> Result<()> {
    let accounts = &ctx.accounts;
    accounts.validate(&new_authority)?;
    stop_charge(&accounts.account, &accounts.fleet, &accounts.token_account, &accounts.token_program)?;
    let mut account = accounts.account.load_mut()?;
    require!(!account.is_open_delegate(&new_authority), PolicyError::KeysNotDistinct);
    account.authority = new_authority;
    account.invariant()?;
    emit!(AuthorityRotated { account: accounts.account.key(), authority: new_authority });
    Ok(())
}
