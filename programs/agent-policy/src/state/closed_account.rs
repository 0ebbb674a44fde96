//! What stays at the address of a closed account: enough to sweep money that arrives later, and nothing that could spend.
use anchor_lang::prelude::*;

use crate::constants::CLOSED_ACCOUNT_DISCRIMINATOR;

/// Lies at the address of the `AgentAccount` that was closed, so that the address never lives twice.
#[account(discriminator = CLOSED_ACCOUNT_DISCRIMINATOR)]
#[derive(InitSpace)]
pub struct ClosedAccount {
    /// May sweep; the operator when the account was closed.
    pub operator: Pubkey,
    /// Part of the address.
    pub creator: Pubkey,
    /// Part of the address.
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

    /// Whether an account of the program's is closed. Accounts closed by an earlier version hold the discriminator alone.
    pub fn is_at(info: &AccountInfo) -> Result<bool> {
        Ok(info.try_borrow_data()?.starts_with(CLOSED_ACCOUNT_DISCRIMINATOR))
    }
}
