//! Finishes a channel purse: moves home what lies there, counts what is missing as spent and releases the rest. What channels return
//! later is swept home and restores no limit.
use anchor_lang::prelude::*;

use super::sweep_channel::*;
use crate::{
    errors::PolicyError,
    events::{ChannelFinished, ChannelSwept},
    shared::{
        clock::unix_now,
        controller::{check_sums, release},
        event_cpi::emit_by_cpi,
    },
};

impl SweepChannel<'_> {
    /// Sweeps and finishes the purse. Returns the events of both. Errors: `ChannelNotOpen`, `SourceFrozen`.
    pub(super) fn finish(&self) -> Result<(Option<ChannelSwept>, ChannelFinished)> {
        require!(self.purse.load()?.is_open(), PolicyError::ChannelNotOpen);
        let swept = self.sweep()?;
        let purse = {
            let mut purse = self.purse.load_mut()?;
            purse.finished = 1;
            purse.invariant()?;
            *purse
        };
        let spent = purse.missing();
        {
            let mut account = self.account.load_mut()?;
            release(&mut account, &self.fleet, purse.amount, spent, unix_now(&Clock::get()?)?)?;
            check_sums(&account, &self.fleet)?;
        }
        let finished = ChannelFinished {
            account: purse.account,
            purse: self.purse.key(),
            purse_id: purse.id,
            seq: purse.seq,
            amount: purse.amount,
            spent,
        };
        Ok((swept, finished))
    }
}

/// Errors: `ChannelNotOpen` if it was finished before, `ChannelInUse`, `SourceFrozen`.
pub fn finish_channel(ctx: Context<SweepChannel>) -> Result<()> {
    let accounts = &ctx.accounts;
    accounts.validate()?;
    let (swept, finished) = accounts.finish()?;
    if let Some(swept) = swept {
        emit_by_cpi(&accounts.event_authority, &swept)?;
    }
    emit_by_cpi(&accounts.event_authority, &finished)
}
