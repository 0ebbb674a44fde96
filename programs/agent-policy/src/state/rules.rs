//! The rules of a transfer, as one pure function on the state.
use anchor_lang::prelude::*;

use super::{AgentAccount, Entry, Policy, PolicyLists};
use crate::{constants::NO_LIMIT, errors::PolicyError, events::Refused};

/// What somebody wants to spend.
pub struct Order<'a> {
    /// Micro-USDC.
    pub amount: u64,
    /// Address of the receiving token account, and its owner: a counterparty may be named by either.
    pub recipient: [&'a [u8]; 2],
    /// Zero-padded category.
    pub category: Option<&'a Entry>,
    /// Whether a memo goes with it.
    pub has_memo: bool,
    /// Micro-USDC in the account's token account.
    pub balance: u64,
    /// Whether the operator has signed.
    pub is_approved: bool,
}

/// A rule's no, with the numbers that it compared.
#[derive(Debug)]
pub struct Refusal {
    /// The rule.
    pub rule: PolicyError,
    /// Micro-USDC the rule compares with.
    pub limit: Option<u64>,
    /// Micro-USDC still allowed by that rule.
    pub remaining: Option<u64>,
    /// Unix seconds from which on the amount fits.
    pub available_at: Option<i64>,
}

impl Refusal {
    fn of(rule: PolicyError) -> Self {
        Self { rule, limit: None, remaining: None, available_at: None }
    }

    fn above(rule: PolicyError, limit: u64) -> Self {
        Self { limit: Some(limit), ..Self::of(rule) }
    }

    /// Log the numbers and give the error to return.
    pub fn announce(self, account: &AgentAccount, policy: &Policy, attempted: u64) -> Error {
        let error = Error::from(self.rule);
        if let Error::AnchorError(inner) = &error {
            emit!(Refused {
                code: inner.error_code_number,
                limit: self.limit.unwrap_or(NO_LIMIT),
                attempted,
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
    if policy.paused != 0 {
        return Err(Refusal::of(PolicyError::Paused));
    }
    if order.amount > policy.max_single {
        return Err(Refusal::above(PolicyError::MaxSingleTransfer, policy.max_single));
    }
    if lists.counterparties.is_some_and(|allowed| !allowed.iter().any(|one| order.recipient.contains(&one.as_slice())))
    {
        return Err(Refusal::of(PolicyError::AllowedCounterparties));
    }
    if lists.categories.is_some_and(|allowed| !order.category.is_some_and(|category| allowed.contains(category))) {
        return Err(Refusal::of(PolicyError::Categories));
    }
    if policy.require_memo != 0 && !order.has_memo {
        return Err(Refusal::of(PolicyError::RequireMemo));
    }
    if policy.max_daily != NO_LIMIT {
        account.window.check(order.amount, policy.max_daily, account.reserved).map_err(|exceeded| Refusal {
            rule: PolicyError::MaxDailySpend,
            limit: Some(policy.max_daily),
            remaining: Some(exceeded.remaining),
            available_at: exceeded.available_at,
        })?;
    }
    if order.amount > order.balance {
        return Err(Refusal { remaining: Some(order.balance), ..Refusal::of(PolicyError::InsufficientBalance) });
    }
    if order.amount >= policy.escalation_threshold && !order.is_approved {
        return Err(Refusal::above(PolicyError::EscalationThreshold, policy.escalation_threshold));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
