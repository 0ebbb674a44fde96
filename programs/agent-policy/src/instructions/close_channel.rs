//! Closes a channel purse, finished or not, and its key's token account. Only its account's keys may: what a channel returns to a token account
//! that is gone, goes to the treasury of payment-channels, and this program does not know which channels are open.
use anchor_lang::prelude::*;

use super::sweep_channel::*;
use crate::{
    errors::PolicyError,
    events::ChannelClosed,
    shared::{
        pda::signed_by_channel_purse,
        rent::{close_token_account, rent_recipient},
        token_view::is_closable_by,
    },
};

#[derive(Accounts)]
pub struct CloseChannel<'info> {
    /// The closer is the account's authority or operator, also after the deadline.
    pub sweeping: SweepChannel<'info>,
    /// CHECK: the key that paid the rent and gets it back.
    #[account(mut, address = sweeping.purse.load()?.rent_payer @ PolicyError::WrongRentRecipient)]
    pub rent_payer: UncheckedAccount<'info>,
}

impl CloseChannel<'_> {
    fn validate(&self) -> Result<()> {
        self.sweeping.validate()?;
        require!(self.sweeping.is_authorized()?, PolicyError::ChannelInUse);
        Ok(())
    }
}

/// Moves home what is left, and closes both. A token account that its key gave away or took back stays. Its events are logged: only the
/// account's own keys may close, and a logged event costs fewer compute units. Errors: `ChannelInUse` for a stranger,
/// `SourceFrozen`.
pub fn close_channel(ctx: Context<CloseChannel>) -> Result<()> {
    let accounts = &ctx.accounts;
    accounts.validate()?;
    let SweepChannel { account, purse: loader, key_token_account, .. } = &accounts.sweeping;
    let swept = if loader.load()?.is_open() {
        let (swept, finished) = accounts.sweeping.finish()?;
        emit!(finished);
        swept
    } else {
        accounts.sweeping.sweep()?
    };
    if let Some(swept) = swept {
        emit!(swept);
    }
    let purse = *loader.load()?;
    let info = loader.to_account_info();
    if is_closable_by(key_token_account, loader.as_ref().key)? {
        signed_by_channel_purse(loader, |seeds| close_token_account(key_token_account, &info, seeds))?;
    }
    {
        let mut account = account.load_mut()?;
        account.channel_purses = account.channel_purses.checked_sub(1).ok_or(PolicyError::Overflow)?;
        account.touched_invariant()?;
    }
    loader.close(rent_recipient(&accounts.rent_payer, &account.to_account_info()))?;
    emit!(ChannelClosed { account: purse.account, purse: *info.key, purse_id: purse.id, swept: purse.swept });
    Ok(())
}
