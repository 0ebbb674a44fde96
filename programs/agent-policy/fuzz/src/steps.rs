//! The steps that libFuzzer chooses among: who does what with which amount, after how long, and what a thief exchanges in the instruction.
use anchor_lang::prelude::*;
use arbitrary::{Arbitrary, Unstructured};
use mollusk_svm::Mollusk;

use crate::{chain::Chain, planned::Planned, turn::Turn, world::World};

#[derive(Arbitrary, Debug)]
pub enum Wait {
    Seconds(u16),
    /// To the last second of the bucket of 15 minutes, or the first of the next one.
    Bucket {
        next: bool,
    },
    Hours(u8),
    Days(u8),
}

/// An amount in micro-USDC.
#[derive(Arbitrary, Clone, Copy, Debug)]
pub enum Amount {
    Of(u16),
    /// The amount that still fits under the tightest limit, or one more.
    Fitting {
        over: bool,
    },
}

/// Exchanges an account of the instruction for another, or takes a signature away.
#[derive(Arbitrary, Debug)]
pub enum Tamper {
    Exchange { at: u8, with: u8 },
    Unsign { at: u8 },
}

#[derive(Arbitrary, Debug)]
pub enum Limit {
    Single,
    Daily,
    Monthly,
    Lifetime,
    SessionCap,
    Escalation,
    DailyApproval,
}

#[derive(Arbitrary, Debug)]
pub enum Change {
    Pause(bool),
    Limit(Limit, Option<u16>),
    ValidFor(Option<u16>),
}

#[derive(Arbitrary, Debug)]
pub enum Action {
    Pay {
        amount: Amount,
        back: u8,
        approved: bool,
    },
    Deposit {
        amount: u16,
    },
    OpenSession {
        cap: Amount,
        seconds: u16,
        grace: u8,
        approved: bool,
    },
    TopUp {
        amount: Amount,
        approved: bool,
    },
    CloseSession {
        by_stranger: bool,
        has_consent: bool,
    },
    CloseExpired,
    Approve {
        amount: Amount,
        seconds: u16,
        purse: bool,
        approved: bool,
    },
    /// `part` of 255 of what is left.
    UseCharge {
        part: u8,
    },
    FinishCharge {
        by_stranger: bool,
    },
    FundPurse {
        amount: Amount,
        seconds: u16,
        approved: bool,
    },
    UsePurse {
        part: u8,
    },
    Sweep {
        by_stranger: bool,
    },
    Finish {
        by_stranger: bool,
    },
    ClosePurse {
        by_stranger: bool,
    },
    Policy(Change),
    FleetPolicy {
        change: Change,
        by_guardian: bool,
    },
    FleetLimit(Limit, Option<u16>),
    EndPolicy,
    Join {
        by_guardian: bool,
    },
    Leave,
    Rotate,
}

#[derive(Arbitrary, Debug)]
pub struct Step {
    #[arbitrary(with = one_in::<2, _>)]
    wait: Option<Wait>,
    /// Which of the two accounts.
    second: bool,
    action: Action,
    #[arbitrary(with = one_in::<8, _>)]
    tamper: Option<Tamper>,
}

impl Step {
    pub fn take(&self, world: &mut World, vm: &mut Mollusk) {
        world.chain.now += self.wait.as_ref().map_or(0, |wait| wait.seconds(world.chain.now));
        let mut turn = Turn { agent: self.second.into(), world };
        let Some(mut planned) = turn.plan(&self.action) else { return };
        if let Some(tamper) = &self.tamper {
            tamper.apply(&mut planned, &world.chain);
        }
        world.send(vm, planned);
    }
}

impl Wait {
    fn seconds(&self, now: i64) -> i64 {
        match self {
            Self::Seconds(seconds) => (*seconds).into(),
            Self::Bucket { next } => 899 - now % 900 + i64::from(*next),
            Self::Hours(hours) => i64::from(*hours) * 3_600,
            Self::Days(days) => i64::from(days % 40) * 86_400,
        }
    }
}

impl Tamper {
    fn apply(&self, planned: &mut Planned, chain: &Chain) {
        let (addresses, metas) = (chain.addresses(), &mut planned.instruction.accounts);
        let count = metas.len();
        match self {
            Self::Exchange { at, with } => {
                let meta = &mut metas[*at as usize % count];
                meta.pubkey = addresses[*with as usize % addresses.len()];
                meta.is_signer &= chain.can_sign(&meta.pubkey);
            }
            Self::Unsign { at } => metas[*at as usize % count].is_signer = false,
        }
        planned.must_succeed = false;
    }
}

/// A value in one of `MANY` steps, so that most steps have neither a wait nor a tampered account.
fn one_in<'a, const MANY: u8, T: Arbitrary<'a>>(bytes: &mut Unstructured<'a>) -> arbitrary::Result<Option<T>> {
    Ok(if bytes.ratio(1, MANY)? { Some(bytes.arbitrary()?) } else { None })
}
