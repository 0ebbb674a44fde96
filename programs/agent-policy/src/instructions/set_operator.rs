//! Replaces the operator: the old one signs, the new one accepts. It accepts by signing the transaction too, or before it, by the
//! signature of an acceptance. The open charge is finished, as by `rotate_authority`.
use anchor_lang::prelude::*;
use anchor_spl::token::Token;

use crate::{
    constants::{INSTRUCTIONS_SYSVAR, LAYOUT_VERSION},
    errors::PolicyError,
    events::OperatorChanged,
    shared::{acceptance::accepts, charge::stop_charge, ed25519::all_verified_before},
    state::AgentAccount,
};

#[derive(Accounts)]
pub struct SetOperator<'info> {
    #[account(
        mut,
        constraint = account.load()?.version == LAYOUT_VERSION @ PolicyError::UnsupportedVersion
    )]
    pub account: AccountLoader<'info, AgentAccount>,
    pub operator: Signer<'info>,
    /// CHECK: signs, or has accepted.
    pub new_operator: UncheckedAccount<'info>,
    /// CHECK: required if the new operator does not sign; an instruction before this one verifies its acceptance.
    #[account(address = INSTRUCTIONS_SYSVAR)]
    pub instructions: Option<UncheckedAccount<'info>>,
    /// CHECK: the account's token account; required while a charge is open.
    #[account(mut)]
    pub token_account: Option<UncheckedAccount<'info>>,
    /// Required while a charge is open.
    pub token_program: Option<Program<'info, Token>>,
}

impl SetOperator<'_> {
    fn validate(&self) -> Result<()> {
        let account = self.account.load()?;
        require!(account.is_member == 0, PolicyError::InFleet);
        require_keys_eq!(self.operator.key(), account.controller, PolicyError::WrongOperator);
        let (new, old) = (&self.new_operator, self.operator.key);
        require!(new.is_signer || has_accepted(&self.instructions, new.key, old)?, PolicyError::NotAccepted);
        require!(![account.authority, account.creator].contains(self.new_operator.key), PolicyError::KeysNotDistinct);
        Ok(())
    }
}

/// Whether an instruction before this one verifies that `new_operator` has accepted the accounts of `old_operator`.
pub(super) fn has_accepted(
    instructions: &Option<UncheckedAccount>,
    new_operator: &Pubkey,
    old_operator: &Pubkey,
) -> Result<bool> {
    let Some(instructions) = instructions else { return Ok(false) };
    let data = instructions.try_borrow_data()?;
    let has_accepted = all_verified_before(&data).any(|verified| accepts(verified, new_operator, old_operator));
    Ok(has_accepted)
}

/// Errors: `InFleet`, `NotAccepted`, `KeysNotDistinct`, `ChargeOpen` if the accounts to finish the open charge are missing.
pub fn set_operator(ctx: Context<SetOperator>) -> Result<()> {
    let accounts = &ctx.accounts;
    accounts.validate()?;
    stop_charge(&accounts.account, &None, &accounts.token_account, &accounts.token_program)?;
    let new_operator = accounts.new_operator.key();
    let mut account = accounts.account.load_mut()?;
    require!(!account.is_open_delegate(&new_operator), PolicyError::KeysNotDistinct);
    account.controller = new_operator;
    account.invariant()?;
    emit!(OperatorChanged { account: accounts.account.key(), operator: new_operator });
    Ok(())
}
