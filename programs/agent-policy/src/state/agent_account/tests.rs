//! Model test: all kinds of spending together, compared with an exact list; and the invariant.
use super::*;
use crate::{
    shared::{
        policy_check::{Governing, Order, Rules},
        voucher::Voucher,
    },
    state::{Policy, PolicyLists, Session},
};
use rand::{rngs::StdRng, Rng, SeedableRng};
use std::collections::VecDeque;

const DAY: u64 = 24 * 60 * 60;
const START: u64 = 1_800_000_000;
const STEPS: u32 = 1_000_000;
const MAX_SESSIONS: usize = 8;

/// The account as the program keeps it, and an exact list of what left it.
struct World {
    random: StdRng,
    account: AgentAccount,
    policy: Policy,
    sessions: Vec<Session>,
    /// Remaining allowance of the open charge's delegate; None if no charge is open.
    allowance: Option<u64>,
    /// (time, amount) of the last 24 hours, and their sum.
    left: VecDeque<(u64, u64)>,
    left_in_a_day: u64,
    /// The chain's current time and the latest time so far.
    now: u64,
    latest: u64,
}

impl World {
    fn new(seed: u64) -> Self {
        let mut account: AgentAccount = bytemuck::Zeroable::zeroed();
        account.tally.advance(START);
        let policy = Policy { max_daily_spend: 1_000, ..Policy::without_limits(Pubkey::default(), 0, 0) };
        let random = StdRng::seed_from_u64(seed);
        let (left, sessions) = (VecDeque::new(), vec![]);
        Self { random, account, policy, sessions, allowance: None, left, left_in_a_day: 0, now: START, latest: START }
    }

    /// Advances the clock, which may step back a little. It does not step back between the use of a charge, which the program does not
    /// observe, and its end: no cluster's clock steps back at all.
    fn pass_time(&mut self) {
        let step = match self.random.random_range(0..1_000) {
            0 => self.random.random_range(0..2 * DAY),
            1..100 => self.random.random_range(0..3_600),
            _ => self.random.random_range(0..400),
        };
        let is_charge_used = self.allowance.is_some_and(|allowance| allowance < self.account.charge.amount);
        let back = if !is_charge_used && self.random.random_bool(0.05) { self.random.random_range(0..120) } else { 0 };
        self.now = self.latest + step - back.min(step);
        self.latest = self.latest.max(self.now);
        while self.left.front().is_some_and(|(time, _)| time + DAY < self.latest) {
            self.left_in_a_day -= self.left.pop_front().unwrap().1;
        }
    }

    fn leave(&mut self, amount: u64) {
        self.left.push_back((self.latest, amount));
        self.left_in_a_day += amount;
    }

    /// Returns what left in the last 24 hours plus what may leave without another policy check.
    fn at_stake(&self) -> u64 {
        let in_escrow: u64 = self.sessions.iter().map(|session| session.cap - session.settled).sum();
        self.left_in_a_day + in_escrow + self.allowance.unwrap_or(0)
    }

    fn is_allowed(&mut self, amount: u64) -> bool {
        self.account.tally.advance(self.now);
        let order = Order {
            single_amount: amount,
            session_cap: None,
            amount,
            ends_at: 0,
            escalation_amount: amount,
            destination: None,
            category: None,
            has_memo: true,
            balance: u64::MAX,
            is_approved: false,
        };
        let lists = PolicyLists { allowed_counterparties: None, categories: None };
        let own = Some(Rules { policy: &self.policy, lists });
        Governing { now: self.now, tally: &self.account.tally, own, fleet: None }.evaluate(&order).is_ok()
    }

    fn transfer(&mut self, amount: u64) -> bool {
        let is_allowed = self.is_allowed(amount);
        if is_allowed {
            self.account.tally.record(amount).unwrap();
            self.leave(amount);
        }
        is_allowed
    }

    fn open_session(&mut self, cap: u64) -> bool {
        let is_allowed = self.sessions.len() < MAX_SESSIONS && self.is_allowed(cap);
        if is_allowed {
            self.account.tally.reserve(cap).unwrap();
            let mut session: Session = bytemuck::Zeroable::zeroed();
            (session.status, session.cap, session.expires_at) = (1, cap, i64::MAX);
            self.sessions.push(session);
        }
        is_allowed
    }

    fn top_up(&mut self, amount: u64) -> bool {
        let Some(index) = self.any_session() else { return false };
        let is_allowed = self.is_allowed(amount);
        if is_allowed {
            self.account.tally.reserve(amount).unwrap();
            self.sessions[index].cap += amount;
        }
        is_allowed
    }

    fn any_session(&mut self) -> Option<usize> {
        (!self.sessions.is_empty()).then(|| self.random.random_range(0..self.sessions.len()))
    }

    /// Proves a voucher and pays it.
    fn settle(&mut self) {
        let Some(index) = self.any_session() else { return };
        let cumulative = self.random.random_range(0..=self.sessions[index].cap);
        let session = &mut self.sessions[index];
        session.prove(&Voucher { cumulative, expires_at: 0 }, self.now as i64).unwrap();
        let amount = session.proven - session.settled;
        session.settled = session.proven;
        self.account.tally.release(amount, amount, self.now).unwrap();
        self.leave(amount);
    }

