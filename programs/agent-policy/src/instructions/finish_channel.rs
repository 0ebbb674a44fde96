//! Finishes a channel purse: moves home what lies there, counts what is missing as spent and releases the rest. What channels return
//! later is swept home and restores no limit.
use anchor_lang::prelude::*;

use super::sweep_channel::*;
use crate::{
    errors::PolicyError,
    events::ChannelFinished,
    shared::{
        clock::unix_now,
        controller::{check_sums, release},
        event_cpi::emit_by_cpi,
    },
};

/// Errors: `ChannelNotOpen` if it was finished before, `ChannelInUse`, `SourceFrozen`.
pub fn finish_channel(ctx: Context<SweepChannel>) -> Result<()> {
    let accounts = &ctx.accounts;
    accounts.validate()?;
    require!(accounts.purse.load()?.is_open(), PolicyError::ChannelNotOpen);
    accounts.sweep()?;
    let purse = {
        let mut purse = accounts.purse.load_mut()?;
        purse.finished = 1;
        purse.invariant()?;
        *purse
    };
    let spent = purse.missing();
    {
        let mut account = accounts.account.load_mut()?;
        release(&mut account, &accounts.fleet, purse.amount, spent, unix_now(&Clock::get()?)?)?;
        check_sums(&account, &accounts.fleet)?;
    }
    emit_by_cpi(
        &accounts.event_authority,
        &ChannelFinished {
            account: purse.account,
            purse: accounts.purse.key(),
            purse_id: purse.id,
            seq: purse.seq,
            amount: purse.amount,
            spent,
        },
    )
}
