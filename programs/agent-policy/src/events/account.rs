//! Accounts: keys, closing and rent.
use anchor_lang::prelude::*;

/// An account's authority was replaced.
#[event]
pub struct AuthorityRotated {
    /// The account.
    pub account: Pubkey,
    /// The new authority.
    pub authority: Pubkey,
}

/// An account's operator was replaced.
#[event]
pub struct OperatorChanged {
    /// The account.
    pub account: Pubkey,
    /// The new operator.
    pub operator: Pubkey,
}

/// An account was closed permanently.
#[event]
pub struct AccountClosed {
    /// The account.
    pub account: Pubkey,
    /// Micro-USDC that were left and moved to `destination`.
    pub swept: u64,
    /// The token account that was credited; the default key if nothing was left.
    pub destination: Pubkey,
}

/// Money that arrived at a closed account was transferred.
#[event]
pub struct AccountSwept {
    /// The closed account.
    pub account: Pubkey,
    /// Micro-USDC.
    pub amount: u64,
    /// The token account that was credited.
    pub destination: Pubkey,
}

/// Lamports above today's minimum went back to the creator.
#[event]
pub struct SurplusRentReturned {
    /// The account or the fleet.
    pub owner: Pubkey,
    /// Lamports, those of its policy among them.
    pub lamports: u64,
}
