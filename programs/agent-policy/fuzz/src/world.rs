//! Two accounts and a fleet, what is open of them, and what the program must never do to them.
use std::collections::{BTreeMap, BTreeSet};

use agent_policy::{
    constants::NO_LIMIT,
    errors::PolicyError,
    instructions::{CreateAccountArgs, CreateFleetArgs},
    state::Policy,
};
use anchor_lang::prelude::*;
use anchor_spl::{
    associated_token::{get_associated_token_address, AssociatedToken},
    token::Token,
};
use mollusk_svm::{result::ProgramResult, Mollusk};

use crate::{
    books::{Book, DAY, MONTH},
    chain::Chain,
    coverage::note_sequence,
    planned::{Allowance, Planned},
};

pub const CREATOR: Pubkey = Pubkey::new_from_array([1; 32]);
pub const OPERATOR: Pubkey = Pubkey::new_from_array([2; 32]);
pub const GUARDIAN: Pubkey = Pubkey::new_from_array([3; 32]);
pub const STRANGER: Pubkey = Pubkey::new_from_array([4; 32]);
pub const PAYEE: Pubkey = Pubkey::new_from_array([5; 32]);
const MINT: Pubkey = Pubkey::new_from_array([6; 32]);
const DEPOSIT: u64 = 20_000;
/// The last three instructions.
const TRAIL: u64 = (1 << 48) - 1;

#[derive(Clone)]
pub struct Agent {
    pub address: Pubkey,
    pub policy: Pubkey,
    pub token_account: Pubkey,
}

#[derive(Clone)]
pub struct World {
    pub chain: Chain,
    pub agents: Vec<Agent>,
    pub fleet: Pubkey,
    pub fleet_policy: Pubkey,
    pub sessions: Vec<Allowance>,
    pub purses: Vec<Allowance>,
    books: BTreeMap<Pubkey, Book>,
    nonces: BTreeSet<(Pubkey, u64)>,
    /// Two bytes of each of the last instructions that succeeded.
    trail: u64,
    keys: u8,
}

impl World {
    /// Both accounts outside of the fleet, with money and without limits.
    pub fn new(vm: &mut Mollusk) -> Self {
        let mut chain = Chain::new(MINT);
        for key in [CREATOR, OPERATOR, STRANGER] {
            chain.fund(key);
        }
        chain.put_token_account(&PAYEE, 0, None);
        let fleet = pda(&[b"fleet", CREATOR.as_ref(), &[9; 16]]);
        let fleet_policy = pda(&[b"policy", fleet.as_ref()]);
        let mut world = Self {
            chain,
            agents: vec![],
            fleet,
            fleet_policy,
            sessions: vec![],
            purses: vec![],
            books: BTreeMap::new(),
            nonces: BTreeSet::new(),
            trail: 0,
            keys: 100,
        };
        world.create_fleet(vm);
        world.create_account(vm, 1);
        world.create_account(vm, 2);
        world
    }

    fn create_fleet(&mut self, vm: &mut Mollusk) {
        let accounts = agent_policy::accounts::CreateFleet {
            fleet: self.fleet,
            policy: self.fleet_policy,
            operator: OPERATOR,
            creator: CREATOR,
            system_program: System::id(),
        };
        let (guardian, none) = (Some(GUARDIAN), None);
        let args = CreateFleetArgs {
            id: [9; 16],
            guardian,
            max_daily_spend: none,
            max_monthly_spend: none,
            max_lifetime_spend: none,
        };
        self.must(vm, Planned::new(accounts, agent_policy::instruction::CreateFleet { args }));
    }

    fn create_account(&mut self, vm: &mut Mollusk, number: u8) {
        let id = [number; 16];
        let address = pda(&[b"account", CREATOR.as_ref(), &id]);
        let policy = pda(&[b"policy", address.as_ref()]);
        let token_account = get_associated_token_address(&address, &MINT);
        let accounts = agent_policy::accounts::CreateAccount {
            account: address,
            policy: Some(policy),
            token_account,
            mint: MINT,
            creator: CREATOR,
            token_program: Token::id(),
            associated_token_program: AssociatedToken::id(),
            system_program: System::id(),
            fleet: None,
            fleet_signer: None,
        };
        let args = CreateAccountArgs { id, operator: OPERATOR, authority: self.new_key() };
        self.must(vm, Planned::new(accounts, agent_policy::instruction::CreateAccount { args }));
        self.chain.put_token_account(&address, DEPOSIT, None);
        self.agents.push(Agent { address, policy, token_account });
    }

