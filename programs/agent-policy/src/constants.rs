//! Seeds and bounds of the program, with unit and origin of each number.
use anchor_lang::prelude::*;

/// First seed of an `AgentAccount`; then the creator's key and the 16-byte id.
#[constant]
pub const ACCOUNT_SEED: &[u8] = b"account";
/// First seed of a `Fleet`; then the creator's key and the 16-byte id.
#[constant]
pub const FLEET_SEED: &[u8] = b"fleet";
/// First seed of a `Policy`; then the address of the account or fleet.
#[constant]
pub const POLICY_SEED: &[u8] = b"policy";
/// First seed of a `PolicyDraft`; then the address of the account or fleet, the target version (u64 LE) and the `content_hash` of its lists.
#[constant]
pub const DRAFT_SEED: &[u8] = b"draft";

/// First seed of a `Session`; then the account's address and the nonce (u64 LE) that opening it used up.
#[constant]
pub const SESSION_SEED: &[u8] = b"session";

/// First seed of a `ChannelPurse`; then the account's address and the nonce (u64 LE) that funding it used up.
#[constant]
pub const CHANNEL_PURSE_SEED: &[u8] = b"channel_purse";

/// First seed of a session's escrow; then the session's address.
#[constant]
pub const ESCROW_SEED: &[u8] = b"escrow";

/// Discriminator of a closed account's tombstone. No other account has it, so the address cannot be used again.
#[constant]
pub const CLOSED_ACCOUNT_DISCRIMINATOR: &[u8] = &[0xff; 8];

/// Discriminator of a closed fleet's tombstone.
#[constant]
pub const CLOSED_FLEET_DISCRIMINATOR: &[u8] = &[0xfe; 8];

/// Layout version of new accounts, and the only one that is accepted.
pub const LAYOUT_VERSION: u8 = 3;

/// Value of a limit that is not set: no amount exceeds it.
pub const NO_LIMIT: u64 = u64::MAX;

/// Number of entries of a list that is not set: every entry is allowed.
pub const NO_LIST: u16 = u16::MAX;

/// Maximum number of counterparties in an account's policy.
#[constant]
pub const MAX_COUNTERPARTIES: u16 = 128;
/// Maximum number of counterparties in a fleet's policy.
#[constant]
pub const MAX_FLEET_COUNTERPARTIES: u16 = 1_024;
/// Maximum number of categories in a policy.
#[constant]
pub const MAX_CATEGORIES: u16 = 32;
/// Bytes of one list entry: a public key, or a zero-padded category.
pub const ENTRY_BYTES: usize = 32;

/// Seconds in one bucket of the spend window.
#[constant]
pub const BUCKET_SECONDS: u64 = 15 * 60;
/// Buckets of the spend window: 96 of 15 minutes are 24 hours, plus the current one, which is not complete.
pub const BUCKETS: usize = 97;

/// Seconds in one bucket of the month's window: a day.
pub const DAY_SECONDS: u64 = 24 * 60 * 60;
/// Buckets of the month's window: 30 days, plus the current one, which is not complete.
pub const MONTH_BUCKETS: usize = 31;

/// Nonces remembered up to, and accepted above, the highest used one.
#[constant]
pub const REPLAY_WINDOW: u64 = 1024;
/// 64-bit words of the nonce window.
pub const REPLAY_WORDS: usize = 16;

/// Seconds after which anyone may close a draft that was not committed.
#[constant]
pub const DRAFT_LIFETIME_SECONDS: i64 = 60 * 60;

/// Maximum number of open sessions of one account.
#[constant]
pub const MAX_OPEN_SESSIONS: u32 = 64;
/// Minimum duration of a session in seconds: a minute.
#[constant]
pub const MIN_SESSION_SECONDS: u32 = 60;
/// Maximum duration of a session in seconds: 30 days.
#[constant]
pub const MAX_SESSION_SECONDS: u32 = 30 * 24 * 60 * 60;
/// Maximum grace period of a session in seconds: a day.
#[constant]
pub const MAX_GRACE_SECONDS: u32 = 24 * 60 * 60;

/// Seconds after a session became owed during which the operator cannot write it off: 90 days.
#[constant]
pub const OWED_CLAIM_SECONDS: i64 = 90 * 24 * 60 * 60;

/// Maximum duration of a charge in seconds: an hour. A blockhash, with which its transfer could land, is valid for about a minute.
#[constant]
pub const MAX_CHARGE_SECONDS: u32 = 60 * 60;

/// Maximum duration of a channel purse in seconds: 8 days. A forced close needs the seller's grace period after the last use.
#[constant]
pub const MAX_CHANNEL_SECONDS: u32 = 8 * 24 * 60 * 60;

/// The native program that verifies ed25519 signatures. A transaction with an invalid one fails.
pub const ED25519_PROGRAM: Pubkey = pubkey!("Ed25519SigVerify111111111111111111111111111");
/// The sysvar that contains the running transaction's instructions.
pub const INSTRUCTIONS_SYSVAR: Pubkey = pubkey!("Sysvar1nstructions1111111111111111111111111");
