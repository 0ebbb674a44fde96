//! Bounds and seeds of the program. Each number says where it comes from.
use anchor_lang::prelude::*;

/// First seed of an `AgentAccount`; then the creator's key and the 16-byte id.
#[constant]
pub const ACCOUNT_SEED: &[u8] = b"account";
/// First seed of a `Policy`; then the account's address.
#[constant]
pub const POLICY_SEED: &[u8] = b"policy";
/// First seed of a `PolicyDraft`; then the account's address, the target version (u64 LE) and the content's SHA-256.
#[constant]
pub const DRAFT_SEED: &[u8] = b"draft";

/// First seed of a `Session`; then the account's address and the sequence number (u64 LE) that opened it.
#[constant]
pub const SESSION_SEED: &[u8] = b"session";

/// First seed of a session's escrow; then the session's address.
#[constant]
pub const ESCROW_SEED: &[u8] = b"escrow";

/// Discriminator of a closed account. No other account has it, so the address cannot be used for anything else.
#[constant]
pub const CLOSED_ACCOUNT_DISCRIMINATOR: &[u8] = &[0xff; 8];

/// Layout version written into new accounts, and the only one that is read.
pub const LAYOUT_VERSION: u8 = 1;

/// "No limit" for an amount: no sum of money can exceed it.
pub const NO_LIMIT: u64 = u64::MAX;

/// Most counterparties a policy lists.
#[constant]
pub const MAX_COUNTERPARTIES: u16 = 128;
/// Most categories a policy lists.
#[constant]
pub const MAX_CATEGORIES: u16 = 32;
/// Bytes of one list entry: a public key, or a category's name padded with zeros.
pub const ENTRY_BYTES: usize = 32;

/// Length of one bucket of the spend window, in seconds.
#[constant]
pub const BUCKET_SECONDS: u64 = 15 * 60;
/// Buckets that count: 96 of 15 minutes make 24 hours, and the current one is only partly over, hence 97.
pub const BUCKETS: usize = 97;

/// Sequence numbers remembered below (and accepted above) the highest spent one.
#[constant]
pub const REPLAY_WINDOW: u64 = 1024;
/// The same, in words of 64 bits.
pub const REPLAY_WORDS: usize = 16;

/// After this many seconds anybody may close a draft that was never committed.
#[constant]
pub const DRAFT_LIFETIME_SECONDS: i64 = 60 * 60;

/// Most sessions that one account has open.
#[constant]
pub const MAX_OPEN_SESSIONS: u32 = 64;
/// A session is open for at least and at most so many seconds: a minute, thirty days.
#[constant]
pub const MIN_SESSION_SECONDS: u32 = 60;
#[constant]
pub const MAX_SESSION_SECONDS: u32 = 30 * 24 * 60 * 60;
/// Longest grace period of a session, in seconds: a day.
#[constant]
pub const MAX_GRACE_SECONDS: u32 = 24 * 60 * 60;

/// So long after a session became owed its payee has a claim; then the operator may write it off: 90 days.
#[constant]
pub const OWED_CLAIM_SECONDS: i64 = 90 * 24 * 60 * 60;

/// A charge may be used for at most so many seconds; a blockhash that it could land with lives about a minute.
#[constant]
pub const MAX_CHARGE_SECONDS: u32 = 60 * 60;

/// The native program whose instructions the runtime verifies before any other runs.
pub const ED25519_PROGRAM: Pubkey = pubkey!("Ed25519SigVerify111111111111111111111111111");
/// The account in which a transaction's own instructions are read.
pub const INSTRUCTIONS_SYSVAR: Pubkey = pubkey!("Sysvar1nstructions1111111111111111111111111");
