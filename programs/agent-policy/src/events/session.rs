//! Sessions: opening, topping up, settling and closing.
use anchor_lang::prelude::*;

/// A session was opened: its cap moved into escrow.
#[event]
pub struct SessionOpened {
    /// The paying `AgentAccount`.
    pub account: Pubkey,
    /// The session's address.
    pub session: Pubkey,
    /// The service's id of the session.
    pub session_id: [u8; 16],
    /// The nonce that it used up.
    pub seq: u64,
    /// Micro-USDC that moved into escrow.
    pub cap: u64,
    /// Owner of the token account that is paid.
    pub payee: Pubkey,
    /// The token account that is paid.
    pub payee_token_account: Pubkey,
    /// The key that signs vouchers.
    pub voucher_key: Pubkey,
    /// SHA-256 of the provider's origin.
    pub provider_hash: [u8; 32],
    /// Category, zero-padded; all zeros if none was given.
    pub category: [u8; 32],
    /// Time of opening, unix seconds.
    pub opened_at: i64,
    /// Time of expiry, unix seconds.
    pub expires_at: i64,
    /// Grace period in seconds.
    pub grace_seconds: u32,
    /// Version of the policy that allowed it.
    pub policy_version: u64,
    /// Whether the operator signed as well.
    pub approved: bool,
}

/// A session's cap was raised.
#[event]
pub struct SessionToppedUp {
    /// The paying `AgentAccount`.
    pub account: Pubkey,
    /// The session's address.
    pub session: Pubkey,
    /// The service's id of the session.
    pub session_id: [u8; 16],
    /// The service's id of the top-up.
    pub top_up_id: [u8; 16],
    /// The nonce that it used up.
    pub seq: u64,
    /// Micro-USDC added.
    pub amount: u64,
    /// The new cap in micro-USDC.
    pub cap: u64,
    /// Version of the policy that allowed it.
    pub policy_version: u64,
    /// Whether the operator signed as well.
    pub approved: bool,
}

/// A session was settled: the proven amount was paid if the payee could receive.
#[event]
pub struct SessionSettled {
    /// The paying `AgentAccount`.
    pub account: Pubkey,
    /// The session's address.
    pub session: Pubkey,
    /// The service's id of the session.
    pub session_id: [u8; 16],
    /// Micro-USDC paid now; 0 if nothing was newly proven or the payee cannot receive.
    pub amount: u64,
    /// Micro-USDC paid so far.
    pub settled: u64,
    /// Micro-USDC of the highest voucher proven so far.
    pub proven: u64,
    /// The session's cap in micro-USDC.
    pub cap: u64,
    /// The session's `SessionStatus`.
    pub status: u8,
}

/// A session's grace period started: until `ends_at` higher vouchers can be settled.
#[event]
pub struct SessionClosing {
    /// The paying `AgentAccount`.
    pub account: Pubkey,
    /// The session's address.
    pub session: Pubkey,
    /// The service's id of the session.
    pub session_id: [u8; 16],
    /// Micro-USDC paid to the payee now.
    pub amount: u64,
    /// Micro-USDC paid so far.
    pub settled: u64,
    /// Micro-USDC of the highest voucher proven so far.
    pub proven: u64,
    /// End of the grace period in unix seconds, from which on anyone may close the session.
    pub ends_at: i64,
}

/// A session was closed: `settled + returned` is its cap.
#[event]
pub struct SessionClosed {
    /// The paying `AgentAccount`.
    pub account: Pubkey,
    /// The session's address.
    pub session: Pubkey,
    /// The service's id of the session.
    pub session_id: [u8; 16],
    /// Micro-USDC paid to the payee now.
    pub amount: u64,
    /// Micro-USDC that belong to the payee, `owed` included.
    pub settled: u64,
    /// Micro-USDC of the cap that belong to the account again.
    pub returned: u64,
    /// Micro-USDC of `settled` that the payee cannot receive yet; they stay in escrow.
    pub owed: u64,
    /// Micro-USDC of `returned` that moved to the account's token account now; 0 if they moved when the session became owed.
    pub refunded: u64,
    /// Micro-USDC that others had sent to the escrow; they moved to the account's token account too.
    pub dust: u64,
}

/// The operator wrote off what a session owed to a payee that could not receive it for 90 days.
#[event]
pub struct SessionWrittenOff {
    /// The paying `AgentAccount`.
    pub account: Pubkey,
    /// The session's address.
    pub session: Pubkey,
    /// The service's id of the session.
    pub session_id: [u8; 16],
    /// Micro-USDC that were owed and moved to the account's token account.
    pub amount: u64,
}
