//! Properties of the windows, the tally and the nonce window over their whole domain: any state that the invariants allow, any amount, any
//! time of the chain's clock.
use anchor_lang::prelude::*;
use proptest::{array::uniform, prelude::*};

use super::*;
use crate::constants::{BUCKETS, MONTH_BUCKETS, NO_LIMIT, REPLAY_WINDOW, REPLAY_WORDS};

/// Times of the chain's clock, unix seconds: near each other, and anywhere.
fn a_time() -> impl Strategy<Value = u64> {
    prop_oneof![0..=i64::MAX as u64, 1_700_000_000..1_710_000_000u64]
}

/// Amounts, with those at the borders of 64 bits.
fn an_amount() -> impl Strategy<Value = u64> {
    prop_oneof![any::<u64>(), 0..1_000u64, Just(NO_LIMIT), Just(NO_LIMIT - 1), Just(0)]
}

/// Buckets whose sum fits 64 bits: some small, some at the border.
fn buckets<const N: usize>() -> impl Strategy<Value = [u64; N]> {
    prop_oneof![uniform(0..1_000u64), uniform(0..=NO_LIMIT / N as u64), Just([0; N])]
}

/// A ring with these buckets that was last used at `time`.
fn a_ring<R: Ring<N> + bytemuck::Zeroable, const N: usize>(filled: [u64; N], time: u64) -> R {
    let mut ring = R::zeroed();
    let (buckets, newest, spent) = ring.parts_mut();
    (*buckets, *newest, *spent) = (filled, time / R::SECONDS, filled.iter().sum());
    // A bucket number cannot be below zero.
    let missing = (N as u64 - 1).saturating_sub(*newest);
    for number in N as u64 - missing..N as u64 {
        *spent -= std::mem::take(&mut buckets[number as usize]);
    }
    ring
}

/// `advance` keeps the buckets that count, empties the others, and never goes back.
fn advance_keeps_what_counts<R: Ring<N> + Copy, const N: usize>(ring: R, now: u64) {
    let mut advanced = ring;
    advanced.advance(now);
    let (newest, bucket) = (ring.parts().1, now / R::SECONDS);
    assert_eq!(advanced.parts().1, newest.max(bucket));
    assert!(advanced.is_consistent());
    for number in advanced.oldest()..=advanced.parts().1 {
        let expected = if (ring.oldest()..=newest).contains(&number) { ring.bucket(number) } else { 0 };
        assert_eq!(advanced.bucket(number), expected, "bucket {number}");
    }
}

/// `check` is exact, and the time that it names is the first second at which the amount fits.
fn check_is_exact<R: Ring<N> + Copy, const N: usize>(ring: R, amount: u64, limit: u64, reserved: u64) {
    let spent = ring.parts().2;
    let fits = |ring: &R| u128::from(ring.parts().2) + u128::from(reserved) + u128::from(amount) <= u128::from(limit);
    let Err(Exceeded { remaining, available_at }) = ring.check(amount, limit, reserved) else {
        return assert!(fits(&ring) || amount == 0, "{amount} do not fit");
    };
    assert!(!fits(&ring) && remaining < amount);
    assert_eq!(u128::from(remaining), u128::from(limit).saturating_sub(u128::from(spent) + u128::from(reserved)));
    let at = |time: i64| {
        let mut then = ring;
        then.advance(time as u64);
        fits(&then)
    };
    match available_at {
        Some(time) => assert!(at(time) && !at(time - 1), "not the first second: {time}"),
        None => assert!(!at(i64::MAX) || ring.oldest() >= (i64::MAX as u64) / R::SECONDS - N as u64),
    }
}

/// `record` adds to sum and newest bucket, or changes nothing.
fn record_adds_or_changes_nothing<R: Ring<N> + Copy + PartialEq, const N: usize>(ring: R, amount: u64) {
    let mut after = ring;
    let (_, newest, spent) = ring.parts();
    match after.record(amount) {
        Ok(()) => {
            assert_eq!(after.parts().2, spent + amount);
            assert_eq!(after.bucket(newest), ring.bucket(newest) + amount);
            assert!(after.is_consistent());
        }
        Err(_) => assert!(spent.checked_add(amount).is_none() && after == ring),
    }
}

