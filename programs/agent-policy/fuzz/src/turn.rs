//! One step of one account: which instruction it is, and the accounts that most instructions share.
use agent_policy::{accounts as named, constants::NO_LIMIT};
use anchor_lang::prelude::*;
use anchor_spl::{associated_token::AssociatedToken, token::Token};

use crate::{
    planned::Planned,
    steps::{Action, Amount},
    world::{pda, World, OPERATOR, STRANGER},
};

/// Bound of amounts that are not fitted to a limit, micro-USDC; limits may be far above, and an account's money is soon spent.
const MOST: u64 = 2_048;

/// One step of one account.
pub struct Turn<'a> {
    pub world: &'a mut World,
    pub agent: usize,
}

impl Turn<'_> {
    pub fn plan(&mut self, action: &Action) -> Option<Planned> {
        match action {
            Action::Pay { amount, back, approved } => Some(self.pay(self.amount(*amount), *back, *approved)),
            Action::Deposit { amount } => self.deposit(*amount),
            Action::OpenSession { cap, seconds, grace, approved } => {
                Some(self.open_session(self.amount(*cap), *seconds, *grace, *approved))
            }
            Action::TopUp { amount, approved } => self.top_up(self.amount(*amount), *approved),
            Action::CloseSession { by_stranger, has_consent } => self.close_session(*by_stranger, *has_consent),
            Action::CloseExpired => self.close_expired(),
            Action::Approve { amount, seconds, purse, approved } => {
                Some(self.approve(self.amount(*amount), *seconds, *purse, *approved))
            }
            Action::UseCharge { part } => Some(self.use_charge(*part)),
            Action::FinishCharge { by_stranger } => Some(self.finish_charge(*by_stranger)),
            Action::FundPurse { amount, seconds, approved } => {
                Some(self.fund_purse(self.amount(*amount), *seconds, *approved))
            }
            Action::UsePurse { part } => self.use_purse(*part),
            Action::Sweep { by_stranger } => self.sweep(*by_stranger),
            Action::Finish { by_stranger } => self.finish(*by_stranger),
            Action::ClosePurse { by_stranger } => self.close_purse(*by_stranger),
            Action::Policy(change) => Some(self.set_policy(change)),
            Action::FleetPolicy { change, by_guardian } => Some(self.set_fleet_policy(change, *by_guardian)),
            Action::FleetLimit(limit, amount) => Some(self.set_fleet_limit(limit, *amount)),
            Action::EndPolicy => self.end_policy(),
            Action::Join { by_guardian } => Some(self.join(*by_guardian)),
            Action::Leave => Some(self.leave()),
            Action::Rotate => Some(self.rotate()),
        }
    }

    pub fn address(&self) -> Pubkey {
        self.world.agents[self.agent].address
    }

    pub fn token_account(&self) -> Pubkey {
        self.world.agents[self.agent].token_account
    }

    pub fn state(&self) -> agent_policy::state::AgentAccount {
        self.world.chain.agent(&self.address())
    }

    pub fn fleet(&self) -> Option<Pubkey> {
        self.world.fleet_of(self.agent)
    }

    pub fn next_nonce(&self) -> u64 {
        self.state().replay.highest + 1
    }

    pub fn closer(&self, by_stranger: bool) -> Pubkey {
        if by_stranger {
            STRANGER
        } else {
            self.state().authority
        }
    }

    pub fn spender(&self, approved: bool) -> named::SpendAccounts {
        let state = self.state();
        named::SpendAccounts {
            account: self.address(),
            policy: (state.has_policy != 0).then_some(self.world.agents[self.agent].policy),
            authority: state.authority,
            operator: approved.then_some(OPERATOR),
            token_account: self.token_account(),
            mint: self.world.chain.mint,
            fleet: self.fleet(),
            fleet_policy: self.fleet().map(|_| self.world.fleet_policy),
        }
    }

    /// Micro-USDC of `amount`; 0 for what fits without any limit.
    fn amount(&self, amount: Amount) -> u64 {
        match amount {
            Amount::Of(amount) => u64::from(amount) % MOST,
            Amount::Fitting { over } => self.fitting().unwrap_or(0) + u64::from(over),
        }
    }

    /// The amount that fits under the tightest limit of the account and its fleet, by the program's own sums.
    fn fitting(&self) -> Option<u64> {
        let (chain, now) = (&self.world.chain, self.world.chain.now as u64);
        let state = self.state();
        let own = chain.policy(&self.world.agents[self.agent].policy).map(|policy| (state.tally, policy.limits()));
        let fleet = self.fleet().map(|fleet| chain.fleet(&fleet));
        let fleets =
            fleet.and_then(|_| chain.policy(&self.world.fleet_policy)).map(|policy| (state.tally, policy.limits()));
        let members = fleet.map(|fleet| (fleet.tally, fleet.limits()));
        let sums = [own, fleets, members].into_iter().flatten().flat_map(|(mut tally, limits)| {
            tally.advance(now);
            let left = [tally.window.spent, tally.month.spent, tally.lifetime];
            let most = [limits.max_daily_spend, limits.max_monthly_spend, limits.max_lifetime_spend];
            most.into_iter()
                .zip(left)
                .filter(|(most, _)| *most != NO_LIMIT)
                .map(move |(most, left)| most.saturating_sub(left).saturating_sub(tally.reserved))
        });
        sums.min()
    }
}

pub fn event_authority() -> Pubkey {
    pda(&[b"__event_authority"])
}

/// The bump of the address of `owner`'s token account.
pub fn ata_bump(owner: &Pubkey, mint: &Pubkey) -> u8 {
    let seeds = [owner.as_ref(), Token::id().as_ref(), mint.as_ref()].map(<[u8]>::to_vec);
    Pubkey::find_program_address(&seeds.each_ref().map(Vec::as_slice), &AssociatedToken::id()).1
}
