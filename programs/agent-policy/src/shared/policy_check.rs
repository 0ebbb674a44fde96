//! The policy check: every rule of the account's policy, of its fleet's policy and of the fleet's limits, as one pure function on the state.
use anchor_lang::prelude::*;

use crate::{
    constants::NO_LIMIT,
    errors::{PolicyError, Scope},
    events::PolicyViolated,
    state::{words, Entry, EntryWords, ExceededLimit, Fleet, Policy, PolicyLists, SpendLimits, Tally},
};

/// What the rules compare. Where a rule does not apply, its field holds a value that the rule allows.
pub struct Order<'a> {
    /// Micro-USDC compared with `max_single_transfer`; 0 for a session's cap, whose payments are checked one by one.
    pub single_amount: u64,
    /// Micro-USDC compared with `max_session_cap`: the whole cap of a session, or a purse. None for a single payment.
    pub session_cap: Option<u64>,
    /// Micro-USDC that leave or are reserved now; compared with the limits of a time and the balance. 0 for a payment inside a session.
    pub amount: u64,
    /// Unix seconds until which it may pay, compared with `valid_until`; 0 for what is paid now.
    pub ends_at: u64,
    /// Micro-USDC compared with `escalation_threshold`.
    pub escalation_amount: u64,
    /// The token account that is credited and its owner; a counterparty may name either. None if the chain cannot bind the
    /// destination, as for a charge: then any list of counterparties is violated.
    pub destination: Option<[&'a [u8]; 2]>,
    /// Category, zero-padded.
    pub category: Option<&'a Entry>,
    /// Whether a memo is present or not applicable.
    pub has_memo: bool,
    /// Micro-USDC that the account can spend.
    pub balance: u64,
    /// Whether the operator approved: by its signature, or, for a payment inside a session, by an earlier one that covers it.
    pub is_approved: bool,
}

impl<'a> Order<'a> {
    /// An amount that another key may pay out until `deadline` (unix seconds): a charge, or a purse for many payments. The chain cannot
    /// bind the destination.
    pub fn allowance(
        amount: u64,
        is_purse: bool,
        deadline: i64,
        category: Option<&'a Entry>,
        balance: u64,
        is_approved: bool,
    ) -> Self {
        Self {
            single_amount: amount,
            session_cap: is_purse.then_some(amount),
            amount,
            ends_at: u64::try_from(deadline).unwrap_or_default(),
            escalation_amount: amount,
            destination: None,
            category,
            has_memo: true,
            balance,
            is_approved,
        }
    }
}

/// A policy with its lists.
pub struct Rules<'a> {
    /// The fixed fields.
    pub policy: &'a Policy,
    /// The lists.
    pub lists: PolicyLists<'a>,
}

/// Everything that judges an order of one account. Both tallies were advanced to `now`.
pub struct Governing<'a> {
    /// The chain's time, unix seconds.
    pub now: u64,
    /// The account's.
    pub tally: &'a Tally,
    /// The account's own policy; None for a member without one.
    pub own: Option<Rules<'a>>,
    /// The fleet and its policy.
    pub fleet: Option<(&'a Fleet, Rules<'a>)>,
}

/// A violated rule with the numbers that it compared.
#[derive(Debug)]
pub struct PolicyViolation {
    /// The rule, named as one of an account's policy.
    pub rule: PolicyError,
    /// Whose rule it is.
    pub scope: Scope,
    /// Micro-USDC requested, as the rule counts them.
    pub attempted: u64,
    /// Micro-USDC that the rule compares with.
    pub limit: Option<u64>,
    /// Micro-USDC that the rule would still allow.
    pub remaining: Option<u64>,
    /// Unix seconds from which on the amount fits.
    pub available_at: Option<i64>,
}

type Checked = std::result::Result<(), PolicyViolation>;

impl PolicyViolation {
    fn of(rule: PolicyError, attempted: u64) -> Self {
        Self { rule, scope: Scope::Account, attempted, limit: None, remaining: None, available_at: None }
    }

    fn above(rule: PolicyError, attempted: u64, limit: u64) -> Self {
        Self { limit: Some(limit), ..Self::of(rule, attempted) }
    }

    fn of_limit(ExceededLimit { rule, limit, exceeded }: ExceededLimit, attempted: u64) -> Self {
        let (remaining, available_at) = (Some(exceeded.remaining), exceeded.available_at);
        Self { remaining, available_at, ..Self::above(rule, attempted, limit) }
    }

    fn in_scope(self, scope: Scope) -> Self {
        Self { scope, ..self }
    }
}

