//! Token accounts of the classic SPL Token program, read in place: only the bytes that the program needs.
use anchor_lang::prelude::*;
use anchor_spl::token;

use crate::{errors::PolicyError, state::AgentAccount};

/// Length of a token account; offsets below are those of `spl_token::state::Account::pack`.
const LENGTH: usize = 165;
const OWNER: usize = 32;
const AMOUNT: usize = 64;
const DELEGATE: usize = 72;
const DELEGATE_KEY: usize = 76;
const STATE: usize = 108;
const DELEGATED_AMOUNT: usize = 121;
const CLOSE_AUTHORITY: usize = 129;
const CLOSE_AUTHORITY_KEY: usize = 133;
/// Offset in a mint; `spl_token::state::Mint::pack`.
const MINT_DECIMALS: usize = 44;

/// `spl_token::state::AccountState`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenAccountState {
    /// Can send and receive.
    Initialized,
    /// Can neither send nor receive.
    Frozen,
}

/// The bytes of one token account.
pub struct TokenView<'a>(&'a [u8]);

impl<'a> TokenView<'a> {
    /// Returns None unless `data`, owned by `program`, is an initialized token account of `mint`.
    pub fn read(data: &'a [u8], program: &Pubkey, mint: &Pubkey) -> Option<Self> {
        Self::of_any_mint(data, program).filter(|view| view.mint() == mint.as_ref())
    }

    /// Returns None unless `data`, owned by `program`, is an initialized token account. For one that is tied to an account of this
    /// program by its address: its mint never changes.
    pub fn of_any_mint(data: &'a [u8], program: &Pubkey) -> Option<Self> {
        let is_token_account = *program == token::ID && data.len() == LENGTH && (data[STATE] == 1 || data[STATE] == 2);
        is_token_account.then_some(Self(data))
    }

    /// The mint of the token account.
    pub fn mint(&self) -> &'a [u8] {
        &self.0[..OWNER]
    }

    /// The owner of the token account.
    pub fn owner(&self) -> &'a [u8] {
        &self.0[OWNER..AMOUNT]
    }

    /// Micro-USDC held.
    pub fn amount(&self) -> u64 {
        self.number(AMOUNT)
    }

    fn number(&self, offset: usize) -> u64 {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(&self.0[offset..offset + 8]);
        u64::from_le_bytes(bytes)
    }

    /// Whether it is initialized or frozen.
    pub fn state(&self) -> TokenAccountState {
        if self.0[STATE] == 2 {
            TokenAccountState::Frozen
        } else {
            TokenAccountState::Initialized
        }
    }

    /// The delegate and its remaining allowance in micro-USDC; None without a delegate, and once the allowance is used up.
    pub fn delegation(&self) -> Option<(&'a [u8], u64)> {
        (self.0[DELEGATE..DELEGATE_KEY] != [0; 4])
            .then(|| (&self.0[DELEGATE_KEY..STATE], self.number(DELEGATED_AMOUNT)))
    }

    /// The close authority, if it is not the owner.
    pub fn close_authority(&self) -> Option<&'a [u8]> {
        (self.0[CLOSE_AUTHORITY..CLOSE_AUTHORITY_KEY] != [0; 4]).then_some(&self.0[CLOSE_AUTHORITY_KEY..])
    }
}

/// Returns the micro-USDC in the account's token account, minus what the open charge may still take. Errors: `WrongTokenAccount`,
/// `SourceFrozen`, `SourceDelegated` (a close authority, or a delegate other than the open charge's).
pub fn spendable_balance(source: &AccountInfo, account: &AgentAccount) -> Result<u64> {
    let data = source.try_borrow_data()?;
    let view = TokenView::of_any_mint(&data, source.owner).ok_or(PolicyError::WrongTokenAccount)?;
    require!(view.state() == TokenAccountState::Initialized, PolicyError::SourceFrozen);
    require!(view.close_authority().is_none(), PolicyError::SourceDelegated);
    let Some((delegate, allowance)) = view.delegation() else { return Ok(view.amount()) };
    let is_charge = account.has_open_charge() && account.charge.delegate.as_ref() == delegate;
    require!(is_charge, PolicyError::SourceDelegated);
    Ok(view.amount().saturating_sub(allowance))
}

