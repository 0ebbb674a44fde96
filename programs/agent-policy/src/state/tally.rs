//! What left and what may still leave without another check: of one account, or of all members of a fleet.
use anchor_lang::prelude::*;

use super::{Exceeded, MonthWindow, Ring, SpendWindow};
use crate::{constants::NO_LIMIT, errors::PolicyError};

/// The windows and sums against which spending is judged. What left in 24 hours is a part of what left in 30 days, so only the sum of a
/// month and what is reserved can overflow: `check` prevents it. `lifetime` stops at `u64::MAX` instead, so that nobody can end an
/// account's spending by turning its money over.
#[zero_copy]
#[derive(PartialEq, Eq)]
pub struct Tally {
    /// Micro-USDC that open sessions and charges may still pay out; counts against each limit.
    pub reserved: u64,
    /// Micro-USDC that ever left, at most `u64::MAX`. Never falls.
    pub lifetime: u64,
    /// Micro-USDC that left in the last 24 hours.
    pub window: SpendWindow,
    /// Micro-USDC that left in the last 30 days.
    pub month: MonthWindow,
}

/// Limits of a tally in micro-USDC; `u64::MAX` for no limit.
#[derive(Clone, Copy)]
pub struct SpendLimits {
    /// Maximum in any 24 hours.
    pub max_daily_spend: u64,
    /// Maximum in any 30 days.
    pub max_monthly_spend: u64,
    /// Maximum ever.
    pub max_lifetime_spend: u64,
}

impl SpendLimits {
    /// No limits, but those of 64 bits.
    pub const NONE: Self =
        Self { max_daily_spend: NO_LIMIT, max_monthly_spend: NO_LIMIT, max_lifetime_spend: NO_LIMIT };
}

/// A limit that an amount exceeds.
pub struct ExceededLimit {
    /// `MaxDailySpend`, `MaxMonthlySpend` or `MaxLifetimeSpend`.
    pub rule: PolicyError,
    /// The limit in micro-USDC.
    pub limit: u64,
    /// What still fits, and when the amount does.
    pub exceeded: Exceeded,
}

impl Tally {
    /// Releases what no longer counts at `now` (unix seconds).
    pub fn advance(&mut self, now: u64) {
        self.window.advance(now);
        self.month.advance(now);
    }

    /// Checks that `amount` micro-USDC fit under each limit. Without a limit they must fit into 64 bits: then no release ever fails.
    pub fn check(&self, amount: u64, limits: &SpendLimits) -> std::result::Result<(), ExceededLimit> {
        let by = |rule, limit, exceeded| ExceededLimit { rule, limit, exceeded };
        let (daily, monthly, lifetime) = (limits.max_daily_spend, limits.max_monthly_spend, limits.max_lifetime_spend);
        self.window
            .check(amount, daily, self.reserved)
            .map_err(|exceeded| by(PolicyError::MaxDailySpend, daily, exceeded))?;
        self.month
            .check(amount, monthly, self.reserved)
            .map_err(|exceeded| by(PolicyError::MaxMonthlySpend, monthly, exceeded))?;
        let remaining = lifetime.saturating_sub(self.lifetime).saturating_sub(self.reserved);
        if lifetime != NO_LIMIT && amount > remaining {
            let exceeded = Exceeded { remaining, available_at: None };
            return Err(by(PolicyError::MaxLifetimeSpend, lifetime, exceeded));
        }
        Ok(())
    }

    /// Counts `amount` micro-USDC as left. Error: `Overflow`.
    pub fn record(&mut self, amount: u64) -> Result<()> {
        self.lifetime = self.lifetime.saturating_add(amount);
        self.window.record(amount)?;
        self.month.record(amount)
    }

    /// Reserves `amount` (micro-USDC), which may leave at any time from now on. Error: `Overflow`.
    pub fn reserve(&mut self, amount: u64) -> Result<()> {
        self.reserved = self.reserved.checked_add(amount).ok_or(PolicyError::Overflow)?;
        Ok(())
    }

    /// Releases `held` reserved micro-USDC, of which `spent` are counted as left at `now` (unix seconds). Error: `Overflow`.
    pub fn release(&mut self, held: u64, spent: u64, now: u64) -> Result<()> {
        self.reserved = self.reserved.checked_sub(held).ok_or(PolicyError::Overflow)?;
        self.advance(now);
        self.record(spent)
    }

    /// Micro-USDC that left in 24 hours and that are reserved; what `approval_above_daily_sum` compares, with the amount.
    pub fn daily_sum(&self) -> u64 {
        self.window.spent.saturating_add(self.reserved)
    }

    /// Whether the sums and the buckets that the last instruction may have changed fit together.
    pub fn is_plausible(&self) -> bool {
        self.window.spent <= self.month.spent
            && self.month.spent <= self.lifetime
            && self.month.spent.checked_add(self.reserved).is_some()
            && self.window.is_touched_bucket_consistent()
            && self.month.is_touched_bucket_consistent()
    }

    /// Whether every sum is that of its buckets, too.
    pub fn is_consistent(&self) -> bool {
        self.is_plausible() && self.window.is_consistent() && self.month.is_consistent()
    }
}