fn a_tally(day: [u64; BUCKETS], month: [u64; MONTH_BUCKETS], time: u64, reserved: u64) -> Option<Tally> {
    let mut tally: Tally = bytemuck::Zeroable::zeroed();
    (tally.window, tally.month) = (a_ring(day, time), a_ring(month, time));
    (tally.reserved, tally.lifetime) = (reserved, tally.month.spent);
    tally.is_consistent().then_some(tally)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn advance_keeps_what_counts_in_both_windows(
        day in buckets(), month in buckets(), time in a_time(), now in a_time(), step in 0..3_000_000u64,
    ) {
        for now in [now, time.saturating_add(step).min(i64::MAX as u64), time.saturating_sub(step)] {
            advance_keeps_what_counts::<SpendWindow, BUCKETS>(a_ring(day, time), now);
            advance_keeps_what_counts::<MonthWindow, MONTH_BUCKETS>(a_ring(month, time), now);
        }
    }

    #[test]
    fn check_is_exact_in_both_windows(
        day in buckets(), month in buckets(), time in a_time(), amount in an_amount(), limit in an_amount(), reserved in an_amount(),
    ) {
        check_is_exact::<SpendWindow, BUCKETS>(a_ring(day, time), amount, limit, reserved);
        check_is_exact::<MonthWindow, MONTH_BUCKETS>(a_ring(month, time), amount, limit, reserved);
    }

    #[test]
    fn record_adds_or_changes_nothing_in_both_windows(day in buckets(), month in buckets(), time in a_time(), amount in an_amount()) {
        record_adds_or_changes_nothing::<SpendWindow, BUCKETS>(a_ring(day, time), amount);
        record_adds_or_changes_nothing::<MonthWindow, MONTH_BUCKETS>(a_ring(month, time), amount);
    }

    /// What `check` let through without a limit can always be released, however much of it left and whenever.
    #[test]
    fn a_release_never_fails(
        day in buckets(), extra in buckets::<MONTH_BUCKETS>(), time in a_time(), reserved in an_amount(),
        amount in an_amount(), share in 0..=100u64, now in a_time(),
    ) {
        // What left in a day left in the month, too.
        let mut month = extra;
        let newest = (time / <MonthWindow as Ring<MONTH_BUCKETS>>::SECONDS % MONTH_BUCKETS as u64) as usize;
        month[newest] = month[newest].saturating_add(day.iter().sum());
        prop_assume!(month.iter().try_fold(0u64, |sum, one| sum.checked_add(*one)).is_some());
        let Some(mut tally) = a_tally(day, month, time, reserved) else { return Ok(()) };
        if tally.check(amount, &SpendLimits::NONE).is_err() {
            return Ok(());
        }
        tally.reserve(amount).unwrap();
        prop_assert!(tally.is_consistent());
        tally.release(amount, amount / 100 * share, now).unwrap();
        prop_assert!(tally.is_consistent());
        tally.release(reserved, reserved, now).unwrap();
        prop_assert!(tally.is_consistent());
    }

    #[test]
    fn a_nonce_is_used_once_and_no_other_changes(
        highest in prop_oneof![any::<u64>(), 0..3_000u64], bits in uniform::<_, REPLAY_WORDS>(any::<u64>()),
        seq in any::<u64>(), near in 0..2_200u64, other in 0..REPLAY_WINDOW,
    ) {
        let mut window = ReplayWindow { highest, bits };
        let (word, bit) = ((highest % REPLAY_WINDOW / 64) as usize, 1u64 << (highest % 64));
        window.bits[word] |= bit;
        let is_used = |window: &ReplayWindow, seq: u64| {
            window.bits[(seq % REPLAY_WINDOW / 64) as usize] & (1 << (seq % 64)) != 0
        };
        for seq in [seq, highest.saturating_add(near).saturating_sub(1_100)] {
            let mut after = window;
            let is_valid = seq > 0 && u128::from(seq) + u128::from(REPLAY_WINDOW) > u128::from(highest)
                && u128::from(seq) <= u128::from(highest) + u128::from(REPLAY_WINDOW)
                && (seq > highest || !is_used(&window, seq));
            prop_assert_eq!(after.spend(seq).is_ok(), is_valid);
            if !is_valid {
                prop_assert!(after == window);
                continue;
            }
            prop_assert!(after.spend(seq).is_err() && after.is_consistent() && after.highest == highest.max(seq));
            let Some(one) = after.highest.checked_sub(other).filter(|one| *one != seq && *one > 0) else { continue };
            let was_used = one <= highest && is_used(&window, one);
            prop_assert_eq!(is_used(&after, one), was_used, "nonce {}", one);
        }
    }
}
