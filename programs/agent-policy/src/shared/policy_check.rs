//! The policy check: every rule of the policy as one pure function on the state.
use anchor_lang::prelude::*;

use super::clock::unix_now;
use crate::{
    constants::NO_LIMIT,
    errors::PolicyError,
    events::PolicyViolated,
    state::{words, AgentAccount, Entry, EntryWords, Policy, PolicyLists},
};

/// What the rules compare. Where a rule does not apply, its field holds a value that the rule allows.
pub struct Order<'a> {
    /// Micro-USDC compared with `max_single_transfer`; 0 for a session's cap, whose payments are checked one by one.
    pub single_amount: u64,
    /// Micro-USDC compared with `max_session_cap`: the whole cap of a session, or a purse. None for a single payment.
    pub session_cap: Option<u64>,
    /// Micro-USDC that leave or are reserved now; compared with `max_daily_spend` and the balance.
    pub amount: u64,
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

/// A violated rule with the numbers that it compared.
#[derive(Debug)]
pub struct PolicyViolation {
    /// The rule.
    pub rule: PolicyError,
    /// Micro-USDC requested, as the rule counts them.
    pub attempted: u64,
    /// Micro-USDC that the rule compares with.
    pub limit: Option<u64>,
    /// Micro-USDC that the rule would still allow.
    pub remaining: Option<u64>,
    /// Unix seconds from which on the amount fits.
    pub available_at: Option<i64>,
}

impl PolicyViolation {
    fn of(rule: PolicyError, attempted: u64) -> Self {
        Self { rule, attempted, limit: None, remaining: None, available_at: None }
    }

    fn above(rule: PolicyError, attempted: u64, limit: u64) -> Self {
        Self { limit: Some(limit), ..Self::of(rule, attempted) }
    }

    /// Logs the numbers as a `PolicyViolated` event and returns the error of the rule.
    fn log(self, account: &AgentAccount, policy: &Policy) -> Error {
        let error = Error::from(self.rule);
        if let Error::AnchorError(inner) = &error {
            emit!(PolicyViolated {
                code: inner.error_code_number,
                limit: self.limit.unwrap_or(NO_LIMIT),
                attempted: self.attempted,
                remaining: self.remaining.unwrap_or(NO_LIMIT),
                reserved: account.reserved,
                available_at: self.available_at.unwrap_or(0),
                policy_version: policy.version,
            });
        }
        error
    }
}

/// Evaluates the policy at the chain's current time. Returns the policy's version; on a violation logs its numbers and returns the
/// error of the rule.
pub fn check_policy<'info>(
    account: &mut AgentAccount,
    policy: &AccountLoader<'info, Policy>,
    order: &Order,
) -> Result<u64> {
    let info: &AccountInfo = policy.as_ref();
    let policy = policy.load()?;
    let data = info.try_borrow_data()?;
    let lists = PolicyLists::read(&policy, &data)?;
    account.window.advance(unix_now(&Clock::get()?)?);
    evaluate_policy(account, &policy, &lists, order).map_err(|violation| violation.log(account, &policy))?;
    Ok(policy.version)
}

/// Evaluates the rules in the order that the API documents and returns the first violation. `account.window` must have been advanced
/// to the current time.
pub fn evaluate_policy(
    account: &AgentAccount,
    policy: &Policy,
    lists: &PolicyLists,
    order: &Order,
) -> std::result::Result<(), PolicyViolation> {
    let attempted = order.single_amount.max(order.amount);
    if policy.paused != 0 {
        return Err(PolicyViolation::of(PolicyError::Paused, attempted));
    }
    if order.single_amount > policy.max_single_transfer {
        return Err(PolicyViolation::above(
            PolicyError::MaxSingleTransfer,
            order.single_amount,
            policy.max_single_transfer,
        ));
    }
    if let (Some(cap), Some(limit)) = (order.session_cap, policy.max_session_cap()) {
        if cap > limit {
            return Err(PolicyViolation::above(PolicyError::MaxSessionCap, cap, limit));
        }
    }
    let is_counterparty =
        |allowed: &[EntryWords]| order.destination.is_some_and(|keys| keys.iter().any(|one| is_listed(allowed, one)));
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
    // Also without a limit, which is u64::MAX: what is spent and reserved then never overflows, and no ending can fail for it.
    account.window.check(order.amount, policy.max_daily_spend, account.reserved).map_err(|exceeded| {
        PolicyViolation {
            limit: Some(policy.max_daily_spend),
            remaining: Some(exceeded.remaining),
            available_at: exceeded.available_at,
            ..PolicyViolation::of(PolicyError::MaxDailySpend, order.amount)
        }
    })?;
    if order.amount > order.balance {
        let violation = PolicyViolation::of(PolicyError::InsufficientBalance, order.amount);
        return Err(PolicyViolation { remaining: Some(order.balance), ..violation });
    }
    if order.escalation_amount >= policy.escalation_threshold && !order.is_approved {
        return Err(PolicyViolation::above(
            PolicyError::EscalationThreshold,
            order.escalation_amount,
            policy.escalation_threshold,
        ));
    }
    Ok(())
}

/// Compares word by word: most entries differ in the first one.
fn is_listed(allowed: &[EntryWords], wanted: &[u8]) -> bool {
    let [first, second, third, fourth] = words(wanted);
    allowed.iter().any(|one| one[0] == first && one[1] == second && one[2] == third && one[3] == fourth)
}

#[cfg(test)]
mod tests;
