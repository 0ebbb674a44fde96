//! Finishes a charge: revokes its delegate, counts what was spent and releases the rest.
use anchor_lang::prelude::*;
use anchor_spl::token::Token;

use crate::{
    constants::LAYOUT_VERSION,
    errors::PolicyError,
    program::AgentPolicy,
    shared::{charge::close_charge, controller::effective_operator, event_cpi::emit_by_cpi},
    state::{AgentAccount, Fleet},
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
    /// The account's authority or operator; anyone after the deadline.
    pub closer: Signer<'info>,
    pub token_program: Program<'info, Token>,
    /// CHECK: signs for the event.
    #[account(address = crate::EVENT_AUTHORITY_AND_BUMP.0)]
    pub event_authority: UncheckedAccount<'info>,
    /// This program, which the event's CPI calls.
    pub program: Program<'info, AgentPolicy>,
    /// The fleet of a member.
    #[account(mut)]
    pub fleet: Option<AccountLoader<'info, Fleet>>,
}

impl FinishCharge<'_> {
    /// `seq` names the charge, so that a repeated instruction never finishes the next one.
    fn validate(&self, seq: u64) -> Result<()> {
        let account = self.account.load()?;
        require!(account.has_open_charge() && account.charge.seq == seq, PolicyError::ChargeNotOpen);
        let operator = effective_operator(&account, &self.fleet)?;
        let is_authorized = [account.authority, operator].contains(self.closer.key);
        let is_overdue = Clock::get()?.unix_timestamp >= account.charge.deadline;
        require!(is_authorized || is_overdue, PolicyError::ChargeInUse);
        Ok(())
    }
}

/// Errors: `ChargeNotOpen`, `ChargeInUse`, `SourceFrozen`.
pub fn finish_charge(ctx: Context<FinishCharge>, seq: u64) -> Result<()> {
    let accounts = &ctx.accounts;
    accounts.validate(seq)?;
    let event = close_charge(&accounts.account, &accounts.fleet, &accounts.token_account, &accounts.token_program)?
        .ok_or(PolicyError::SourceFrozen)?;
    emit_by_cpi(&accounts.event_authority, &event)
}
