//! The spend window at its boundaries and against an exact list.
use super::*;
use rand::{rngs::StdRng, Rng, SeedableRng};
use std::collections::VecDeque;

const DAY: u64 = 24 * 60 * 60;
const START: u64 = 1_800_000_000 / BUCKET_SECONDS * BUCKET_SECONDS;

fn window() -> SpendWindow {
    let mut window: SpendWindow = bytemuck::Zeroable::zeroed();
    window.advance(START);
    window
}

fn spend(window: &mut SpendWindow, amount: u64, limit: u64, now: u64) -> std::result::Result<(), Exceeded> {
    window.advance(now);
    window.check(amount, limit, 0)?;
    window.record(amount).unwrap();
    Ok(())
}

#[test]
fn check_allows_exactly_the_limit() {
    let mut window = window();
    spend(&mut window, 100, 100, START).unwrap();
    assert_eq!(spend(&mut window, 1, 100, START).unwrap_err().remaining, 0);
}

#[test]
fn a_spend_in_the_last_second_of_a_bucket_still_counts_23_hours_45_minutes_later() {
    let mut window = window();
    let last_second = START + BUCKET_SECONDS - 1;
    spend(&mut window, 100, 100, last_second).unwrap();
    let later = last_second + 23 * 3600 + 45 * 60;
    assert!(spend(&mut window, 1, 100, later).is_err());
    assert!(spend(&mut window, 1, 100, last_second + DAY).is_err());
    spend(&mut window, 100, 100, last_second + DAY + 1).unwrap();
}

#[test]
fn a_spend_in_the_first_second_of_a_bucket_is_released_24_hours_15_minutes_later() {
    let mut window = window();
    spend(&mut window, 100, 100, START).unwrap();
    let exceeded = spend(&mut window, 1, 100, START + DAY + BUCKET_SECONDS - 1).unwrap_err();
    assert_eq!(exceeded.available_at, Some((START + DAY + BUCKET_SECONDS) as i64));
    spend(&mut window, 100, 100, START + DAY + BUCKET_SECONDS).unwrap();
}

#[test]
fn advance_releases_nothing_when_the_clock_steps_back() {
    let mut window = window();
    spend(&mut window, 60, 100, START + DAY).unwrap();
    assert!(spend(&mut window, 60, 100, START).is_err());
    assert!(spend(&mut window, 60, 100, 0).is_err());
    spend(&mut window, 40, 100, START).unwrap();
    assert!(spend(&mut window, 1, 100, START + DAY + DAY).is_err());
}

#[test]
fn remaining_is_zero_below_the_spent_amount_and_the_difference_above_it() {
    let mut window = window();
    spend(&mut window, 80, 100, START).unwrap();
    assert_eq!(spend(&mut window, 1, 50, START).unwrap_err().remaining, 0);
    assert_eq!(window.remaining(200, 0), 120);
    assert_eq!(window.remaining(200, 30), 90);
    assert_eq!(window.remaining(200, 130), 0);
}

#[test]
fn check_returns_no_available_at_for_an_amount_that_never_fits() {
    let mut window = window();
    window.record(10).unwrap();
    assert_eq!(window.check(101, 100, 0).unwrap_err().available_at, None);
    assert_eq!(window.check(50, 100, 60).unwrap_err().available_at, None);
    assert!(window.check(95, 100, 0).unwrap_err().available_at.is_some());
}

#[test]
fn an_amount_counts_30_days_to_the_second_wherever_in_its_bucket_it_left() {
    let start = START / DAY * DAY;
    for (left_at, free_at) in [(start + DAY - 1, start + 31 * DAY), (start, start + 31 * DAY)] {
        let mut month: MonthWindow = bytemuck::Zeroable::zeroed();
        month.advance(left_at);
        month.record(100).unwrap();
        month.advance(free_at - 1);
        assert_eq!(month.check(1, 100, 0).unwrap_err().available_at, Some(free_at as i64));
        month.advance(free_at);
        assert!(month.check(100, 100, 0).is_ok());
    }
}

#[test]
fn record_rejects_a_sum_above_64_bits() {
    let mut window = window();
    window.record(u64::MAX).unwrap();
    assert!(window.record(1).is_err());
}

/// 10^6 random spends with random limits, reservations and clock steps: no 24 hours contain more than the limit, and nothing that an
/// exact list allows is rejected for more than 15 minutes longer.
#[test]
fn check_agrees_with_an_exact_list_over_a_million_random_steps() {
    let mut random = StdRng::seed_from_u64(20_261_121);
    let mut window = window();
    let mut exact: VecDeque<(u64, u64)> = VecDeque::new(); // (time, amount), as far back as a bucket counts
    let (mut clock, mut latest, mut limit, mut kept) = (START, START, 1_000u64, 0u64);
    let (mut day, mut allowed, mut rejected) = (VecDeque::<(u64, u64)>::new(), 0u32, 0u32);
    let mut in_a_day = 0u64;
    for step in 0..1_000_000u32 {
        clock += match random.random_range(0..100) {
            0 => random.random_range(0..2 * DAY),
            1..10 => random.random_range(0..3_600),
            _ => random.random_range(0..400),
        };
        let now = clock - if random.random_bool(0.05) { random.random_range(0..120) } else { 0 };
        latest = latest.max(now); // the latest time seen by the program
        if random.random_bool(0.002) {
            limit = random.random_range(0..3_000);
        }
        let reserved = if random.random_bool(0.1) { random.random_range(0..500) } else { 0 };
        let amount = random.random_range(1..120);
        while exact.front().is_some_and(|(time, _)| time + DAY + BUCKET_SECONDS < latest) {
            kept -= exact.pop_front().unwrap().1;
        }
        while day.front().is_some_and(|(time, _)| time + DAY < latest) {
            in_a_day -= day.pop_front().unwrap().1;
        }

        window.advance(now);
        match window.check(amount, limit, reserved) {
            Ok(()) => {
                window.record(amount).unwrap();
                for list in [&mut exact, &mut day] {
                    list.push_back((latest, amount));
                }
                kept += amount;
                in_a_day += amount;
                allowed += 1;
                assert!(in_a_day + reserved <= limit, "step {step}: {in_a_day} spent within 24 hours, limit {limit}");
            }
            Err(exceeded) => {
                rejected += 1;
                assert!(kept + reserved + amount > limit, "step {step}: rejected for more than 15 minutes too long");
                if let (Some(at), 0) = (exceeded.available_at, step % 64) {
                    let (mut before, mut then) = (window, window);
                    before.advance(at as u64 - 1);
                    assert!(before.check(amount, limit, reserved).is_err(), "step {step}: free before {at}");
                    then.advance(at as u64);
                    assert!(then.check(amount, limit, reserved).is_ok(), "step {step}: not free at {at}");
                }
            }
        }
        assert!(window.is_consistent(), "step {step}");
    }
    assert!(allowed > 100_000 && rejected > 100_000, "{allowed} allowed, {rejected} rejected");
}