impl Governing<'_> {
    /// Evaluates all rules; on a violation logs its numbers and returns the error of the rule. Returns the version of the account's own
    /// policy, 0 without one.
    pub fn check(&self, order: &Order) -> Result<u64> {
        self.evaluate(order).map_err(|violation| self.log(violation))?;
        Ok(self.own.as_ref().map_or(0, |rules| rules.policy.version))
    }

    /// Evaluates the rules in the order that the API documents and returns the first violation.
    pub fn evaluate(&self, order: &Order) -> Checked {
        match &self.own {
            Some(rules) => rules.evaluate(self.now, self.tally, order)?,
            // Also without a limit, which is u64::MAX: what is spent and reserved then never overflows, and no ending can fail for it.
            None => check_limits(self.tally, &SpendLimits::NONE, order)?,
        }
        if let Some((fleet, rules)) = &self.fleet {
            rules.evaluate(self.now, self.tally, order).map_err(|violation| violation.in_scope(Scope::Fleet))?;
            check_limits(&fleet.tally, &fleet.limits(), order)
                .map_err(|violation| violation.in_scope(Scope::FleetLimits))?;
        }
        if order.amount > order.balance {
            let violation = PolicyViolation::of(PolicyError::InsufficientBalance, order.amount);
            return Err(PolicyViolation { remaining: Some(order.balance), ..violation });
        }
        if order.is_approved {
            return Ok(());
        }
        self.check_approvals(order)
    }

    /// One approval covers both policies; the lower threshold is named, the account's if they are equal.
    fn check_approvals(&self, order: &Order) -> Checked {
        let amount = order.escalation_amount;
        if let Some((scope, threshold)) = self.lowest(|policy| policy.escalation_threshold) {
            if amount >= threshold {
                let violation = PolicyViolation::above(PolicyError::EscalationThreshold, amount, threshold);
                return Err(violation.in_scope(scope));
            }
        }
        // A payment inside a session leaves nothing now: its cap was compared.
        let sum = self.tally.daily_sum().saturating_add(order.amount);
        if let Some((scope, most)) = self.lowest(|policy| policy.approval_above_daily_sum) {
            if order.amount > 0 && sum > most {
                let remaining = Some(most.saturating_sub(self.tally.daily_sum()));
                let violation = PolicyViolation::above(PolicyError::ApprovalAboveDailySum, order.amount, most);
                return Err(PolicyViolation { remaining, ..violation }.in_scope(scope));
            }
        }
        Ok(())
    }

    /// The lower value of a field of both policies, and whose it is.
    fn lowest(&self, field: impl Fn(&Policy) -> u64) -> Option<(Scope, u64)> {
        let own = self.own.as_ref().map(|rules| (Scope::Account, field(rules.policy)));
        let fleet = self.fleet.as_ref().map(|(_, rules)| (Scope::Fleet, field(rules.policy)));
        match (own, fleet) {
            (Some(own), Some(fleet)) => Some(if fleet.1 < own.1 { fleet } else { own }),
            (own, fleet) => own.or(fleet),
        }
    }

    /// Logs the numbers as a `PolicyViolated` event and returns the error of the rule. Reserved amount and version are those of the
    /// scope.
    fn log(&self, violation: PolicyViolation) -> Error {
        let (reserved, policy_version) = match (violation.scope, &self.own, &self.fleet) {
            (Scope::FleetLimits, _, Some((fleet, _))) => (fleet.tally.reserved, fleet.limits_version),
            (Scope::Fleet, _, Some((_, rules))) => (self.tally.reserved, rules.policy.version),
            (_, Some(rules), _) => (self.tally.reserved, rules.policy.version),
            _ => (self.tally.reserved, 0),
        };
        let error = Error::from(violation.rule.in_scope(violation.scope));
        if let Error::AnchorError(inner) = &error {
            emit!(PolicyViolated {
                code: inner.error_code_number,
                scope: violation.scope as u8,
                limit: violation.limit.unwrap_or(NO_LIMIT),
                attempted: violation.attempted,
                remaining: violation.remaining.unwrap_or(NO_LIMIT),
                reserved,
                available_at: violation.available_at.unwrap_or(0),
                policy_version,
            });
        }
        error
    }
}

impl Rules<'_> {
    /// Evaluates the rules of one policy, but for the approvals, at `now` (unix seconds) in the windows of the account.
    fn evaluate(&self, now: u64, tally: &Tally, order: &Order) -> Checked {
        let Self { policy, lists } = self;
        let attempted = order.single_amount.max(order.amount);
        if policy.paused != 0 {
            return Err(PolicyViolation::of(PolicyError::Paused, attempted));
        }
        if now >= policy.valid_until || order.ends_at > policy.valid_until {
            return Err(PolicyViolation::of(PolicyError::ValidUntil, attempted));
        }
        if order.single_amount > policy.max_single_transfer {
            return Err(PolicyViolation::above(
                PolicyError::MaxSingleTransfer,
                order.single_amount,
                policy.max_single_transfer,
            ));
        }
        if let Some(cap) = order.session_cap.filter(|cap| *cap > policy.max_session_cap) {
            return Err(PolicyViolation::above(PolicyError::MaxSessionCap, cap, policy.max_session_cap));
        }
        let is_counterparty = |allowed: &[EntryWords]| {
            order.destination.is_some_and(|[token_account, owner]| is_any_listed(allowed, token_account, owner))
        };
        if lists.allowed_counterparties.is_some_and(|allowed| !is_counterparty(allowed)) {
            return Err(PolicyViolation::of(PolicyError::AllowedCounterparties, attempted));
        }
        let is_category = |allowed: &[EntryWords]| order.category.is_some_and(|category| is_listed(allowed, category));
        if lists.categories.is_some_and(|allowed| !is_category(allowed)) {
            return Err(PolicyViolation::of(PolicyError::Categories, attempted));
        }
        if policy.require_memo != 0 && !order.has_memo {
            return Err(PolicyViolation::of(PolicyError::RequireMemo, attempted));
        }
        check_limits(tally, &policy.limits(), order)
    }
}

fn check_limits(tally: &Tally, limits: &SpendLimits, order: &Order) -> Checked {
    tally.check(order.amount, limits).map_err(|exceeded| PolicyViolation::of_limit(exceeded, order.amount))
}

/// Compares word by word: most entries differ in the first one.
fn is_listed(allowed: &[EntryWords], wanted: &[u8]) -> bool {
    let [first, second, third, fourth] = words(wanted);
    allowed.iter().any(|one| one[0] == first && one[1] == second && one[2] == third && one[3] == fourth)
}

/// Searches an ascending list by halves for either of two keys.
fn is_any_listed(ascending: &[EntryWords], one: &[u8], other: &[u8]) -> bool {
    ascending.binary_search(&words(one)).is_ok() || ascending.binary_search(&words(other)).is_ok()
}

#[cfg(test)]
mod tests;
