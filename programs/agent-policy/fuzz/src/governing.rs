//! Who decides, and what is allowed: policies, limits, membership and keys.
use agent_policy::{
    accounts as named, instruction as call,
    instructions::{AmountChange, SetFleetLimitsArgs, SetPolicyArgs, TimeChange},
    shared::list_change::ListChange,
};
use anchor_lang::prelude::*;
use anchor_spl::token::Token;

use crate::{
    planned::Planned,
    steps::{Change, Limit},
    turn::Turn,
    world::{CREATOR, GUARDIAN, OPERATOR},
};

/// Bound of limits, micro-USDC: they bind after a few steps.
const MOST_LIMIT: u64 = 4_096;

impl Turn<'_> {
    pub fn policy_args(&self, change: &Change, version: u64) -> SetPolicyArgs {
        let is_pause = matches!(change, Change::Pause(true));
        let mut args = SetPolicyArgs {
            expected_version: (!is_pause).then_some(version),
            max_single_transfer: AmountChange::Keep,
            max_daily_spend: AmountChange::Keep,
            max_monthly_spend: AmountChange::Keep,
            max_lifetime_spend: AmountChange::Keep,
            max_session_cap: AmountChange::Keep,
            escalation_threshold: AmountChange::Keep,
            approval_above_daily_sum: AmountChange::Keep,
            valid_until: TimeChange::Keep,
            allowed_counterparties: ListChange::Keep,
            categories: ListChange::Keep,
            require_memo: None,
            paused: None,
        };
        match change {
            Change::Pause(paused) => args.paused = Some(*paused),
            Change::ValidFor(None) => args.valid_until = TimeChange::Clear,
            Change::ValidFor(Some(seconds)) => {
                args.valid_until =
                    TimeChange::Set { unix_seconds: self.world.chain.now as u64 + u64::from(*seconds) * 60 };
            }
            Change::Limit(limit, amount) => {
                let field = match limit {
                    Limit::Single => &mut args.max_single_transfer,
                    Limit::Daily => &mut args.max_daily_spend,
                    Limit::Monthly => &mut args.max_monthly_spend,
                    Limit::Lifetime => &mut args.max_lifetime_spend,
                    Limit::SessionCap => &mut args.max_session_cap,
                    Limit::Escalation => &mut args.escalation_threshold,
                    Limit::DailyApproval => &mut args.approval_above_daily_sum,
                };
                *field = amount_change(*amount);
            }
        }
        args
    }

    pub fn set_policy(&self, change: &Change) -> Planned {
        let policy = self.world.agents[self.agent].policy;
        let version = self.world.chain.policy(&policy).map_or(0, |policy| policy.version);
        let (owner, args) = (self.address(), self.policy_args(change, version));
        let token_account = Some(self.token_account());
        Planned::new(
            self.policy_accounts(owner, policy, OPERATOR, token_account, self.fleet()),
            call::SetPolicy { args },
        )
    }

    pub fn set_fleet_policy(&self, change: &Change, by_guardian: bool) -> Planned {
        let (owner, policy) = (self.world.fleet, self.world.fleet_policy);
        let version = self.world.chain.policy(&policy).map_or(0, |policy| policy.version);
        let signer = if by_guardian { GUARDIAN } else { OPERATOR };
        let args = self.policy_args(change, version);
        Planned::new(self.policy_accounts(owner, policy, signer, None, None), call::SetPolicy { args })
    }

    pub fn policy_accounts(
        &self,
        owner: Pubkey,
        policy: Pubkey,
        operator: Pubkey,
        token_account: Option<Pubkey>,
        fleet: Option<Pubkey>,
    ) -> named::SetPolicy {
        named::SetPolicy {
            owner,
            policy,
            operator,
            payer: CREATOR,
            rent_recipient: Some(CREATOR),
            draft: None,
            draft_rent_recipient: None,
            system_program: System::id(),
            token_account,
            token_program: token_account.map(|_| Token::id()),
            fleet,
        }
    }

    pub fn set_fleet_limit(&self, limit: &Limit, amount: Option<u16>) -> Planned {
        let mut args = SetFleetLimitsArgs {
            expected_version: self.world.chain.fleet(&self.world.fleet).limits_version,
            max_daily_spend: AmountChange::Keep,
            max_monthly_spend: AmountChange::Keep,
            max_lifetime_spend: AmountChange::Keep,
        };
        let field = match limit {
            Limit::Monthly => &mut args.max_monthly_spend,
            Limit::Lifetime => &mut args.max_lifetime_spend,
            _ => &mut args.max_daily_spend,
        };
        *field = amount_change(amount);
        let accounts = named::SetFleetLimits { fleet: self.world.fleet, operator: OPERATOR };
        Planned::new(accounts, call::SetFleetLimits { args })
    }

    pub fn end_policy(&self) -> Option<Planned> {
        let policy = self.world.agents[self.agent].policy;
        let expected_version = self.world.chain.policy(&policy)?.version;
        let (account, fleet) = (self.address(), self.fleet());
        let accounts = named::EndPolicy { account, policy, operator: OPERATOR, rent_recipient: CREATOR, fleet };
        Some(Planned::new(accounts, call::EndPolicy { expected_version }))
    }

    pub fn join(&self, by_guardian: bool) -> Planned {
        let operator = if by_guardian { GUARDIAN } else { OPERATOR };
        let accounts = named::JoinFleet { account: self.address(), fleet: self.world.fleet, operator };
        Planned::new(accounts, call::JoinFleet {})
    }

    pub fn leave(&self) -> Planned {
        let policy = self.world.agents[self.agent].policy;
        let accounts = named::LeaveFleet {
            account: self.address(),
            fleet: self.fleet(),
            operator: OPERATOR,
            policy,
            payer: CREATOR,
            system_program: System::id(),
        };
        Planned::new(accounts, call::LeaveFleet {})
    }

    pub fn rotate(&mut self) -> Planned {
        let new_authority = self.world.new_key();
        let accounts = named::RotateAuthority {
            account: self.address(),
            operator: OPERATOR,
            token_account: Some(self.token_account()),
            token_program: Some(Token::id()),
            fleet: self.fleet(),
        };
        Planned::new(accounts, call::RotateAuthority { new_authority })
    }
}

fn amount_change(amount: Option<u16>) -> AmountChange {
    amount.map_or(AmountChange::Clear, |amount| AmountChange::Set { amount: u64::from(amount) % MOST_LIMIT })
}
