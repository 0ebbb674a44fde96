//! Each rule at its limit and one over, and the order in which they are asked.
use super::*;
use crate::constants::BUCKET_SECONDS;

const NOW: u64 = 1_800_000_000;
const ALICE: Entry = [1; 32];
const BOB: Entry = [2; 32];
const DATA: Entry = [3; 32];

struct Case {
    account: AgentAccount,
    policy: Policy,
    allowed_counterparties: Option<Vec<Entry>>,
    categories: Option<Vec<Entry>>,
}

/// An account under a policy without limits.
fn a_case() -> Case {
    let mut account: AgentAccount = bytemuck::Zeroable::zeroed();
    account.window.advance(NOW);
    let mut policy: Policy = bytemuck::Zeroable::zeroed();
    policy.max_single_transfer = NO_LIMIT;
    policy.max_daily_spend = NO_LIMIT;
    policy.escalation_threshold = NO_LIMIT;
    Case { account, policy, allowed_counterparties: None, categories: None }
}

fn an_order<'a>() -> Order<'a> {
    Order {
        single: 100,
        session_cap: None,
        amount: 100,
        escalated: 100,
        recipient: Some([&ALICE, &BOB]),
        category: None,
        has_memo: false,
        balance: 1_000,
        is_approved: false,
    }
}

fn an_order_of<'a>(amount: u64) -> Order<'a> {
    Order { single: amount, amount, escalated: amount, ..an_order() }
}

impl Case {
    fn judge(&self, order: &Order) -> std::result::Result<(), Refusal> {
        let [counterparties, categories] = [&self.allowed_counterparties, &self.categories]
            .map(|list| list.as_ref().map(|list| list.iter().map(|entry| words(entry)).collect::<Vec<_>>()));
        let lists =
            PolicyLists { allowed_counterparties: counterparties.as_deref(), categories: categories.as_deref() };
        judge(&self.account, &self.policy, &lists, order)
    }

    fn rule(&self, order: &Order) -> String {
        self.judge(order).map_or_else(|refusal| format!("{:?}", refusal.rule), |()| "allowed".into())
    }
}

#[test]
fn without_limits_everything_that_is_there_may_be_spent() {
    assert_eq!(a_case().rule(&an_order_of(1_000)), "allowed");
    assert_eq!(a_case().rule(&an_order_of(1_001)), "InsufficientBalance");
}

#[test]
fn a_single_transfer_may_reach_its_limit() {
    let mut case = a_case();
    case.policy.max_single_transfer = 100;
    assert_eq!(case.rule(&an_order()), "allowed");
    let refusal = case.judge(&an_order_of(101)).unwrap_err();
    assert_eq!((refusal.rule as u32, refusal.limit), (PolicyError::MaxSingleTransfer as u32, Some(100)));
}

#[test]
fn a_counterparty_is_the_token_account_or_its_owner() {
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
fn an_entry_that_differs_in_a_single_byte_is_another() {
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
fn a_category_list_wants_a_listed_category() {
    let mut case = a_case();
    case.categories = Some(vec![DATA]);
    assert_eq!(case.rule(&an_order()), "Categories");
    assert_eq!(case.rule(&Order { category: Some(&ALICE), ..an_order() }), "Categories");
    assert_eq!(case.rule(&Order { category: Some(&DATA), ..an_order() }), "allowed");
    case.categories = Some(vec![]);
    assert_eq!(case.rule(&Order { category: Some(&DATA), ..an_order() }), "Categories");
}

#[test]
fn a_required_memo_must_be_there() {
    let mut case = a_case();
    case.policy.require_memo = 1;
    assert_eq!(case.rule(&an_order()), "RequireMemo");
    assert_eq!(case.rule(&Order { has_memo: true, ..an_order() }), "allowed");
}

#[test]
fn the_daily_limit_counts_what_is_spent_and_reserved() {
    let mut case = a_case();
    case.policy.max_daily_spend = 300;
    case.account.window.book(150).unwrap();
    case.account.reserved = 50;
    assert_eq!(case.rule(&an_order()), "allowed");
    let refusal = case.judge(&an_order_of(101)).unwrap_err();
    assert_eq!((refusal.limit, refusal.remaining), (Some(300), Some(100)));
    assert_eq!(refusal.available_at, Some(((NOW / BUCKET_SECONDS + 97) * BUCKET_SECONDS) as i64));
}

#[test]
fn a_daily_limit_of_zero_allows_nothing() {
    let mut case = a_case();
    case.policy.max_daily_spend = 0;
    assert_eq!(case.judge(&an_order_of(1)).unwrap_err().available_at, None);
}

#[test]
fn from_the_threshold_on_the_operator_must_sign() {
    let mut case = a_case();
    case.policy.escalation_threshold = 100;
    assert_eq!(case.rule(&an_order_of(99)), "allowed");
    assert_eq!(case.rule(&an_order()), "EscalationThreshold");
    assert_eq!(case.rule(&Order { is_approved: true, ..an_order() }), "allowed");
    case.policy.escalation_threshold = 0;
    assert_eq!(case.rule(&an_order_of(1)), "EscalationThreshold");
}

#[test]
fn approval_lifts_no_other_rule() {
    let mut case = a_case();
    case.policy.max_single_transfer = 99;
    assert_eq!(case.rule(&Order { is_approved: true, ..an_order() }), "MaxSingleTransfer");
}

#[test]
fn the_first_broken_rule_in_the_documented_order_is_named() {
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
fn a_session_cap_is_held_to_its_own_limit_between_single_transfer_and_counterparties() {
    let cap = |cap| Order { single: 0, session_cap: Some(cap), ..an_order_of(100) };
    let mut case = a_case();
    assert_eq!(case.rule(&cap(u64::MAX)), "allowed", "a policy from before the field has no limit");
    (case.policy.has_max_session_cap, case.policy.max_session_cap) = (1, 500);
    assert_eq!(case.rule(&cap(500)), "allowed");
    let refusal = case.judge(&cap(501)).unwrap_err();
    assert_eq!((refusal.attempted, refusal.limit), (501, Some(500)));
    assert_eq!(case.rule(&an_order_of(501)), "allowed", "a single payment has no cap");
    case.allowed_counterparties = Some(vec![]);
    assert_eq!(case.rule(&cap(501)), "MaxSessionCap");
    case.policy.max_single_transfer = 99;
    assert_eq!(case.rule(&Order { single: 100, ..cap(501) }), "MaxSingleTransfer");
    (case.policy.max_single_transfer, case.policy.max_session_cap) = (NO_LIMIT, 0);
    assert_eq!(case.rule(&cap(1)), "MaxSessionCap", "a limit of 0 allows nothing");
}
