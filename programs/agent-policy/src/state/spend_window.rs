//! The spend window: micro-USDC that left the account in the last 24 hours, in buckets of 15 minutes.
use anchor_lang::prelude::*;

use crate::{
    constants::{BUCKETS, BUCKET_SECONDS},
    errors::PolicyError,
};

/// A ring of 97 buckets. A bucket counts until all of it is older than 24 hours. So in any span of 24 hours, wherever it starts, at
/// most the limit leaves; amounts are released up to 15 minutes later than by an exact list.
#[zero_copy]
#[derive(PartialEq, Eq)]
pub struct SpendWindow {
    /// Micro-USDC per bucket; bucket `n` (unix seconds / 900) is at index `n % 97`.
    pub buckets: [u64; BUCKETS],
    /// Number of the newest bucket. It never decreases, so a clock that steps back releases nothing.
    pub newest: u64,
    /// Sum of all buckets in micro-USDC.
    pub spent: u64,
}

/// Why an amount does not fit.
#[derive(Debug, PartialEq, Eq)]
pub struct Exceeded {
    /// Micro-USDC that still fit now.
    pub remaining: u64,
    /// Unix seconds when the amount fits if nothing else is spent; None if it never fits.
    pub available_at: Option<i64>,
}

impl SpendWindow {
    /// Releases the buckets that are older than 24 hours at `now` (unix seconds).
    pub fn advance(&mut self, now: u64) {
        let bucket = (now / BUCKET_SECONDS).max(self.newest);
        if bucket - self.newest >= BUCKETS as u64 {
            self.buckets = [0; BUCKETS];
            self.spent = 0;
        } else {
            let mut slot = Self::slot(self.newest); // incremented, because a division per bucket would dominate the cost
            for _ in self.newest..bucket {
                slot = if slot == BUCKETS - 1 { 0 } else { slot + 1 };
                self.spent -= std::mem::take(&mut self.buckets[slot]);
            }
        }
        self.newest = bucket;
    }

    /// Returns the number of the oldest bucket that counts.
    pub fn oldest(&self) -> u64 {
        self.newest.saturating_sub(BUCKETS as u64 - 1)
    }

    /// Returns the index of bucket `number` in the ring.
    pub fn slot(number: u64) -> usize {
        (number % BUCKETS as u64) as usize
    }

    /// Returns the micro-USDC that `limit` still allows, with `reserved` micro-USDC held.
    pub fn remaining(&self, limit: u64, reserved: u64) -> u64 {
        limit.saturating_sub(self.spent).saturating_sub(reserved)
    }

    /// Checks that `amount` fits under `limit` with what is spent and `reserved`, all in micro-USDC. Errors with what still fits.
    pub fn check(&self, amount: u64, limit: u64, reserved: u64) -> std::result::Result<(), Exceeded> {
        let remaining = self.remaining(limit, reserved);
        if amount <= remaining {
            return Ok(());
        }
        Err(Exceeded { remaining, available_at: self.available_at(amount, limit, reserved) })
    }

    /// Adds `amount` (micro-USDC) to the newest bucket. Error: `Overflow`.
    pub fn record(&mut self, amount: u64) -> Result<()> {
        let slot = Self::slot(self.newest);
        self.spent = self.spent.checked_add(amount).ok_or(PolicyError::Overflow)?;
        self.buckets[slot] += amount; // at most `spent`
        Ok(())
    }

    /// Whether `spent` is the sum of all buckets.
    pub fn is_consistent(&self) -> bool {
        self.buckets.iter().fold(0, |sum: u64, bucket| sum.wrapping_add(*bucket)) == self.spent
    }

    /// Returns when enough of the oldest buckets are released for `amount` to fit.
    fn available_at(&self, amount: u64, limit: u64, reserved: u64) -> Option<i64> {
        let room = limit.checked_sub(reserved)?.checked_sub(amount)?;
        let mut left = self.spent;
        for bucket in self.oldest()..=self.newest {
            left -= self.buckets[Self::slot(bucket)];
            if left <= room {
                return i64::try_from((bucket + BUCKETS as u64) * BUCKET_SECONDS).ok();
            }
        }
        None
    }
}

#[cfg(test)]
mod tests;