/// Checks that `token_account` is `key`'s, that `purse` may move all of it and close it, and that it holds at least `amount` micro-USDC.
/// Error: `WrongKeyTokenAccount`.
pub fn check_purse_account(token_account: &AccountInfo, key: &Pubkey, purse: &Pubkey, amount: u64) -> Result<()> {
    let data = token_account.try_borrow_data()?;
    let view = TokenView::of_any_mint(&data, token_account.owner).ok_or(PolicyError::WrongKeyTokenAccount)?;
    let is_the_purses = view.owner() == key.as_ref()
        && view.delegation() == Some((purse.as_ref(), u64::MAX))
        && view.close_authority() == Some(purse.as_ref())
        && view.amount() >= amount;
    require!(is_the_purses, PolicyError::WrongKeyTokenAccount);
    Ok(())
}

/// Returns the micro-USDC that `purse` may move out of `key`'s token account: 0 if the key gave it away or revoked the purse. Error:
/// `SourceFrozen`.
pub fn sweepable_balance(token_account: &AccountInfo, key: &Pubkey, purse: &Pubkey) -> Result<u64> {
    let data = token_account.try_borrow_data()?;
    let Some(view) = TokenView::of_any_mint(&data, token_account.owner) else { return Ok(0) };
    require!(view.state() == TokenAccountState::Initialized, PolicyError::SourceFrozen);
    let is_the_keys = view.owner() == key.as_ref();
    let allowance = view.delegation().filter(|(delegate, _)| is_the_keys && *delegate == purse.as_ref());
    Ok(allowance.map_or(0, |(_, left)| view.amount().min(left)))
}

/// Whether the token account is empty and `authority` is its close authority.
pub fn is_closable_by(token_account: &AccountInfo, authority: &Pubkey) -> Result<bool> {
    let data = token_account.try_borrow_data()?;
    let view = TokenView::of_any_mint(&data, token_account.owner);
    Ok(view.is_some_and(|view| view.amount() == 0 && view.close_authority() == Some(authority.as_ref())))
}

/// Checks that `mint` is the mint of the account's token account. Errors: `WrongTokenAccount`, `WrongMint`.
pub fn check_mint(token_account: &AccountInfo, mint: &Pubkey) -> Result<()> {
    let data = token_account.try_borrow_data()?;
    let view = TokenView::of_any_mint(&data, token_account.owner).ok_or(PolicyError::WrongTokenAccount)?;
    require!(view.mint() == mint.as_ref(), PolicyError::WrongMint);
    Ok(())
}

/// Returns the decimals of a mint that was checked. Error: `WrongMint`.
pub fn decimals(mint: &AccountInfo) -> Result<u8> {
    Ok(*mint.try_borrow_data()?.get(MINT_DECIMALS).ok_or(PolicyError::WrongMint)?)
}

/// Returns the micro-USDC in a session's escrow. Errors: `WrongEscrow`, `EscrowFrozen`.
pub fn escrow_balance(escrow: &AccountInfo, session: &Pubkey) -> Result<u64> {
    let data = escrow.try_borrow_data()?;
    let view = TokenView::of_any_mint(&data, escrow.owner)
        .filter(|view| view.owner() == session.as_ref())
        .ok_or(PolicyError::WrongEscrow)?;
    require!(view.state() == TokenAccountState::Initialized, PolicyError::EscrowFrozen);
    Ok(view.amount())
}

/// Whether the payee's token account can receive now. It cannot while it is frozen, or if it was closed or has another owner.
pub fn can_receive(token_account: &AccountInfo, payee: &Pubkey, mint: &Pubkey) -> Result<bool> {
    let data = token_account.try_borrow_data()?;
    let view = TokenView::read(&data, token_account.owner, mint).filter(|view| view.owner() == payee.as_ref());
    Ok(view.is_some_and(|view| view.state() == TokenAccountState::Initialized))
}
