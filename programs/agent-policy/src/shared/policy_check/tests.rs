//! Each rule at its limit and one above it, and the order of the rules.
use super::*;
use crate::constants::BUCKET_SECONDS;

const NOW: u64 = 1_800_000_000;
const ALICE: Entry = [1; 32];
const BOB: Entry = [2; 32];
const DATA: Entry = [3; 32];

struct Case {
    tally: Tally,
    policy: Policy,
    allowed_counterparties: Option<Vec<Entry>>,
    categories: Option<Vec<Entry>>,
    fleet: Option<(Fleet, Policy)>,
}

/// An account with a policy without limits.
fn a_case() -> Case {
    let mut tally: Tally = bytemuck::Zeroable::zeroed();
    tally.advance(NOW);
    let policy = Policy::without_limits(Pubkey::default(), 0, 0);
    Case { tally, policy, allowed_counterparties: None, categories: None, fleet: None }
}

fn an_order<'a>() -> Order<'a> {
    Order {
        single_amount: 100,
        session_cap: None,
        amount: 100,
        ends_at: 0,
        escalation_amount: 100,
        destination: Some([&ALICE, &BOB]),
        category: None,
        has_memo: false,
        balance: 1_000,
        is_approved: false,
    }
}

fn an_order_of<'a>(amount: u64) -> Order<'a> {
    Order { single_amount: amount, amount, escalation_amount: amount, ..an_order() }
}

impl Case {
    fn evaluate(&self, order: &Order) -> std::result::Result<(), PolicyViolation> {
        let [counterparties, categories] = [&self.allowed_counterparties, &self.categories]
            .map(|list| list.as_ref().map(|list| list.iter().map(|entry| words(entry)).collect::<Vec<_>>()));
        let lists =
            PolicyLists { allowed_counterparties: counterparties.as_deref(), categories: categories.as_deref() };
        let own = Some(Rules { policy: &self.policy, lists });
        let none = || PolicyLists { allowed_counterparties: None, categories: None };
        let fleet = self.fleet.as_ref().map(|(fleet, policy)| (fleet, Rules { policy, lists: none() }));
        Governing { now: NOW, tally: &self.tally, own, fleet }.evaluate(order)
    }

    fn rule(&self, order: &Order) -> String {
        self.evaluate(order).map_or_else(|violation| format!("{:?}", violation.rule), |()| "allowed".into())
    }
}

#[test]
fn policy_without_limits_allows_the_whole_balance() {
    assert_eq!(a_case().rule(&an_order_of(1_000)), "allowed");
    assert_eq!(a_case().rule(&an_order_of(1_001)), "InsufficientBalance");
}

#[test]
fn max_single_transfer_allows_exactly_its_limit() {
    let mut case = a_case();
    case.policy.max_single_transfer = 100;
    assert_eq!(case.rule(&an_order()), "allowed");
    let violation = case.evaluate(&an_order_of(101)).unwrap_err();
    assert_eq!((violation.rule as u32, violation.limit), (PolicyError::MaxSingleTransfer as u32, Some(100)));
}

#[test]
fn allowed_counterparties_matches_the_token_account_or_its_owner() {
    let mut case = a_case();
    for (allowed, expected) in [
        (vec![ALICE], "allowed"),
        (vec![DATA, BOB], "allowed"),
        (vec![DATA], "AllowedCounterparties"),
        (vec![], "AllowedCounterparties"),
    ] {
        case.allowed_counterparties = Some(allowed);
        assert_eq!(case.rule(&an_order()), expected);
    }
}

#[test]
fn allowed_counterparties_rejects_an_entry_that_differs_in_one_byte() {
    let mut case = a_case();
    for place in 0..32 {
        let mut nearly = ALICE;
        nearly[place] ^= 1;
        case.allowed_counterparties = Some(vec![nearly, nearly]);
        assert_eq!(case.rule(&an_order()), "AllowedCounterparties");
        case.allowed_counterparties = Some(vec![nearly, ALICE]);
        assert_eq!(case.rule(&an_order()), "allowed");
    }
}

