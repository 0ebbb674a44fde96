//! The spending policy: a fixed header, followed by two lists that are read in place.
use anchor_lang::prelude::*;

use super::SpendLimits;
use crate::{
    constants::{ENTRY_BYTES, LAYOUT_VERSION, NO_LIMIT, NO_LIST},
    errors::PolicyError,
};

/// One list entry: a public key, or a category's name padded with zeros.
pub type Entry = [u8; 32];
/// An entry as four words. Entries are aligned to eight bytes in the account, and searching a list by words is several times faster.
pub type EntryWords = [u64; 4];

/// Returns an entry or key of 32 bytes as words.
pub fn words(entry: &[u8]) -> EntryWords {
    bytemuck::pod_read_unaligned(entry)
}

/// PDA `["policy", owner]`. The counterparties, in ascending order of their words, and then the categories follow the header, 32 bytes
/// each. There may be room behind them: what `grow_policy` made before the change that needs it.
#[account(zero_copy)]
pub struct Policy {
    /// Layout version, `LAYOUT_VERSION`.
    pub layout_version: u8,
    /// Bump of its address.
    pub bump: u8,
    /// 1 if all spending is stopped.
    pub paused: u8,
    /// 1 if a transfer needs a memo.
    pub require_memo: u8,
    /// Number of allowed counterparties, at most 128, of a fleet 1,024; `u16::MAX` if every one may be paid.
    pub counterparty_count: u16,
    /// Number of categories, at most 32; `u16::MAX` if every one may be used.
    pub category_count: u16,
    /// The `AgentAccount` or the `Fleet` it applies to.
    pub owner: Pubkey,
    /// Number of the version; 1 at creation, one more with every change.
    pub version: u64,
    /// Time of the last change, unix seconds by the chain's clock.
    pub updated_at: i64,
    /// Maximum of one transfer or charge, micro-USDC; `u64::MAX` for no limit.
    pub max_single_transfer: u64,
    /// Maximum in any 24 hours, micro-USDC; `u64::MAX` for no limit.
    pub max_daily_spend: u64,
    /// Maximum in any 30 days, micro-USDC; `u64::MAX` for no limit.
    pub max_monthly_spend: u64,
    /// Maximum since the account was created, micro-USDC; `u64::MAX` for no limit.
    pub max_lifetime_spend: u64,
    /// Maximum of one session's cap or one purse, micro-USDC; `u64::MAX` for no limit.
    pub max_session_cap: u64,
    /// Amount from which on the operator must sign, micro-USDC; `u64::MAX` for never.
    pub escalation_threshold: u64,
    /// What may leave in 24 hours, with what is reserved, before the operator must sign, micro-USDC; `u64::MAX` for any amount.
    pub approval_above_daily_sum: u64,
    /// Time from which on nothing is spent, unix seconds; `u64::MAX` for never.
    pub valid_until: u64,
}

impl Policy {
    /// Bytes before the lists, discriminator included.
    pub const HEADER: usize = 8 + std::mem::size_of::<Self>();

    /// A policy without limits, in its first version.
    pub fn without_limits(owner: Pubkey, bump: u8, now: i64) -> Self {
        Self {
            layout_version: LAYOUT_VERSION,
            bump,
            owner,
            version: 1,
            updated_at: now,
            counterparty_count: NO_LIST,
            category_count: NO_LIST,
            max_single_transfer: NO_LIMIT,
            max_daily_spend: NO_LIMIT,
            max_monthly_spend: NO_LIMIT,
            max_lifetime_spend: NO_LIMIT,
            max_session_cap: NO_LIMIT,
            escalation_threshold: NO_LIMIT,
            approval_above_daily_sum: NO_LIMIT,
            valid_until: NO_LIMIT,
            ..bytemuck::Zeroable::zeroed()
        }
    }

    /// Its limits of what leaves in a time.
    pub fn limits(&self) -> SpendLimits {
        SpendLimits {
            max_daily_spend: self.max_daily_spend,
            max_monthly_spend: self.max_monthly_spend,
            max_lifetime_spend: self.max_lifetime_spend,
        }
    }

    /// Writes this policy, discriminator included, at the start of an account of this program.
    pub fn store(&self, info: &AccountInfo) -> Result<()> {
        let mut data = info.try_borrow_mut_data()?;
        data[..8].copy_from_slice(Self::DISCRIMINATOR);
        data[8..Self::HEADER].copy_from_slice(bytemuck::bytes_of(self));
        Ok(())
    }

    /// Numbers of list entries on chain: of counterparties and of categories.
    pub fn entries(&self) -> (usize, usize) {
        (entries_of(self.counterparty_count), entries_of(self.category_count))
    }

    /// Bytes on chain of a policy with `entries` list entries.
    pub fn space(entries: usize) -> usize {
        Self::HEADER + entries * ENTRY_BYTES
    }
}

/// Entries on chain of a list with this count.
fn entries_of(count: u16) -> usize {
    if count == NO_LIST {
        return 0;
    }
    count.into()
}

/// A policy's lists, borrowed from the account's bytes.
pub struct PolicyLists<'a> {
    /// In ascending order. None allows every counterparty, an empty list allows none.
    pub allowed_counterparties: Option<&'a [EntryWords]>,
    /// None allows every category, an empty list allows none.
    pub categories: Option<&'a [EntryWords]>,
}

impl<'a> PolicyLists<'a> {
    /// Reads the lists that follow `header` in `data`, the whole account. Errors: `AccountDidNotDeserialize`, `WrongPolicy`.
    pub fn read(header: &Policy, data: &'a [u8]) -> Result<Self> {
        let entries: &[EntryWords] = bytemuck::try_cast_slice(&data[Policy::HEADER..])
            .map_err(|_| error!(ErrorCode::AccountDidNotDeserialize))?;
        let (counterparties, categories) = header.entries();
        let split = entries.split_at_checked(counterparties);
        let (allowed_counterparties, others) = split.ok_or(PolicyError::WrongPolicy)?;
        let categories = others.get(..categories).ok_or(PolicyError::WrongPolicy)?;
        Ok(Self {
            allowed_counterparties: (header.counterparty_count != NO_LIST).then_some(allowed_counterparties),
            categories: (header.category_count != NO_LIST).then_some(categories),
        })
    }
}
