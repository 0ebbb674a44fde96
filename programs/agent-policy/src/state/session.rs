//! A session: a cap in escrow for one payee, paid out by vouchers; closing refunds the rest.
use anchor_lang::prelude::*;

use super::Entry;
use crate::{
    constants::{
        ESCROW_SEED, LAYOUT_VERSION, MAX_GRACE_SECONDS, MAX_SESSION_SECONDS, MIN_SESSION_SECONDS, OWED_CLAIM_SECONDS,
        SESSION_SEED,
    },
    errors::PolicyError,
    shared::voucher::Voucher,
};

/// Status of a session. A closed session has no account.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionStatus {
    /// Payments are made; vouchers can be settled.
    Open = 1,
    /// The grace period runs; vouchers can be settled until it ends.
    Closing = 2,
    /// Closed while its payee could not receive: the escrow holds what is owed, and nothing is reserved.
    Owed = 3,
}

/// PDA `["session", account, seq]`; owns the escrow, a token account at the PDA `["escrow", session]`. A nonce is used once, ever, so
/// no address is used twice and no voucher is valid for a later session.
#[account(zero_copy)]
pub struct Session {
    /// Layout version, `LAYOUT_VERSION`.
    pub version: u8,
    /// Bump of its address.
    pub bump: u8,
    /// A `SessionStatus`.
    pub status: u8,
    /// Alignment.
    pub padding: u8,
    /// Grace period: seconds in which the payee can settle after `closing_at` or `expires_at`. Never changes.
    pub grace_seconds: u32,
    /// The paying `AgentAccount`.
    pub account: Pubkey,
    /// The service's id of the session.
    pub id: [u8; 16],
    /// SHA-256 of the provider's origin.
    pub provider_hash: [u8; 32],
    /// Owner of the token account that is paid.
    pub payee: Pubkey,
    /// The payee's associated token account, the only one that is paid.
    pub payee_token_account: Pubkey,
    /// The key that signs vouchers.
    pub voucher_key: Pubkey,
    /// Category, zero-padded; all zeros if none was given.
    pub category: Entry,
    /// The token account that holds what can still be paid out.
    pub escrow: Pubkey,
    /// The key that paid the rent of session and escrow and gets it back.
    pub rent_payer: Pubkey,
    /// The nonce that opening it used up; part of the address.
    pub seq: u64,
    /// Micro-USDC moved into escrow, top-ups included.
    pub cap: u64,
    /// Micro-USDC paid to the payee.
    pub settled: u64,
    /// Micro-USDC of the highest voucher proven on chain; above `settled` only while the payee cannot receive.
    pub proven: u64,
    /// Time of opening, unix seconds.
    pub opened_at: i64,
    /// Time of expiry, unix seconds.
    pub expires_at: i64,
    /// Start of the grace period by `close_session`, unix seconds; 0 before.
    pub closing_at: i64,
    /// Micro-USDC of the highest cap that the operator approved by co-signing the opening or a top-up; 0 if it never did.
    pub approved_cap: u64,
    /// Time when it closed owing its payee, unix seconds; 0 before.
    pub owed_at: i64,
    /// Room for later fields; zero until then.
    pub unused: [u8; 48],
}

impl Session {
    /// Bytes on chain, discriminator included.
    pub const SPACE: usize = 8 + std::mem::size_of::<Self>();

    /// Signer seeds of the address; `bump` is the stored one.
    pub fn seeds<'a>(account: &'a Pubkey, seq: &'a [u8; 8], bump: &'a [u8; 1]) -> [&'a [u8]; 4] {
        [SESSION_SEED, account.as_ref(), seq, bump]
    }

    /// Signer seeds of the escrow's address.
    pub fn escrow_seeds<'a>(session: &'a Pubkey, bump: &'a [u8; 1]) -> [&'a [u8]; 3] {
        [ESCROW_SEED, session.as_ref(), bump]
    }

    /// Writes this session, discriminator included, into a new account of this program with `SPACE` zero bytes.
    pub fn store(&self, info: &AccountInfo) -> Result<()> {
        let mut data = info.try_borrow_mut_data()?;
        let (discriminator, content) = data.split_at_mut(Self::DISCRIMINATOR.len());
        discriminator.copy_from_slice(Self::DISCRIMINATOR);
        content.copy_from_slice(bytemuck::bytes_of(self));
        Ok(())
    }

    /// Whether the session has this status.
    pub fn has_status(&self, status: SessionStatus) -> bool {
        self.status == status as u8
    }

    /// Whether a single payment of `amount` (micro-USDC) is within what the operator approved.
    pub fn is_approved(&self, amount: u64) -> bool {
        amount <= self.approved_cap
    }

    /// Returns the unix seconds from which on the operator may write off what is owed. For a session that closed before `owed_at`
    /// existed, the claim starts at the end of its grace period.
    pub fn claim_ends_at(&self) -> i64 {
        let from = if self.owed_at == 0 { self.ends_at() } else { self.owed_at };
        from.saturating_add(OWED_CLAIM_SECONDS)
    }

    /// Checks that payments and top-ups are possible at `now` (unix seconds). Errors: `SessionNotOpen`, `SessionExpired`.
    pub fn check_open(&self, now: i64) -> Result<()> {
        require!(self.has_status(SessionStatus::Open), PolicyError::SessionNotOpen);
        require!(now < self.expires_at, PolicyError::SessionExpired);
        Ok(())
    }

    /// Returns the end of the grace period in unix seconds, from which on anyone may close the session. The grace period starts at
    /// `closing_at` or `expires_at`, whichever is earlier.
    pub fn ends_at(&self) -> i64 {
        let from = if self.closing_at == 0 { self.expires_at } else { self.expires_at.min(self.closing_at) };
        from.saturating_add(self.grace_seconds.into())
    }

    /// Raises `proven` to the voucher's amount; a lower voucher changes nothing. Errors: `VoucherExpired`, `VoucherAboveCap`.
    pub fn prove(&mut self, voucher: &Voucher, now: i64) -> Result<()> {
        require!(voucher.expires_at == 0 || now < voucher.expires_at, PolicyError::VoucherExpired);
        require!(voucher.cumulative <= self.cap, PolicyError::VoucherAboveCap);
        self.proven = self.proven.max(voucher.cumulative);
        Ok(())
    }

    /// Returns the category, if one was given.
    pub fn category(&self) -> Option<&Entry> {
        (self.category != Entry::default()).then_some(&self.category)
    }

    /// Checks what must hold after every instruction: the layout version, a known status, `settled <= proven <= cap`, `approved_cap
    /// <= cap`, and the order of the times. Error: `InvariantViolated`.
    pub fn invariant(&self) -> Result<()> {
        let holds = self.version == LAYOUT_VERSION
            && (SessionStatus::Open as u8..=SessionStatus::Owed as u8).contains(&self.status)
            && self.settled <= self.proven
            && self.proven <= self.cap
            && self.approved_cap <= self.cap
            && self.opened_at < self.expires_at
            && (!self.has_status(SessionStatus::Closing) || self.closing_at != 0);
        require!(holds, PolicyError::InvariantViolated);
        Ok(())
    }
}