#[test]
fn categories_requires_a_listed_category() {
    let mut case = a_case();
    case.categories = Some(vec![DATA]);
    assert_eq!(case.rule(&an_order()), "Categories");
    assert_eq!(case.rule(&Order { category: Some(&ALICE), ..an_order() }), "Categories");
    assert_eq!(case.rule(&Order { category: Some(&DATA), ..an_order() }), "allowed");
    case.categories = Some(vec![]);
    assert_eq!(case.rule(&Order { category: Some(&DATA), ..an_order() }), "Categories");
}

#[test]
fn require_memo_rejects_an_order_without_memo() {
    let mut case = a_case();
    case.policy.require_memo = 1;
    assert_eq!(case.rule(&an_order()), "RequireMemo");
    assert_eq!(case.rule(&Order { has_memo: true, ..an_order() }), "allowed");
}

#[test]
fn max_daily_spend_counts_spent_and_reserved_amounts() {
    let mut case = a_case();
    case.policy.max_daily_spend = 300;
    case.tally.record(150).unwrap();
    case.tally.reserved = 50;
    assert_eq!(case.rule(&an_order()), "allowed");
    let violation = case.evaluate(&an_order_of(101)).unwrap_err();
    assert_eq!((violation.limit, violation.remaining), (Some(300), Some(100)));
    assert_eq!(violation.available_at, Some(((NOW / BUCKET_SECONDS + 97) * BUCKET_SECONDS) as i64));
}

#[test]
fn max_daily_spend_of_zero_allows_nothing() {
    let mut case = a_case();
    case.policy.max_daily_spend = 0;
    assert_eq!(case.evaluate(&an_order_of(1)).unwrap_err().available_at, None);
}

#[test]
fn escalation_threshold_requires_approval_from_its_amount_on() {
    let mut case = a_case();
    case.policy.escalation_threshold = 100;
    assert_eq!(case.rule(&an_order_of(99)), "allowed");
    assert_eq!(case.rule(&an_order()), "EscalationThreshold");
    assert_eq!(case.rule(&Order { is_approved: true, ..an_order() }), "allowed");
    case.policy.escalation_threshold = 0;
    assert_eq!(case.rule(&an_order_of(1)), "EscalationThreshold");
}

#[test]
fn approval_does_not_override_max_single_transfer() {
    let mut case = a_case();
    case.policy.max_single_transfer = 99;
    assert_eq!(case.rule(&Order { is_approved: true, ..an_order() }), "MaxSingleTransfer");
}

#[test]
fn evaluate_policy_returns_the_first_violation_in_the_documented_order() {
    let mut case = a_case();
    case.policy = Policy {
        paused: 1,
        max_single_transfer: 1,
        require_memo: 1,
        max_daily_spend: 1,
        escalation_threshold: 1,
        ..case.policy
    };
    case.allowed_counterparties = Some(vec![]);
    case.categories = Some(vec![]);
    let mut order = Order { balance: 0, ..an_order() };
    let mut seen = vec![];
    loop {
        let rule = case.rule(&order);
        seen.push(rule.clone());
        match rule.as_str() {
            "Paused" => case.policy.paused = 0,
            "MaxSingleTransfer" => case.policy.max_single_transfer = NO_LIMIT,
            "AllowedCounterparties" => case.allowed_counterparties = None,
            "Categories" => case.categories = None,
            "RequireMemo" => case.policy.require_memo = 0,
            "MaxDailySpend" => case.policy.max_daily_spend = NO_LIMIT,
            "InsufficientBalance" => order.balance = 100,
            "EscalationThreshold" => order.is_approved = true,
            _ => break,
        }
    }
    assert_eq!(
        seen,
        [
            "Paused",
            "MaxSingleTransfer",
            "AllowedCounterparties",
            "Categories",
            "RequireMemo",
            "MaxDailySpend",
            "InsufficientBalance",
            "EscalationThreshold",
            "allowed"
        ]
    );
}

