//! The rules of whatever is spent, as one pure function on the state.
use anchor_lang::prelude::*;

use super::{words, AgentAccount, Entry, EntryWords, Policy, PolicyLists};
use crate::{constants::NO_LIMIT, errors::PolicyError, events::PolicyViolated};

/// What somebody wants to spend. Where a rule does not bind, its number is one that it allows.
pub struct Order<'a> {
    /// Micro-USDC that `max_single_transfer` compares; 0 for a session's cap, of which each payment is judged by itself.
    pub single: u64,
    /// Micro-USDC that `max_session_cap` compares: the whole cap of a session, or a purse. None for a single payment.
    pub session_cap: Option<u64>,
    /// Micro-USDC that leave or are reserved now: for `max_daily_spend` and the balance.
    pub amount: u64,
    /// Micro-USDC that `escalation_threshold` compares.
    pub escalated: u64,
    /// Address of the receiving token account, and its owner: a counterparty may be named by either. None where the chain
    /// cannot bind the recipient, as for a charge: then any list of counterparties refuses.
    pub recipient: Option<[&'a [u8]; 2]>,
    /// Zero-padded category.
    pub category: Option<&'a Entry>,
    /// Whether a memo goes with it, or none is needed.
    pub has_memo: bool,
    /// Micro-USDC that the account can spend.
    pub balance: u64,
    /// Whether the operator has signed; for a payment inside a session, whether it has signed for that.
    pub is_approved: bool,
}

/// A rule's no, with the numbers that it compared.
#[derive(Debug)]
pub struct Refusal {
    /// The rule.
    pub rule: PolicyError,
    /// Micro-USDC asked for, as the rule counts them.
    pub attempted: u64,
    /// Micro-USDC the rule compares with.
    pub limit: Option<u64>,
    /// Micro-USDC still allowed by that rule.
    pub remaining: Option<u64>,
    /// Unix seconds from which on the amount fits.
    pub available_at: Option<i64>,
}

impl Refusal {
    fn of(rule: PolicyError, attempted: u64) -> Self {
        Self { rule, attempted, limit: None, remaining: None, available_at: None }
    }

    fn above(rule: PolicyError, attempted: u64, limit: u64) -> Self {
        Self { limit: Some(limit), ..Self::of(rule, attempted) }
    }

    /// Log the numbers and give the error to return.
    pub fn announce(self, account: &AgentAccount, policy: &Policy) -> Error {
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

/// Judge `order`: the rules in the API's order, first failure wins. `account.window` stands at the present time.
pub fn judge(
    account: &AgentAccount,
    policy: &Policy,
    lists: &PolicyLists,
    order: &Order,
) -> std::result::Result<(), Refusal> {
    let asked = order.single.max(order.amount);
    if policy.paused != 0 {
        return Err(Refusal::of(PolicyError::Paused, asked));
    }
    if order.single > policy.max_single_transfer {
        return Err(Refusal::above(PolicyError::MaxSingleTransfer, order.single, policy.max_single_transfer));
    }
    if let (Some(cap), Some(limit)) = (order.session_cap, policy.max_session_cap()) {
        if cap > limit {
            return Err(Refusal::above(PolicyError::MaxSessionCap, cap, limit));
        }
    }
    let is_payable = |allowed: &[EntryWords]| {
        order.recipient.is_some_and(|recipient| recipient.iter().any(|one| is_listed(allowed, one)))
    };
    if lists.allowed_counterparties.is_some_and(|allowed| !is_payable(allowed)) {
        return Err(Refusal::of(PolicyError::AllowedCounterparties, asked));
    }
    let is_usable = |allowed: &[EntryWords]| order.category.is_some_and(|category| is_listed(allowed, category));
    if lists.categories.is_some_and(|allowed| !is_usable(allowed)) {
        return Err(Refusal::of(PolicyError::Categories, asked));
    }
    if policy.require_memo != 0 && !order.has_memo {
        return Err(Refusal::of(PolicyError::RequireMemo, asked));
    }
    if policy.max_daily_spend != NO_LIMIT {
        account.window.check(order.amount, policy.max_daily_spend, account.reserved).map_err(|exceeded| Refusal {
            limit: Some(policy.max_daily_spend),
            remaining: Some(exceeded.remaining),
            available_at: exceeded.available_at,
            ..Refusal::of(PolicyError::MaxDailySpend, order.amount)
        })?;
    }
    if order.amount > order.balance {
        let refusal = Refusal::of(PolicyError::InsufficientBalance, order.amount);
        return Err(Refusal { remaining: Some(order.balance), ..refusal });
    }
    if order.escalated >= policy.escalation_threshold && !order.is_approved {
        return Err(Refusal::above(PolicyError::EscalationThreshold, order.escalated, policy.escalation_threshold));
    }
    Ok(())
}

/// Compared word by word: of most entries the first one decides.
fn is_listed(allowed: &[EntryWords], wanted: &[u8]) -> bool {
    let [first, second, third, fourth] = words(wanted);
    allowed.iter().any(|one| one[0] == first && one[1] == second && one[2] == third && one[3] == fourth)
}

#[cfg(test)]
mod tests;