/// Checks the bounds of a session's duration and grace period. Error: `SessionDurationInvalid`.
pub fn check_duration(expires_in_seconds: u32, grace_seconds: u32) -> Result<()> {
    let is_valid = (MIN_SESSION_SECONDS..=MAX_SESSION_SECONDS).contains(&expires_in_seconds);
    require!(is_valid && grace_seconds <= MAX_GRACE_SECONDS, PolicyError::SessionDurationInvalid);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session() -> Session {
        let mut session: Session = bytemuck::Zeroable::zeroed();
        (session.status, session.cap, session.expires_at, session.grace_seconds) = (1, 100, 1_000, 10);
        session
    }

    fn error_name(result: Result<()>) -> String {
        match result {
            Err(Error::AnchorError(error)) => error.error_name,
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn check_open_rejects_an_expired_or_closing_session() {
        assert!(session().check_open(999).is_ok());
        assert_eq!(error_name(session().check_open(1_000)), "SessionExpired");
        assert_eq!(error_name(Session { status: 2, ..session() }.check_open(0)), "SessionNotOpen");
        assert_eq!(error_name(Session { status: 3, ..session() }.check_open(0)), "SessionNotOpen");
    }

    #[test]
    fn ends_at_adds_the_grace_period_to_closing_or_expiry_whichever_is_earlier() {
        assert_eq!(session().ends_at(), 1_010);
        assert_eq!(Session { closing_at: 500, ..session() }.ends_at(), 510);
        assert_eq!(Session { closing_at: 1_005, ..session() }.ends_at(), 1_010);
        assert_eq!(Session { expires_at: i64::MAX, ..session() }.ends_at(), i64::MAX);
    }

    #[test]
    fn prove_is_monotonic_and_bounded_by_the_cap() {
        let mut session = session();
        let voucher = |cumulative, expires_at| Voucher { cumulative, expires_at };
        session.prove(&voucher(60, 0), 5).unwrap();
        session.prove(&voucher(20, 0), 5).unwrap();
        assert_eq!(session.proven, 60);
        assert_eq!(error_name(session.prove(&voucher(101, 0), 5)), "VoucherAboveCap");
        assert_eq!(error_name(session.prove(&voucher(70, 5), 5)), "VoucherExpired");
        assert_eq!(error_name(session.prove(&voucher(70, -1), 5)), "VoucherExpired");
        session.prove(&voucher(100, 6), 5).unwrap();
        assert_eq!(session.proven, 100);
    }

    #[test]
    fn check_duration_enforces_its_bounds() {
        for (expires, grace) in [(60, 0), (2_592_000, 86_400)] {
            assert!(check_duration(expires, grace).is_ok());
        }
        for (expires, grace) in [(59, 0), (2_592_001, 0), (60, 86_401), (0, 0), (u32::MAX, u32::MAX)] {
            assert_eq!(error_name(check_duration(expires, grace)), "SessionDurationInvalid");
        }
    }

    #[test]
    fn invariant_rejects_each_broken_part_of_a_session() {
        let valid = Session { version: LAYOUT_VERSION, settled: 20, proven: 60, approved_cap: 100, ..session() };
        assert!(valid.invariant().is_ok());
        for (name, broken) in [
            ("version", Session { version: 0, ..valid }),
            ("no status", Session { status: 0, ..valid }),
            ("unknown status", Session { status: 4, ..valid }),
            ("settled above proven", Session { settled: 61, ..valid }),
            ("proven above cap", Session { proven: 101, ..valid }),
            ("approved cap above cap", Session { approved_cap: 101, ..valid }),
            ("expiry before opening", Session { opened_at: 1_000, ..valid }),
            ("closing without a time", Session { status: 2, ..valid }),
        ] {
            assert!(broken.invariant().is_err(), "{name}");
        }
    }
}
