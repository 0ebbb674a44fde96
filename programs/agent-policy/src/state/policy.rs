//! The spending policy: a fixed header, then the two lists, read in place.
use anchor_lang::prelude::*;

use crate::{constants::ENTRY_BYTES, errors::PolicyError};

/// One list entry: a public key, or a category's name padded with zeros.
pub type Entry = [u8; 32];
/// The same as it lies in the account, at a multiple of eight bytes: a list is searched several times as fast by words.
pub type EntryWords = [u64; 4];

/// An entry, or a key, to be looked for in a list; 32 bytes.
pub fn words(entry: &[u8]) -> EntryWords {
    bytemuck::pod_read_unaligned(entry)
}

/// PDA `["policy", account]`. Behind the header lie `counterparty_count` and then `category_count` entries of 32 bytes.
#[account(zero_copy)]
pub struct Policy {
    /// Layout of this account.
    pub layout_version: u8,
    /// Bump of its own address.
    pub bump: u8,
    /// All spending is stopped.
    pub paused: u8,
    /// A transfer needs a memo.
    pub require_memo: u8,
    /// Whether only listed counterparties may be paid.
    pub has_allowed_counterparties: u8,
    /// Whether only listed categories may be paid.
    pub has_categories: u8,
    /// Entries in the first list, at most 128.
    pub counterparty_count: u8,
    /// Entries in the second list, at most 32.
    pub category_count: u8,
    /// The account that it binds.
    pub account: Pubkey,
    /// Counts the changes, from 1.
    pub version: u64,
    /// Unix seconds of the last change, by the chain's clock.
    pub updated_at: i64,
    /// Most micro-USDC in one transfer or charge; `u64::MAX` for no limit.
    pub max_single_transfer: u64,
    /// Most micro-USDC in any 24 hours; `u64::MAX` for no limit.
    pub max_daily_spend: u64,
    /// From this many micro-USDC on the operator must sign; `u64::MAX` for never.
    pub escalation_threshold: u64,
    /// Most micro-USDC of one session's cap, or of one purse; counts only where `has_max_session_cap` is 1.
    pub max_session_cap: u64,
    /// 1 where `max_session_cap` is set. Policies from before the field have 0.
    pub has_max_session_cap: u8,
    /// Alignment.
    pub padding: [u8; 7],
    /// Room for later fields; zero until then.
    pub unused: [u8; 48],
}

impl Policy {
    /// Bytes before the lists, discriminator included.
    pub const HEADER: usize = 8 + std::mem::size_of::<Self>();

    /// Most micro-USDC of one session's cap; none where it is not limited.
    pub fn max_session_cap(&self) -> Option<u64> {
        (self.has_max_session_cap != 0).then_some(self.max_session_cap)
    }

    /// Bytes on chain with so many list entries.
    pub fn space(entries: usize) -> usize {
        Self::HEADER + entries * ENTRY_BYTES
    }
}

/// A policy's lists, borrowed from the account's bytes.
pub struct PolicyLists<'a> {
    /// None allows all, an empty list none.
    pub allowed_counterparties: Option<&'a [EntryWords]>,
    /// None allows all, an empty list none.
    pub categories: Option<&'a [EntryWords]>,
}

impl<'a> PolicyLists<'a> {
    /// The lists behind `header` in `data`, the whole bytes of its account.
    pub fn read(header: &Policy, data: &'a [u8]) -> Result<Self> {
        let entries: &[EntryWords] = bytemuck::try_cast_slice(&data[Policy::HEADER..])
            .map_err(|_| error!(ErrorCode::AccountDidNotDeserialize))?;
        let (counterparties, categories) = entries
            .split_at_checked(header.counterparty_count.into())
            .filter(|(_, categories)| categories.len() == usize::from(header.category_count))
            .ok_or(PolicyError::WrongPolicy)?;
        Ok(Self {
            allowed_counterparties: (header.has_allowed_counterparties != 0).then_some(counterparties),
            categories: (header.has_categories != 0).then_some(categories),
        })
    }
}