    /// Closes a session; sometimes its payee cannot receive, and what is owed counts as spent.
    fn close(&mut self) {
        if self.random.random_bool(0.7) {
            self.settle();
        }
        let Some(index) = self.any_session() else { return };
        let session = self.sessions.swap_remove(index);
        let owed =
            if self.random.random_bool(0.2) { self.random.random_range(0..=session.cap - session.settled) } else { 0 };
        self.account.tally.release(session.cap - session.settled, owed, self.now).unwrap();
        self.leave(owed);
    }

    fn approve_charge(&mut self, amount: u64) -> bool {
        let is_allowed = self.allowance.is_none() && self.is_allowed(amount);
        if is_allowed {
            self.account.tally.reserve(amount).unwrap();
            self.account.charge.amount = amount;
            self.allowance = Some(amount);
        }
        is_allowed
    }

    /// The provider's transaction, which does not call the program.
    fn use_charge(&mut self) {
        let Some(allowance) = self.allowance else { return };
        let amount = if self.random.random_bool(0.7) { allowance } else { self.random.random_range(0..=allowance) };
        self.allowance = Some(allowance - amount);
        self.leave(amount);
    }

    /// `finish_charge` or a pause, at any later time.
    fn finish_charge(&mut self) {
        let Some(allowance) = self.allowance.take() else { return };
        let approved = self.account.charge.amount;
        self.account.tally.release(approved, approved - allowance, self.now).unwrap();
        self.account.charge.amount = 0;
    }
}

/// 10^6 random steps of all kinds of spending: no 24 hours contain more than the limit, however late sessions are settled or charges
/// finished, and what may leave without another check stays reserved.
#[test]
fn no_24_hours_exceed_max_daily_spend_over_a_million_random_steps() {
    let mut world = World::new(20_261_121);
    let (mut allowed, mut rejected) = ([0u32; 4], [0u32; 4]);
    for step in 0..STEPS {
        world.pass_time();
        if world.random.random_bool(0.002) {
            world.policy.max_daily_spend = world.random.random_range(0..3_000);
        }
        let before = world.at_stake();
        let amount = world.random.random_range(1..200);
        let checked = match world.random.random_range(0..12) {
            0..3 => Some((0, world.transfer(amount))),
            3 => Some((1, world.open_session(amount))),
            4 => Some((2, world.top_up(amount))),
            5 => Some((3, world.approve_charge(amount))),
            other => {
                match other {
                    6..8 => world.settle(),
                    8 => world.close(),
                    9..11 => world.use_charge(),
                    _ => world.finish_charge(),
                }
                None
            }
        };
        let after = world.at_stake();
        match checked {
            Some((way, true)) => {
                allowed[way] += 1;
                assert!(
                    after <= world.policy.max_daily_spend,
                    "step {step}: {after} at stake, limit {}",
                    world.policy.max_daily_spend
                );
            }
            Some((way, false)) => rejected[way] += 1,
            None => assert!(after <= before, "step {step}: {before} at stake became {after} without a check"),
        }
        // The cheap checks imply the full ones: nothing but `advance`, `record` and `release` writes a tally.
        assert!(world.account.tally.is_plausible() && world.account.tally.is_consistent(), "step {step}");
        let kept = world.account.tally.window.spent + world.account.tally.reserved;
        assert!(after <= kept, "step {step}: {after} at stake but the program counts {kept}");
    }
    assert!(allowed.iter().chain(&rejected).all(|count| *count > 1_000), "{allowed:?} allowed, {rejected:?} rejected");
}

fn valid_account() -> AgentAccount {
    let mut account: AgentAccount = bytemuck::Zeroable::zeroed();
    (account.version, account.has_policy) = (LAYOUT_VERSION, 1);
    (account.creator, account.controller, account.authority) = ([1; 32].into(), [2; 32].into(), [3; 32].into());
    account.charge.delegate = [4; 32].into();
    (account.charge.amount, account.tally.reserved, account.open_sessions) = (5, 5, MAX_OPEN_SESSIONS);
    account.tally.record(7).unwrap();
    account.replay.spend(1).unwrap();
    account
}

#[test]
fn invariant_accepts_a_valid_account() {
    assert!(valid_account().invariant().is_ok());
}

/// Breaks one part of an account.
type Break = fn(&mut AgentAccount);

#[test]
fn invariant_rejects_each_broken_part_of_an_account() {
    let breaks: [(&str, Break); 12] = [
        ("version", |account| account.version = 0),
        ("operator is authority", |account| account.controller = account.authority),
        ("operator is creator", |account| account.controller = account.creator),
        ("authority is creator", |account| account.authority = account.creator),
        ("open sessions", |account| account.open_sessions += 1),
        ("charge above reserved", |account| account.charge.amount += 1),
        ("delegate is operator", |account| account.charge.delegate = account.controller),
        ("spent is not the sum of the buckets", |account| account.tally.window.spent -= 1),
        ("spent in a month is not the sum of the buckets", |account| account.tally.month.spent += 1),
        ("a day exceeds the month", |account| account.tally.window.spent = account.tally.month.spent + 1),
        ("neither a policy nor a fleet", |account| account.has_policy = 0),
        ("highest nonce is unused", |account| account.replay.highest += 1),
    ];
    for (name, break_it) in breaks {
        let mut account = valid_account();
        break_it(&mut account);
        assert!(account.invariant().is_err(), "{name}");
    }
}