#[test]
fn max_session_cap_is_checked_between_max_single_transfer_and_allowed_counterparties() {
    let cap = |cap| Order { single_amount: 0, session_cap: Some(cap), ..an_order_of(100) };
    let mut case = a_case();
    assert_eq!(case.rule(&cap(u64::MAX)), "allowed", "unset");
    case.policy.max_session_cap = 500;
    assert_eq!(case.rule(&cap(500)), "allowed");
    let violation = case.evaluate(&cap(501)).unwrap_err();
    assert_eq!((violation.attempted, violation.limit), (501, Some(500)));
    assert_eq!(case.rule(&an_order_of(501)), "allowed", "a single payment has no cap");
    case.allowed_counterparties = Some(vec![]);
    assert_eq!(case.rule(&cap(501)), "MaxSessionCap");
    case.policy.max_single_transfer = 99;
    assert_eq!(case.rule(&Order { single_amount: 100, ..cap(501) }), "MaxSingleTransfer");
    (case.policy.max_single_transfer, case.policy.max_session_cap) = (NO_LIMIT, 0);
    assert_eq!(case.rule(&cap(1)), "MaxSessionCap", "a limit of 0 allows nothing");
}

#[test]
fn valid_until_stops_at_its_second_and_bounds_what_would_outlive_it() {
    let mut case = a_case();
    case.policy.valid_until = NOW;
    assert_eq!(case.rule(&an_order()), "ValidUntil");
    case.policy.valid_until = NOW + 1;
    assert_eq!(case.rule(&an_order()), "allowed");
    assert_eq!(case.rule(&Order { ends_at: NOW + 1, ..an_order() }), "allowed");
    assert_eq!(case.rule(&Order { ends_at: NOW + 2, ..an_order() }), "ValidUntil");
}

#[test]
fn max_monthly_and_lifetime_spend_allow_exactly_their_limits() {
    let mut case = a_case();
    case.tally.record(150).unwrap();
    case.tally.reserved = 50;
    (case.policy.max_monthly_spend, case.policy.max_lifetime_spend) = (300, 301);
    assert_eq!(case.rule(&an_order()), "allowed");
    let violation = case.evaluate(&an_order_of(101)).unwrap_err();
    assert_eq!((format!("{:?}", violation.rule), violation.remaining), ("MaxMonthlySpend".into(), Some(100)));
    assert_eq!(violation.available_at, Some(((NOW / 86_400 + 31) * 86_400) as i64));
    case.policy.max_monthly_spend = NO_LIMIT;
    assert_eq!(case.rule(&an_order_of(101)), "allowed");
    let violation = case.evaluate(&an_order_of(102)).unwrap_err();
    assert_eq!((violation.remaining, violation.available_at), (Some(101), None));
}

#[test]
fn approval_above_daily_sum_requires_approval_above_its_amount_only() {
    let mut case = a_case();
    case.policy.approval_above_daily_sum = 300;
    case.tally.record(150).unwrap();
    case.tally.reserved = 50;
    assert_eq!(case.rule(&an_order()), "allowed");
    assert_eq!(case.rule(&an_order_of(101)), "ApprovalAboveDailySum");
    assert_eq!(case.rule(&Order { is_approved: true, ..an_order_of(101) }), "allowed");
    let payment = Order { amount: 0, single_amount: 500, escalation_amount: 500, ..an_order() };
    assert_eq!(case.rule(&payment), "allowed", "a payment inside a session");
}

#[test]
fn a_members_order_passes_its_own_policy_the_fleets_policy_and_the_fleets_limits() {
    let mut case = a_case();
    let fleet = Fleet { max_daily_spend: 99, ..bytemuck::Zeroable::zeroed() };
    let fleet = Fleet { max_monthly_spend: NO_LIMIT, max_lifetime_spend: NO_LIMIT, ..fleet };
    let policy = Policy { max_daily_spend: 98, escalation_threshold: 50, ..case.policy };
    case.fleet = Some((fleet, policy));
    case.policy.max_daily_spend = 97;
    case.policy.escalation_threshold = 60;
    let scope_of = |case: &Case, amount| case.evaluate(&an_order_of(amount)).map_err(|violation| violation.scope).err();
    assert_eq!(scope_of(&case, 98), Some(Scope::Account));
    case.policy.max_daily_spend = NO_LIMIT;
    assert_eq!(scope_of(&case, 99), Some(Scope::Fleet));
    case.fleet = case.fleet.map(|(fleet, policy)| (fleet, Policy { max_daily_spend: NO_LIMIT, ..policy }));
    assert_eq!(scope_of(&case, 100), Some(Scope::FleetLimits));
    let violation = case.evaluate(&an_order_of(60)).unwrap_err();
    assert_eq!((violation.scope, violation.limit), (Scope::Fleet, Some(50)), "the lower threshold is named");
}
