//! Transfers.
use anchor_lang::prelude::*;

/// A transfer was made.
#[event]
pub struct Transferred {
    /// The paying `AgentAccount`.
    pub account: Pubkey,
    /// The service's id of the transfer.
    pub transfer_id: [u8; 16],
    /// The nonce that it used up.
    pub seq: u64,
    /// Micro-USDC.
    pub amount: u64,
    /// The token account that was credited.
    pub destination: Pubkey,
    /// Version of the policy that allowed it.
    pub policy_version: u64,
    /// Category, zero-padded; all zeros if none was given.
    pub category: [u8; 32],
    /// HMAC of the memo; all zeros if none was given.
    pub memo_hash: [u8; 32],
    /// Whether the operator signed as well.
    pub approved: bool,
}
