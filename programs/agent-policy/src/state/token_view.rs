//! A classic SPL token account read in place: only the bytes that the rules need.
use anchor_lang::prelude::*;
use anchor_spl::token;

use super::AgentAccount;
use crate::errors::PolicyError;

/// Length of a token account; offsets below are those of `spl_token::state::Account::pack`.
const LENGTH: usize = 165;
const OWNER: usize = 32;
const AMOUNT: usize = 64;
const DELEGATE: usize = 72;
const DELEGATE_KEY: usize = 76;
const STATE: usize = 108;
const DELEGATED_AMOUNT: usize = 121;
const CLOSE_AUTHORITY: usize = 129;

/// `spl_token::state::AccountState`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenAccountState {
    /// May send and receive.
    Initialized,
    /// May do neither.
    Frozen,
}

/// The bytes of one token account.
pub struct TokenView<'a>(&'a [u8]);

impl<'a> TokenView<'a> {
    /// None unless `data`, owned by `program`, is an initialised token account of `mint`.
    pub fn read(data: &'a [u8], program: &Pubkey, mint: &Pubkey) -> Option<Self> {
        let is_ours = *program == token::ID
            && data.len() == LENGTH
            && data[..OWNER] == *mint.as_ref()
            && (data[STATE] == 1 || data[STATE] == 2);
        is_ours.then_some(Self(data))
    }

    /// Who may move the money.
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

    /// Whether it may send and receive.
    pub fn state(&self) -> TokenAccountState {
        if self.0[STATE] == 2 {
            TokenAccountState::Frozen
        } else {
            TokenAccountState::Initialized
        }
    }

    /// Who else may move money, and how much of it; none once the allowance is used up.
    pub fn delegation(&self) -> Option<(&'a [u8], u64)> {
        (self.0[DELEGATE..DELEGATE_KEY] != [0; 4])
            .then(|| (&self.0[DELEGATE_KEY..STATE], self.number(DELEGATED_AMOUNT)))
    }

    /// Whether somebody beside the owner may close it.
    pub fn has_close_authority(&self) -> bool {
        self.0[CLOSE_AUTHORITY..CLOSE_AUTHORITY + 4] != [0; 4]
    }
}

/// Micro-USDC in the account's own token account, less what an open charge may still take. Errors: `SourceFrozen`,
/// `SourceDelegated` (somebody but the open charge may move money).
pub fn spendable_balance(source: &AccountInfo, account: &AgentAccount) -> Result<u64> {
    let data = source.try_borrow_data()?;
    let view = TokenView::read(&data, source.owner, &account.mint).ok_or(PolicyError::WrongTokenAccount)?;
    require!(view.state() == TokenAccountState::Initialized, PolicyError::SourceFrozen);
    require!(!view.has_close_authority(), PolicyError::SourceDelegated);
    let Some((delegate, allowance)) = view.delegation() else { return Ok(view.amount()) };
    let is_charge = account.has_open_charge() && account.charge.delegate.as_ref() == delegate;
    require!(is_charge, PolicyError::SourceDelegated);
    Ok(view.amount().saturating_sub(allowance))
}
