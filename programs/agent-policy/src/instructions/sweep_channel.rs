//! Moves home what lies in a channel purse, again and again: what was not spent, and what closed channels returned.
use anchor_lang::prelude::*;
use anchor_spl::token::Token;

use crate::{
    constants::LAYOUT_VERSION,
    errors::PolicyError,
    events::ChannelSwept,
    program::AgentPolicy,
    shared::{
        controller::effective_operator,
        event_cpi::emit_by_cpi,
        pda::signed_by_channel_purse,
        token_transfer::TokenTransfer,
        token_view::{check_mint, decimals, sweepable_balance},
    },
    state::{AgentAccount, ChannelPurse, Fleet},
};

/// Also the accounts of `finish_channel`, and part of those of `close_channel`.
#[derive(Accounts)]
pub struct SweepChannel<'info> {
    #[account(
        mut,
        has_one = token_account @ PolicyError::WrongTokenAccount,
        constraint = account.load()?.version == LAYOUT_VERSION @ PolicyError::UnsupportedVersion
    )]
    pub account: AccountLoader<'info, AgentAccount>,
    #[account(
        mut,
        has_one = account @ PolicyError::WrongChannelPurse,
        has_one = key_token_account @ PolicyError::WrongKeyTokenAccount,
        constraint = purse.load()?.version == LAYOUT_VERSION @ PolicyError::UnsupportedVersion
    )]
    pub purse: AccountLoader<'info, ChannelPurse>,
    /// CHECK: tied to the purse and read in place.
    #[account(mut)]
    pub key_token_account: UncheckedAccount<'info>,
    /// CHECK: tied to the account; receives the money.
    #[account(mut)]
    pub token_account: UncheckedAccount<'info>,
    /// CHECK: tied to the token account.
    pub mint: UncheckedAccount<'info>,
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

impl SweepChannel<'_> {
    /// Whether the account's authority or operator signs. Errors: `FleetMissing`, `WrongFleet`.
    pub(super) fn is_authorized(&self) -> Result<bool> {
        let account = self.account.load()?;
        Ok([account.authority, effective_operator(&account, &self.fleet)?].contains(self.closer.key))
    }

    /// Checks the mint and the signer. Error: `ChannelInUse` for a stranger before the deadline.
    pub(super) fn validate(&self) -> Result<()> {
        check_mint(&self.token_account, self.mint.key)?;
        let is_overdue = Clock::get()?.unix_timestamp >= self.purse.load()?.deadline;
        require!(self.is_authorized()? || is_overdue, PolicyError::ChannelInUse);
        Ok(())
    }

    /// Moves home all that the purse may move. Returns the event of it; none if there was nothing. Error: `SourceFrozen` while the
    /// key's token account is frozen.
    pub(super) fn sweep(&self) -> Result<Option<ChannelSwept>> {
        let purse = *self.purse.load()?;
        let amount = sweepable_balance(&self.key_token_account, &purse.key, &self.purse.key())?;
        if amount == 0 {
            return Ok(None);
        }
        let transfer = TokenTransfer {
            from: &self.key_token_account,
            mint: &self.mint,
            to: &self.token_account,
            owner: self.purse.as_ref(),
            amount,
            decimals: decimals(&self.mint)?,
        };
        signed_by_channel_purse(&self.purse, |seeds| transfer.execute(seeds))?;
        let swept = purse.swept.checked_add(amount).ok_or(PolicyError::Overflow)?;
        self.purse.load_mut()?.swept = swept;
        Ok(Some(ChannelSwept { account: purse.account, purse: self.purse.key(), purse_id: purse.id, amount, swept }))
    }
}

/// Moves home what lies there; nothing is not an error. Restores no limit before the purse is finished, nor after. Errors:
/// `ChannelInUse`, `SourceFrozen`.
pub fn sweep_channel(ctx: Context<SweepChannel>) -> Result<()> {
    let accounts = &ctx.accounts;
    accounts.validate()?;
    if let Some(swept) = accounts.sweep()? {
        emit_by_cpi(&accounts.event_authority, &swept)?;
    }
    accounts.purse.load()?.invariant()
}
