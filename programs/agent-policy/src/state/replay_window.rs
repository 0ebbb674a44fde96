//! The nonce window: which nonces (sequence numbers) are used. Each is used at most once, ever.
use anchor_lang::prelude::*;

use crate::{
    constants::{REPLAY_WINDOW, REPLAY_WORDS},
    errors::PolicyError,
};

/// One bit for each of the 1,024 nonces up to the highest used one. Nonces start at 1.
#[zero_copy]
#[derive(PartialEq, Eq)]
pub struct ReplayWindow {
    /// Highest used nonce; 0 before the first.
    pub highest: u64,
    /// Bit `n % 1024` is set if `n` is used, for the 1,024 nonces up to `highest`.
    pub bits: [u64; REPLAY_WORDS],
}

impl ReplayWindow {
    /// Checks that `seq` can be used. Errors: `AlreadyExecuted`, `SeqTooOld` (at or below `highest - 1024`), `SeqTooFar` (above
    /// `highest + 1024`).
    pub fn check(&self, seq: u64) -> Result<()> {
        if seq > self.highest {
            require!(seq - self.highest <= REPLAY_WINDOW, PolicyError::SeqTooFar);
        } else {
            require!(seq > 0 && self.highest - seq < REPLAY_WINDOW, PolicyError::SeqTooOld);
            require!(!self.is_used(seq), PolicyError::AlreadyExecuted);
        }
        Ok(())
    }

    /// Uses up `seq`. Errors: those of `check`.
    pub fn spend(&mut self, seq: u64) -> Result<()> {
        self.check(seq)?;
        if seq > self.highest {
            self.clear(self.highest + 1, seq);
            self.highest = seq;
        }
        let (word, bit) = Self::position(seq);
        self.bits[word] |= bit;
        Ok(())
    }

    /// Whether the highest nonce is marked as used.
    pub fn is_consistent(&self) -> bool {
        self.highest == 0 || self.is_used(self.highest)
    }

    fn is_used(&self, seq: u64) -> bool {
        let (word, bit) = Self::position(seq);
        self.bits[word] & bit != 0
    }

    /// Clears the bits of `first..=last`, which held older nonces, one word at a time.
    fn clear(&mut self, first: u64, last: u64) {
        let mut next = first;
        while next <= last {
            let offset = next % 64;
            let count = (64 - offset).min(last - next + 1);
            let mask = if count == 64 { u64::MAX } else { ((1 << count) - 1) << offset };
            self.bits[Self::position(next).0] &= !mask;
            next += count;
        }
    }

    fn position(seq: u64) -> (usize, u64) {
        (((seq % REPLAY_WINDOW) / 64) as usize, 1 << (seq % 64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn window() -> ReplayWindow {
        bytemuck::Zeroable::zeroed()
    }

    fn error_name(result: Result<()>) -> String {
        match result.unwrap_err() {
            Error::AnchorError(error) => error.error_name,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn spend_rejects_a_used_nonce() {
        let mut window = window();
        window.spend(1).unwrap();
        assert_eq!(error_name(window.spend(1)), "AlreadyExecuted");
    }

    #[test]
    fn spend_rejects_nonce_zero() {
        assert_eq!(error_name(window().spend(0)), "SeqTooOld");
    }

    #[test]
    fn spend_rejects_a_nonce_more_than_1024_above_the_highest() {
        let mut window = window();
        assert_eq!(error_name(window.spend(1025)), "SeqTooFar");
        window.spend(1024).unwrap();
        window.spend(1).unwrap();
        assert_eq!(error_name(window.spend(1)), "AlreadyExecuted");
        assert_eq!(error_name(window.spend(2049)), "SeqTooFar");
    }

    #[test]
    fn spend_rejects_a_nonce_below_the_window() {
        let mut window = window();
        window.spend(1024).unwrap();
        window.spend(1025).unwrap();
        assert_eq!(error_name(window.spend(1)), "SeqTooOld");
        window.spend(2).unwrap();
    }

    #[test]
    fn spend_agrees_with_a_set_of_all_used_nonces_over_a_million_random_steps() {
        use rand::{rngs::StdRng, Rng, SeedableRng};
        let mut random = StdRng::seed_from_u64(7);
        let (mut window, mut used, mut highest) = (window(), HashSet::new(), 0u64);
        for _ in 0..1_000_000 {
            let reach = if random.random_bool(0.01) { 1_100 } else { 40 };
            let seq = (highest + reach).saturating_sub(random.random_range(0..reach + 1_100));
            let expected = match seq {
                s if s > highest + 1_024 => Some("SeqTooFar"),
                s if s == 0 || s + 1_024 <= highest => Some("SeqTooOld"),
                s if used.contains(&s) => Some("AlreadyExecuted"),
                _ => None,
            };
            match expected {
                Some(name) => assert_eq!(error_name(window.spend(seq)), name, "seq {seq}, highest {highest}"),
                None => {
                    window.spend(seq).unwrap();
                    used.insert(seq);
                    highest = highest.max(seq);
                    assert!(window.is_consistent(), "seq {seq}");
                }
            }
        }
    }
}
