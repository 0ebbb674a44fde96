//! Channel purses: funding, sweeping and end.
use anchor_lang::prelude::*;

/// A channel purse was funded; the amount is reserved.
#[event]
pub struct ChannelFunded {
    /// The paying `AgentAccount`.
    pub account: Pubkey,
    /// The purse's address.
    pub purse: Pubkey,
    /// The service's id of the purse.
    pub purse_id: [u8; 16],
    /// The nonce that it used up.
    pub seq: u64,
    /// Micro-USDC moved to the key.
    pub amount: u64,
    /// The purse's one-time key.
    pub key: Pubkey,
    /// The key's token account, which was credited.
    pub key_token_account: Pubkey,
    /// Category, zero-padded; all zeros if none was given.
    pub category: [u8; 32],
    /// Unix seconds from which on anyone may sweep and finish it.
    pub deadline: i64,
    /// Version of the policy that allowed it.
    pub policy_version: u64,
    /// Whether the operator signed as well.
    pub approved: bool,
}

/// Money of a channel purse moved home.
#[event]
pub struct ChannelSwept {
    /// The `AgentAccount`, whose token account was credited.
    pub account: Pubkey,
    /// The purse's address.
    pub purse: Pubkey,
    /// The service's id of the purse.
    pub purse_id: [u8; 16],
    /// Micro-USDC moved now.
    pub amount: u64,
    /// Micro-USDC moved home since it was funded.
    pub swept: u64,
}

/// A channel purse was finished: nothing is reserved for it any more.
#[event]
pub struct ChannelFinished {
    /// The paying `AgentAccount`.
    pub account: Pubkey,
    /// The purse's address.
    pub purse: Pubkey,
    /// The service's id of the purse.
    pub purse_id: [u8; 16],
    /// The nonce that the funding used up.
    pub seq: u64,
    /// Micro-USDC funded.
    pub amount: u64,
    /// Micro-USDC that did not come home; they count as spent.
    pub spent: u64,
}

/// A channel purse was closed.
#[event]
pub struct ChannelClosed {
    /// The `AgentAccount`.
    pub account: Pubkey,
    /// The purse's address.
    pub purse: Pubkey,
    /// The service's id of the purse.
    pub purse_id: [u8; 16],
    /// Micro-USDC moved home since it was funded.
    pub swept: u64,
}