    fn must(&mut self, vm: &mut Mollusk, planned: Planned) {
        assert_eq!(self.chain.send(vm, &planned.instruction), ProgramResult::Success);
    }

    /// A new key.
    pub fn new_key(&mut self) -> Pubkey {
        self.keys = self.keys.wrapping_add(1).max(100);
        Pubkey::new_from_array([self.keys; 32])
    }

    /// The fleet of an account that is a member.
    pub fn fleet_of(&self, agent: usize) -> Option<Pubkey> {
        (self.chain.agent(&self.agents[agent].address).is_member != 0).then_some(self.fleet)
    }

    /// Sends an instruction and checks the invariants, whatever the instruction and its signers are. Panics if one is broken.
    pub fn send(&mut self, vm: &mut Mollusk, planned: Planned) {
        if self.pays_a_holder(&planned) {
            return;
        }
        let before = self.clone();
        let result = self.chain.send(vm, &planned.instruction);
        check_error(&result);
        assert!(!planned.must_succeed || result == ProgramResult::Success, "an allowance cannot be ended: {result:?}");
        if result != ProgramResult::Success {
            return;
        }
        let kind = planned.instruction.data.iter().take(2).fold(0, |kind, byte| kind << 8 | u64::from(*byte));
        self.trail = (self.trail << 16 | kind) & TRAIL;
        note_sequence(self.trail);
        if let Some(nonce) = planned.nonce {
            assert!(self.nonces.insert(nonce), "the nonce {} was used twice", nonce.1);
        }
        if let Some(opened) = &planned.opens {
            let list =
                if self.chain.session(&opened.address).is_some() { &mut self.sessions } else { &mut self.purses };
            list.push(opened.clone());
        }
        for agent in 0..self.agents.len() {
            self.check_agent(&before, agent, &planned);
        }
        let chain = &self.chain;
        self.sessions.retain(|one| chain.session(&one.address).is_some());
        self.purses.retain(|one| chain.purse(&one.address).is_some());
        self.check_fleet();
    }

    /// Whether a transfer of tokens pays into an allowance. Such transfers are not sent: the program counts the amount as spent, and this
    /// model only when it leaves the allowance.
    fn pays_a_holder(&self, planned: &Planned) -> bool {
        let is_transfer = planned.single.is_some() || planned.instruction.program_id == Token::id();
        let is_holder = |key: &Pubkey| self.sessions.iter().chain(&self.purses).any(|one| one.holder == *key);
        is_transfer && planned.instruction.accounts.iter().skip(1).any(|meta| is_holder(&meta.pubkey))
    }

    /// Records what left, and checks who took it and what the limits say.
    fn check_agent(&mut self, before: &Self, agent: usize, planned: &Planned) {
        let left = before.total(agent).saturating_sub(self.total(agent));
        let address = self.agents[agent].address;
        for owner in [Some(address), before.fleet_of(agent)].into_iter().flatten() {
            self.books.entry(owner).or_default().record(self.chain.now, left);
        }
        if left > 0 {
            assert!(
                before.spenders(agent).iter().any(|key| planned.is_signed_by(key)),
                "{left} left without a signature"
            );
        }
        let state = self.chain.agent(&address);
        assert!(state.tally.reserved >= self.open(agent), "an open allowance is not reserved");
        let is_judged = planned.instruction.program_id == agent_policy::ID;
        if is_judged && (left > 0 || self.open(agent) > before.open(agent)) {
            self.judge(agent, planned);
        }
    }

