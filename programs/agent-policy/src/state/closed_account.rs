//! Tombstone of a closed account: what is needed to sweep money that arrives later.
use anchor_lang::prelude::*;

use crate::constants::CLOSED_ACCOUNT_DISCRIMINATOR;

/// Replaces the closed `AgentAccount` at its address, so that no account is created there again. The creator and the id, which the seeds
/// of the address need, are not kept: who sweeps names them.
#[account(discriminator = CLOSED_ACCOUNT_DISCRIMINATOR)]
#[derive(InitSpace)]
pub struct ClosedAccount {
    /// The operator or the fleet at the time of closing, whose operator may sweep.
    pub controller: Pubkey,
}

impl ClosedAccount {
    /// Bytes on chain, discriminator included.
    pub const SPACE: usize = 8 + Self::INIT_SPACE;

    /// Whether an account of this program is a tombstone.
    pub fn is_at(info: &AccountInfo) -> Result<bool> {
        Ok(info.try_borrow_data()?.starts_with(CLOSED_ACCOUNT_DISCRIMINATOR))
    }
}
