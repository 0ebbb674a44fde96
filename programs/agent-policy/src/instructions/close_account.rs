//! Closes an account permanently. The tombstone at its address names the operator or the fleet, whose operator may sweep what
//! arrives later.
use anchor_lang::prelude::*;
use anchor_spl::token::Token;

use crate::{
    constants::LAYOUT_VERSION,
    errors::PolicyError,
    events::AccountClosed,
    shared::{
        controller::effective_operator,
        rent::{close_token_account, rent_recipient},
        token_transfer::TokenTransfer,
        token_view::{check_mint, decimals, spendable_balance},
    },
    state::{AgentAccount, ClosedAccount, Fleet, Policy},
};

#[derive(Accounts)]
pub struct CloseAccount<'info> {
    /// CHECK: loaded and checked by `validate`: an `AccountLoader` here would overwrite the tombstone's discriminator at exit.
    #[account(mut)]
    pub account: UncheckedAccount<'info>,
    /// The account's own policy, if it has one.
    #[account(mut)]
    pub policy: Option<AccountLoader<'info, Policy>>,
    pub operator: Signer<'info>,
    /// CHECK: tied to the account and read in place.
    #[account(mut)]
    pub token_account: UncheckedAccount<'info>,
    /// CHECK: tied to the token account.
    pub mint: UncheckedAccount<'info>,
    /// CHECK: the key that paid the rent and gets it back.
    #[account(mut)]
    pub creator: UncheckedAccount<'info>,
    /// CHECK: the token account that receives the remaining money; the token program checks it. Without it the account must be empty.
    #[account(mut)]
    pub destination: Option<UncheckedAccount<'info>>,
    pub token_program: Program<'info, Token>,
    /// The fleet of a member, which it leaves by this.
    #[account(mut)]
    pub fleet: Option<AccountLoader<'info, Fleet>>,
}

impl<'info> CloseAccount<'info> {
    /// Checks the keys and accounts, and that no session, charge, channel purse or reserved amount is left. Returns the account and the remaining
    /// micro-USDC.
    fn validate(&'info self) -> Result<(Closing, u64)> {
        let loader = AccountLoader::<AgentAccount>::try_from(self.account.as_ref())?;
        let account = loader.load()?;
        require!(account.version == LAYOUT_VERSION, PolicyError::UnsupportedVersion);
        require!(effective_operator(&account, &self.fleet)? == *self.operator.key, PolicyError::WrongOperator);
        require!(account.token_account == *self.token_account.key, PolicyError::WrongTokenAccount);
        check_mint(&self.token_account, self.mint.key)?;
        require!(self.policy.is_some() == (account.has_policy != 0), PolicyError::WrongPolicy);
        if let Some(policy) = &self.policy {
            let policy = policy.load()?;
            require!(policy.layout_version == LAYOUT_VERSION, PolicyError::UnsupportedVersion);
            require_keys_eq!(policy.owner, self.account.key(), PolicyError::WrongPolicy);
        }
        require!(account.creator == *self.creator.key, PolicyError::WrongRentRecipient);
        let left = spendable_balance(&self.token_account, &account)?;
        let is_in_use = account.open_sessions > 0 || account.owed_sessions > 0 || account.channel_purses > 0;
        let is_closable = account.tally.reserved == 0 && !is_in_use && (left == 0 || self.destination.is_some());
        require!(is_closable, PolicyError::AccountInUse);
        account.invariant()?;
        let closing = Closing {
            closed: ClosedAccount { controller: account.controller },
            creator: account.creator,
            id: account.id,
            bump: [account.bump],
        };
        Ok((closing, left))
    }

    /// Transfers `left` micro-USDC to the destination. Returns the destination, or the default key if nothing was left.
    fn sweep(&self, left: u64, seeds: &[&[u8]]) -> Result<Pubkey> {
        let Some(destination) = self.destination.as_ref().filter(|_| left > 0) else { return Ok(Pubkey::default()) };
        require_keys_neq!(*destination.key, *self.token_account.key, PolicyError::DestinationIsSource);
        TokenTransfer {
            from: &self.token_account,
            mint: &self.mint,
            to: destination,
            owner: &self.account,
            amount: left,
            decimals: decimals(&self.mint)?,
        }
        .execute(seeds)?;
        Ok(*destination.key)
    }
}

/// An account that is closing: its tombstone and the seeds of its address.
struct Closing {
    closed: ClosedAccount,
    creator: Pubkey,
    id: [u8; 16],
    bump: [u8; 1],
}

/// Errors: `AccountInUse`, and those of a wrong key or account.
pub fn close_account<'info>(ctx: Context<'info, CloseAccount<'info>>) -> Result<()> {
    let accounts: &'info CloseAccount = ctx.accounts;
    let info = accounts.account.to_account_info();
    let (closing, left) = accounts.validate()?;
    let seeds = AgentAccount::seeds(&closing.creator, &closing.id, &closing.bump);
    let destination = accounts.sweep(left, &seeds)?;
    close_token_account(&accounts.token_account, &info, &seeds)?;

    let recipient = rent_recipient(&accounts.creator, &info);
    if let Some(policy) = &accounts.policy {
        policy.close(recipient.clone())?;
    }
    if let Some(fleet) = &accounts.fleet {
        let mut fleet = fleet.load_mut()?;
        fleet.members = fleet.members.checked_sub(1).ok_or(PolicyError::Overflow)?;
    }
    info.resize(ClosedAccount::SPACE)?;
    closing.closed.try_serialize(&mut &mut info.try_borrow_mut_data()?[..])?;
    let freed = info.lamports().saturating_sub(Rent::get()?.minimum_balance(ClosedAccount::SPACE));
    info.sub_lamports(freed)?;
    recipient.add_lamports(freed)?;
    emit!(AccountClosed { account: *info.key, swept: left, destination });
    Ok(())
}
