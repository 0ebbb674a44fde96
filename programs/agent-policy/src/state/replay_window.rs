//! Which sequence numbers are spent: each once, for ever.
use anchor_lang::prelude::*;

use crate::{
    constants::{REPLAY_WINDOW, REPLAY_WORDS},
    errors::PolicyError,
};

/// The 1,024 numbers up to the highest spent one, a bit each. Numbers start at 1.
#[zero_copy]
#[derive(PartialEq, Eq)]
pub struct ReplayWindow {
    /// Highest number spent; 0 before the first.
    pub highest: u64,
    /// Bit `n % 1024` says whether `n` is spent, for the 1,024 numbers up to `highest`.
    pub bits: [u64; REPLAY_WORDS],
}

impl ReplayWindow {
    /// Spend `seq`. Errors: `AlreadyExecuted`, `SeqTooOld` (at or below `highest - 1024`), `SeqTooFar` (above `highest + 1024`).
    pub fn spend(&mut self, seq: u64) -> Result<()> {
        if seq > self.highest {
            require!(seq - self.highest <= REPLAY_WINDOW, PolicyError::SeqTooFar);
            self.forget(self.highest + 1, seq);
            self.highest = seq;
        } else {
            require!(seq > 0 && self.highest - seq < REPLAY_WINDOW, PolicyError::SeqTooOld);
            require!(!self.is_spent(seq), PolicyError::AlreadyExecuted);
        }
        let (word, bit) = Self::place(seq);
        self.bits[word] |= bit;
        Ok(())
    }

    fn is_spent(&self, seq: u64) -> bool {
        let (word, bit) = Self::place(seq);
        self.bits[word] & bit != 0
    }

    /// Clear the bits of `first..=last`, whose places served older numbers; a word at a time.
    fn forget(&mut self, first: u64, last: u64) {
        let mut next = first;
        while next <= last {
            let offset = next % 64;
            let count = (64 - offset).min(last - next + 1);
            let mask = if count == 64 { u64::MAX } else { ((1 << count) - 1) << offset };
            self.bits[Self::place(next).0] &= !mask;
            next += count;
        }
    }

    fn place(seq: u64) -> (usize, u64) {
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

    fn refusal(result: Result<()>) -> String {
        match result.unwrap_err() {
            Error::AnchorError(error) => error.error_name,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_number_is_spent_once() {
        let mut window = window();
        window.spend(1).unwrap();
        assert_eq!(refusal(window.spend(1)), "AlreadyExecuted");
    }

    #[test]
    fn zero_is_no_number() {
        assert_eq!(refusal(window().spend(0)), "SeqTooOld");
    }

    #[test]
    fn the_jump_ahead_is_bounded() {
        let mut window = window();
        assert_eq!(refusal(window.spend(1025)), "SeqTooFar");
        window.spend(1024).unwrap();
        window.spend(1).unwrap();
        assert_eq!(refusal(window.spend(1)), "AlreadyExecuted");
        assert_eq!(refusal(window.spend(2049)), "SeqTooFar");
    }

    #[test]
    fn numbers_below_the_window_are_too_old() {
        let mut window = window();
        window.spend(1024).unwrap();
        window.spend(1025).unwrap();
        assert_eq!(refusal(window.spend(1)), "SeqTooOld");
        window.spend(2).unwrap();
    }

    #[test]
    fn random_steps_agree_with_a_set_of_all_spent_numbers() {
        use rand::{rngs::StdRng, Rng, SeedableRng};
        let mut random = StdRng::seed_from_u64(7);
        let (mut window, mut spent, mut highest) = (window(), HashSet::new(), 0u64);
        for _ in 0..1_000_000 {
            let reach = if random.random_bool(0.01) { 1_100 } else { 40 };
            let seq = (highest + reach).saturating_sub(random.random_range(0..reach + 1_100));
            let expected = match seq {
                s if s > highest + 1_024 => Some("SeqTooFar"),
                s if s == 0 || s + 1_024 <= highest => Some("SeqTooOld"),
                s if spent.contains(&s) => Some("AlreadyExecuted"),
                _ => None,
            };
            match expected {
                Some(name) => assert_eq!(refusal(window.spend(seq)), name, "seq {seq}, highest {highest}"),
                None => {
                    window.spend(seq).unwrap();
                    spent.insert(seq);
                    highest = highest.max(seq);
                }
            }
        }
    }
}