    /// The keys that may move money of an account: its authority, and the keys of its allowances.
    fn spenders(&self, agent: usize) -> Vec<Pubkey> {
        let state = self.chain.agent(&self.agents[agent].address);
        let purses = self.purses.iter().filter(|one| one.agent == agent).map(|one| one.owner);
        [state.authority, state.charge.delegate].into_iter().chain(purses).collect()
    }

    /// Micro-USDC of an account, what its allowances hold included.
    fn total(&self, agent: usize) -> u64 {
        self.chain.balance(&self.agents[agent].token_account) + self.held(agent)
    }

    fn held(&self, agent: usize) -> u64 {
        let allowances = self.sessions.iter().chain(&self.purses).filter(|one| one.agent == agent);
        allowances.map(|one| self.chain.balance(&one.holder)).sum()
    }

    /// Micro-USDC that may leave without another check.
    fn open(&self, agent: usize) -> u64 {
        self.held(agent) + self.chain.allowance(&self.agents[agent].token_account)
    }

    fn judge(&self, agent: usize, planned: &Planned) {
        let Agent { address, policy, .. } = &self.agents[agent];
        let own = self.chain.policy(policy).filter(|_| self.chain.agent(address).has_policy != 0);
        let fleet = self.fleet_of(agent);
        let fleets = fleet.and_then(|_| self.chain.policy(&self.fleet_policy));
        assert!(own.is_some() || fleets.is_some(), "spent without a policy");
        for policy in [own, fleets].into_iter().flatten() {
            self.judge_policy(&policy, planned);
            let limits = [policy.max_daily_spend, policy.max_monthly_spend, policy.max_lifetime_spend];
            self.judge_limits(address, self.open(agent), limits);
        }
        if let Some(fleet) = fleet {
            let state = self.chain.fleet(&fleet);
            let open = self.members().map(|member| self.open(member)).sum();
            self.judge_limits(&fleet, open, [state.max_daily_spend, state.max_monthly_spend, state.max_lifetime_spend]);
        }
    }

    fn judge_policy(&self, policy: &Policy, planned: &Planned) {
        assert!(policy.paused == 0, "spent while paused");
        assert!(policy.valid_until > self.chain.now as u64, "spent after the end");
        let Some(amount) = planned.single else { return };
        assert!(amount <= policy.max_single_transfer, "above the limit of one transfer");
        let is_approved = planned.is_signed_by(&OPERATOR);
        assert!(is_approved || amount < policy.escalation_threshold, "needed the operator's signature");
    }

    /// The amount that left in each span, and the one that still may, are within its limit.
    fn judge_limits(&self, owner: &Pubkey, open: u64, [daily, monthly, lifetime]: [u64; 3]) {
        let (book, now) = (&self.books[owner], self.chain.now);
        for (limit, left) in
            [(daily, book.left_in(DAY, now)), (monthly, book.left_in(MONTH, now)), (lifetime, book.left())]
        {
            assert!(
                limit == NO_LIMIT || left + open <= limit,
                "{left} left and {open} may still, above the limit of {limit}"
            );
        }
    }

    fn members(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.agents.len()).filter(|agent| self.fleet_of(*agent).is_some())
    }

    /// The fleet counts its members, and reserves what they reserve.
    fn check_fleet(&self) {
        let state = self.chain.fleet(&self.fleet);
        assert_eq!(state.members as usize, self.members().count());
        let reserved = self.members().map(|agent| self.chain.agent(&self.agents[agent].address).tally.reserved);
        assert_eq!(state.tally.reserved, reserved.sum::<u64>());
    }
}

pub fn pda(seeds: &[&[u8]]) -> Pubkey {
    Pubkey::find_program_address(seeds, &agent_policy::ID).0
}

/// A refusal has a number of its own, and is never that of a broken invariant.
fn check_error(result: &ProgramResult) {
    let broken = [PolicyError::InvariantViolated, PolicyError::UnexpectedBalance, PolicyError::Overflow].map(u32::from);
    match result {
        ProgramResult::Failure(ProgramError::Custom(code)) => assert!(!broken.contains(code), "{result:?}"),
        ProgramResult::UnknownError(error) => panic!("the program failed: {error:?}"),
        _ => (),
    }
}
