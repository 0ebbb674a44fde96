//! Spend windows: micro-USDC that left in the last 24 hours, in buckets of 15 minutes, and in the last 30 days, in buckets of a day.
use anchor_lang::prelude::*;

use crate::{
    constants::{BUCKETS, BUCKET_SECONDS, DAY_SECONDS, MONTH_BUCKETS},
    errors::PolicyError,
};

/// What left in the last 24 hours: 97 buckets of 15 minutes. In any 24 hours at most the limit leaves; an amount is released between
/// 24 hours and 24 hours and 15 minutes after it left.
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

/// What left in the last 30 days: 31 buckets of a day. An amount is released between 30 and 31 days after it left.
#[zero_copy]
#[derive(PartialEq, Eq)]
pub struct MonthWindow {
    /// Micro-USDC per bucket; bucket `n` (unix seconds / 86,400) is at index `n % 31`.
    pub buckets: [u64; MONTH_BUCKETS],
    /// Number of the newest bucket. It never decreases.
    pub newest: u64,
    /// Sum of all buckets in micro-USDC.
    pub spent: u64,
}

impl Ring<BUCKETS> for SpendWindow {
    const SECONDS: u64 = BUCKET_SECONDS;

    fn parts(&self) -> (&[u64; BUCKETS], u64, u64) {
        (&self.buckets, self.newest, self.spent)
    }

    fn parts_mut(&mut self) -> (&mut [u64; BUCKETS], &mut u64, &mut u64) {
        (&mut self.buckets, &mut self.newest, &mut self.spent)
    }
}

impl Ring<MONTH_BUCKETS> for MonthWindow {
    const SECONDS: u64 = DAY_SECONDS;

    fn parts(&self) -> (&[u64; MONTH_BUCKETS], u64, u64) {
        (&self.buckets, self.newest, self.spent)
    }

    fn parts_mut(&mut self) -> (&mut [u64; MONTH_BUCKETS], &mut u64, &mut u64) {
        (&mut self.buckets, &mut self.newest, &mut self.spent)
    }
}

/// Why an amount does not fit.
#[derive(Debug, PartialEq, Eq)]
pub struct Exceeded {
    /// Micro-USDC that still fit now.
    pub remaining: u64,
    /// Unix seconds when the amount fits if nothing else is spent; None if it never fits.
    pub available_at: Option<i64>,
}

/// A ring of `N` buckets with a running sum: the current bucket, which is not complete, and the `N - 1` before it. A bucket counts until
/// all of it is older than `N - 1` buckets. So in any span as long, wherever it starts, at most the limit leaves; amounts are released
/// up to a bucket later than by an exact list.
pub trait Ring<const N: usize> {
    /// Seconds of a bucket.
    const SECONDS: u64;

    /// Returns the buckets, the number of the newest one and their sum.
    fn parts(&self) -> (&[u64; N], u64, u64);

    /// Returns the same to be changed.
    fn parts_mut(&mut self) -> (&mut [u64; N], &mut u64, &mut u64);

    /// Releases the buckets that no longer count at `now` (unix seconds).
    fn advance(&mut self, now: u64) {
        let (buckets, newest, spent) = self.parts_mut();
        let bucket = now / Self::SECONDS;
        if bucket <= *newest {
            return;
        }
        let passed = bucket - *newest;
        if *spent > 0 {
            if passed >= N as u64 {
                buckets.fill(0);
                *spent = 0;
            } else {
                // The ring's end cuts the released buckets into two slices, and the kept ones too.
                let (start, count) = (slot::<N>(*newest + 1), passed as usize);
                let (head, tail) = buckets.split_at_mut(start);
                let before_end = count.min(tail.len());
                let (released_tail, kept_tail) = tail.split_at_mut(before_end);
                let (released_head, kept_head) = head.split_at_mut(count - before_end);
                // The fewer buckets are added up.
                *spent = if count > N / 2 {
                    sum(kept_tail) + sum(kept_head)
                } else {
                    *spent - sum(released_tail) - sum(released_head)
                };
                released_tail.fill(0);
                released_head.fill(0);
            }
        }
        *newest = bucket;
    }

    /// Returns the number of the oldest bucket that counts.
    fn oldest(&self) -> u64 {
        self.parts().1.saturating_sub(N as u64 - 1)
    }

    /// Returns the micro-USDC of bucket `number`, which must count.
    fn bucket(&self, number: u64) -> u64 {
        self.parts().0[slot::<N>(number)]
    }

    /// Returns the micro-USDC that `limit` still allows, with `reserved` micro-USDC held.
    fn remaining(&self, limit: u64, reserved: u64) -> u64 {
        limit.saturating_sub(self.parts().2).saturating_sub(reserved)
    }

    /// Checks that `amount` fits under `limit` with what is spent and `reserved`, all in micro-USDC. Errors with what still fits.
    fn check(&self, amount: u64, limit: u64, reserved: u64) -> std::result::Result<(), Exceeded> {
        let remaining = self.remaining(limit, reserved);
        if amount <= remaining {
            return Ok(());
        }
        Err(Exceeded { remaining, available_at: self.available_at(amount, limit, reserved) })
    }

    /// Adds `amount` (micro-USDC) to the newest bucket. Error: `Overflow`.
    fn record(&mut self, amount: u64) -> Result<()> {
        let (buckets, newest, spent) = self.parts_mut();
        *spent = spent.checked_add(amount).ok_or(PolicyError::Overflow)?;
        buckets[slot::<N>(*newest)] += amount; // at most `spent`
        Ok(())
    }

    /// Whether the sum is that of all buckets.
    fn is_consistent(&self) -> bool {
        let (buckets, _, spent) = self.parts();
        sum(buckets) == spent
    }

    /// Whether the newest bucket, the only one to which an amount is added, is a part of the sum. With `advance` and `record`, which keep
    /// the sum, it takes the place of `is_consistent` where an instruction did nothing else; a test shows that it does.
    fn is_touched_bucket_consistent(&self) -> bool {
        let (buckets, newest, spent) = self.parts();
        buckets[slot::<N>(newest)] <= spent
    }

    /// Returns when enough of the oldest buckets are released for `amount` to fit.
    fn available_at(&self, amount: u64, limit: u64, reserved: u64) -> Option<i64> {
        let room = limit.checked_sub(reserved)?.checked_sub(amount)?;
        let (_, newest, mut left) = self.parts();
        for bucket in self.oldest()..=newest {
            left -= self.bucket(bucket);
            if left <= room {
                return i64::try_from((bucket + N as u64) * Self::SECONDS).ok();
            }
        }
        None
    }
}

/// Returns the index of bucket `number` in a ring of `N`.
fn slot<const N: usize>(number: u64) -> usize {
    (number % N as u64) as usize
}

/// Returns the sum of buckets, which are parts of one sum of 64 bits.
fn sum(buckets: &[u64]) -> u64 {
    buckets.iter().fold(0, |sum, bucket| sum.wrapping_add(*bucket))
}

#[cfg(test)]
mod tests;
