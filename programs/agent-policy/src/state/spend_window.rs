//! The rolling 24 hours: what has left the account, in buckets of 15 minutes.
use anchor_lang::prelude::*;

use crate::{
    constants::{BUCKETS, BUCKET_SECONDS},
    errors::PolicyError,
};

/// A ring of 97 buckets. A bucket counts until all of it is older than 24 hours, so that in any span of 24 hours,
/// wherever it starts, at most the limit leaves; money comes free up to 15 minutes later than an exact list would allow.
#[zero_copy]
#[derive(PartialEq, Eq)]
pub struct SpendWindow {
    /// Micro-USDC per bucket; bucket `n` (unix seconds / 900) lies at `n % 97`.
    pub buckets: [u64; BUCKETS],
    /// Number of the newest bucket seen. It never goes back, so a clock that does frees nothing.
    pub newest: u64,
    /// Sum of all buckets, micro-USDC.
    pub spent: u64,
}

/// Why an amount does not fit.
#[derive(Debug, PartialEq, Eq)]
pub struct Exceeded {
    /// Micro-USDC that would still fit now.
    pub remaining: u64,
    /// Unix seconds when the amount fits if nothing else is spent; none when it never does.
    pub available_at: Option<i64>,
}

impl SpendWindow {
    /// Let go of the buckets that are older than 24 hours at `now` (unix seconds).
    pub fn advance(&mut self, now: u64) {
        let bucket = (now / BUCKET_SECONDS).max(self.newest);
        if bucket - self.newest >= BUCKETS as u64 {
            self.buckets = [0; BUCKETS];
            self.spent = 0;
        } else {
            let mut slot = Self::slot(self.newest); // stepped on: a division a bucket is what would cost most
            for _ in self.newest..bucket {
                slot = if slot == BUCKETS - 1 { 0 } else { slot + 1 };
                self.spent -= std::mem::take(&mut self.buckets[slot]);
            }
        }
        self.newest = bucket;
    }

    /// Number of the oldest bucket that counts.
    pub fn oldest(&self) -> u64 {
        self.newest.saturating_sub(BUCKETS as u64 - 1)
    }

    /// Where bucket `number` lies in the ring.
    pub fn slot(number: u64) -> usize {
        (number % BUCKETS as u64) as usize
    }

    /// Micro-USDC that `limit` still allows in the newest bucket.
    pub fn remaining(&self, limit: u64, reserved: u64) -> u64 {
        limit.saturating_sub(self.spent).saturating_sub(reserved)
    }

    /// Whether `amount` fits under `limit` in the newest bucket, with what is spent and reserved.
    pub fn check(&self, amount: u64, limit: u64, reserved: u64) -> std::result::Result<(), Exceeded> {
        let remaining = self.remaining(limit, reserved);
        if amount <= remaining {
            return Ok(());
        }
        Err(Exceeded { remaining, available_at: self.available_at(amount, limit, reserved) })
    }

    /// Count `amount` in the newest bucket.
    pub fn book(&mut self, amount: u64) -> Result<()> {
        let slot = Self::slot(self.newest);
        self.spent = self.spent.checked_add(amount).ok_or(PolicyError::Overflow)?;
        self.buckets[slot] += amount; // at most `spent`
        Ok(())
    }

    /// When enough buckets have passed for `amount`: the oldest are let go one after another.
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
