//! Tombstone of a closed account: what is needed to sweep money that arrives later.
use anchor_lang::prelude::*;

use crate::constants::CLOSED_ACCOUNT_DISCRIMINATOR;

/// Replaces the closed `AgentAccount` at its address, so that no account is created there again.
#[account(discriminator = CLOSED_ACCOUNT_DISCRIMINATOR)]
#[derive(InitSpace)]
pub struct ClosedAccount {
    /// The key that may sweep: the operator at the time of closing.
    pub operator: Pubkey,
    /// Creator of the account; part of the address.
    pub creator: Pubkey,
    /// Id that the creator chose; part of the address.
    pub id: [u8; 16],
    /// Bump of the address.
    pub bump: u8,
    /// The mint of the account.
    pub mint: Pubkey,
    /// Decimals of the mint.
    pub mint_decimals: u8,
}

impl ClosedAccount {
    /// Bytes on chain, discriminator included.
    pub const SPACE: usize = 8 + Self::INIT_SPACE;

    /// Whether an account of this program is a tombstone. Tombstones written by an earlier version hold only the discriminator.
    pub fn is_at(info: &AccountInfo) -> Result<bool> {
        Ok(info.try_borrow_data()?.starts_with(CLOSED_ACCOUNT_DISCRIMINATOR))
    }
}
