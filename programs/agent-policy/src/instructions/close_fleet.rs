//! Closes a fleet without members permanently. The tombstone at its address names the operator.
use anchor_lang::prelude::*;

use crate::{
    constants::LAYOUT_VERSION,
    errors::PolicyError,
    events::FleetClosed,
    shared::rent::rent_recipient,
    state::{ClosedFleet, Fleet, Policy},
};

#[derive(Accounts)]
pub struct CloseFleet<'info> {
    /// CHECK: loaded and checked by `validate`: an `AccountLoader` here would overwrite the tombstone's discriminator at exit.
    #[account(mut)]
    pub fleet: UncheckedAccount<'info>,
    #[account(mut)]
    pub policy: AccountLoader<'info, Policy>,
    pub operator: Signer<'info>,
    /// CHECK: the key that paid the rent and gets it back.
    #[account(mut)]
    pub creator: UncheckedAccount<'info>,
}

impl<'info> CloseFleet<'info> {
    fn validate(&'info self) -> Result<()> {
        let loader = AccountLoader::<Fleet>::try_from(self.fleet.as_ref())?;
        let fleet = loader.load()?;
        require!(fleet.version == LAYOUT_VERSION, PolicyError::UnsupportedVersion);
        require_keys_eq!(fleet.operator, self.operator.key(), PolicyError::WrongOperator);
        require_keys_eq!(fleet.creator, self.creator.key(), PolicyError::WrongRentRecipient);
        require_keys_eq!(self.policy.load()?.owner, self.fleet.key(), PolicyError::WrongPolicy);
        require!(fleet.members == 0 && fleet.tally.reserved == 0, PolicyError::FleetInUse);
        fleet.invariant()
    }
}

/// Errors: `WrongOperator`, `FleetInUse` with members.
pub fn close_fleet<'info>(ctx: Context<'info, CloseFleet<'info>>) -> Result<()> {
    let accounts: &'info CloseFleet = ctx.accounts;
    accounts.validate()?;
    let info = accounts.fleet.to_account_info();
    let recipient = rent_recipient(&accounts.creator, &info);
    accounts.policy.close(recipient.clone())?;
    info.resize(ClosedFleet::SPACE)?;
    ClosedFleet { operator: accounts.operator.key() }.try_serialize(&mut &mut info.try_borrow_mut_data()?[..])?;
    let freed = info.lamports().saturating_sub(Rent::get()?.minimum_balance(ClosedFleet::SPACE));
    info.sub_lamports(freed)?;
    recipient.add_lamports(freed)?;
    emit!(FleetClosed { fleet: *info.key });
    Ok(())
}
