//! Closes an account permanently. The tombstone at its address names the operator, who may sweep what arrives later.
use anchor_lang::prelude::*;
use anchor_spl::token::Token;

use crate::{
    constants::LAYOUT_VERSION,
    errors::PolicyError,
    events::AccountClosed,
    shared::{
        rent::{close_token_account, rent_recipient},
        token_transfer::TokenTransfer,
        token_view::spendable_balance,
    },
    state::{AgentAccount, ClosedAccount, Policy},
};

#[derive(Accounts)]
pub struct CloseAccount<'info> {
    /// CHECK: loaded and checked by `validate`: an `AccountLoader` here would overwrite the tombstone's discriminator at exit.
    #[account(mut)]
    pub account: UncheckedAccount<'info>,
    #[account(
        mut,
        has_one = account @ PolicyError::WrongPolicy,
        constraint = policy.load()?.layout_version == LAYOUT_VERSION @ PolicyError::UnsupportedVersion
    )]
    pub policy: AccountLoader<'info, Policy>,
    pub operator: Signer<'info>,
    /// CHECK: tied to the account and read in place.
    #[account(mut)]
    pub token_account: UncheckedAccount<'info>,
    /// CHECK: tied to the account.
    pub mint: UncheckedAccount<'info>,
    /// CHECK: the key that paid the rent and gets it back.
    #[account(mut)]
    pub creator: UncheckedAccount<'info>,
    /// CHECK: the token account that receives the remaining money; the token program checks it. Without it the account must be empty.
    #[account(mut)]
    pub destination: Option<UncheckedAccount<'info>>,
    pub token_program: Program<'info, Token>,
}

impl<'info> CloseAccount<'info> {
    /// Checks the keys and accounts, and that no session, charge or reserved amount is left. Returns the tombstone and the remaining
    /// micro-USDC.
    fn validate(&'info self) -> Result<(ClosedAccount, u64)> {
        let loader = AccountLoader::<AgentAccount>::try_from(self.account.as_ref())?;
        let account = loader.load()?;
        require!(account.version == LAYOUT_VERSION, PolicyError::UnsupportedVersion);
        require!(account.operator == *self.operator.key, PolicyError::WrongOperator);
        require!(account.mint == *self.mint.key, PolicyError::WrongMint);
        require!(account.token_account == *self.token_account.key, PolicyError::WrongTokenAccount);
        require!(account.creator == *self.creator.key, PolicyError::WrongRentRecipient);
        let left = spendable_balance(&self.token_account, &account)?;
        let has_sessions = account.open_sessions > 0 || account.owed_sessions > 0;
        let is_closable = account.reserved == 0 && !has_sessions && (left == 0 || self.destination.is_some());
        require!(is_closable, PolicyError::AccountInUse);
        let closed = ClosedAccount {
            operator: account.operator,
            creator: account.creator,
            id: account.id,
            bump: account.bump,
            mint: account.mint,
            mint_decimals: account.mint_decimals,
        };
        Ok((closed, left))
    }

    /// Transfers `left` micro-USDC to the destination. Returns the destination, or the default key if nothing was left.
    fn sweep(&self, closed: &ClosedAccount, left: u64, seeds: &[&[u8]]) -> Result<Pubkey> {
        let Some(destination) = self.destination.as_ref().filter(|_| left > 0) else { return Ok(Pubkey::default()) };
        require_keys_neq!(*destination.key, *self.token_account.key, PolicyError::DestinationIsSource);
        TokenTransfer {
            from: &self.token_account,
            mint: &self.mint,
            to: destination,
            owner: &self.account,
            amount: left,
            decimals: closed.mint_decimals,
        }
        .execute(seeds)?;
        Ok(*destination.key)
    }
}

/// Errors: `AccountInUse`, and those of a wrong key or account.
pub fn close_account<'info>(ctx: Context<'info, CloseAccount<'info>>) -> Result<()> {
    let accounts: &'info CloseAccount = ctx.accounts;
    let info = accounts.account.to_account_info();
    let (closed, left) = accounts.validate()?;
    let bump = [closed.bump];
    let seeds = AgentAccount::seeds(&closed.creator, &closed.id, &bump);
    let destination = accounts.sweep(&closed, left, &seeds)?;
    close_token_account(&accounts.token_account, &info, &seeds)?;

    let recipient = rent_recipient(&accounts.creator, &info);
    accounts.policy.close(recipient.clone())?;
    info.resize(ClosedAccount::SPACE)?;
    closed.try_serialize(&mut &mut info.try_borrow_mut_data()?[..])?;
    let freed = info.lamports().saturating_sub(Rent::get()?.minimum_balance(ClosedAccount::SPACE));
    info.sub_lamports(freed)?;
    recipient.add_lamports(freed)?;
    emit!(AccountClosed { account: *info.key, swept: left, destination });
    Ok(())
}
