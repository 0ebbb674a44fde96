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

    /// Whether it has a close authority other than the owner.
    pub fn has_close_authority(&self) -> bool {
        self.0[CLOSE_AUTHORITY..CLOSE_AUTHORITY + 4] != [0; 4]
    }
}

/// Returns the micro-USDC in the account's token account, minus what the open charge may still take. Errors: `WrongTokenAccount`,
/// `SourceFrozen`, `SourceDelegated` (a close authority, or a delegate other than the open charge's).
pub fn spendable_balance(source: &AccountInfo, account: &AgentAccount) -> Result<u64> {
    let data = source.try_borrow_data()?;
    let view = TokenView::of_any_mint(&data, source.owner).ok_or(PolicyError::WrongTokenAccount)?;
    require!(view.state() == TokenAccountState::Initialized, PolicyError::SourceFrozen);
    require!(!view.has_close_authority(), PolicyError::SourceDelegated);
    let Some((delegate, allowance)) = view.delegation() else { return Ok(view.amount()) };
    let is_charge = account.has_open_charge() && account.charge.delegate.as_ref() == delegate;
    require!(is_charge, PolicyError::SourceDelegated);
    Ok(view.amount().saturating_sub(allowance))
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
