//! Money set aside for one payee, paid out by vouchers and given back at the end.
use anchor_lang::prelude::*;

use super::{AgentAccount, Entry, TokenAccountState, TokenView, Voucher};
use crate::{
    constants::{
        ESCROW_SEED, MAX_GRACE_SECONDS, MAX_SESSION_SECONDS, MIN_SESSION_SECONDS, OWED_CLAIM_SECONDS, SESSION_SEED,
    },
    errors::PolicyError,
};

/// Where a session stands. One that is over is no account any more.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionStatus {
    /// Vouchers are signed and settled.
    Open = 1,
    /// A closing began; vouchers are settled until the grace period is over.
    Closing = 2,
    /// It ended while its payee could not receive: the escrow holds what is owed, and nothing is reserved for it.
    Owed = 3,
}

/// PDA `["session", account, seq]`. It owns the escrow, a token account at the PDA `["escrow", session]`. A number is spent once
/// for ever, so no address lives twice and no voucher meets a later session. Always `settled <= proven <= cap`.
#[account(zero_copy)]
pub struct Session {
    /// Layout of this account.
    pub version: u8,
    /// Bump of its own address.
    pub bump: u8,
    /// A `SessionStatus`.
    pub status: u8,
    /// Not used.
    pub padding: u8,
    /// Seconds that the payee has to settle after a closing or the expiry; fixed for ever.
    pub grace_seconds: u32,
    /// The paying `AgentAccount`.
    pub account: Pubkey,
    /// The service's id of the session.
    pub id: [u8; 16],
    /// SHA-256 of the provider's origin.
    pub provider_hash: [u8; 32],
    /// Who is paid.
    pub payee: Pubkey,
    /// The payee's associated token account; no other is ever paid.
    pub payee_token_account: Pubkey,
    /// The key that signs vouchers.
    pub voucher_key: Pubkey,
    /// Category, zero-padded; all zeros where none was given.
    pub category: Entry,
    /// The token account that holds what may still be paid out.
    pub escrow: Pubkey,
    /// Who paid the rent of session and escrow and gets it back.
    pub rent_payer: Pubkey,
    /// The sequence number that opened it.
    pub seq: u64,
    /// Micro-USDC that moved into escrow, top-ups included.
    pub cap: u64,
    /// Micro-USDC paid to the payee.
    pub settled: u64,
    /// Micro-USDC of the highest voucher shown; above `settled` only while the payee cannot receive.
    pub proven: u64,
    /// Unix seconds.
    pub opened_at: i64,
    /// Unix seconds.
    pub expires_at: i64,
    /// Unix seconds when its closing began; 0 before.
    pub closing_at: i64,
    /// Micro-USDC of the highest cap that the operator approved, by co-signing the opening or a top-up; 0 where it never did.
    pub approved_cap: u64,
    /// Unix seconds when it ended owing its payee; 0 before.
    pub owed_at: i64,
    /// Room for later fields; zero until then.
    pub unused: [u8; 48],
}

impl Session {
    /// Bytes on chain, discriminator included.
    pub const SPACE: usize = 8 + std::mem::size_of::<Self>();

    /// Signer seeds of its address; `bump` is the stored one.
    pub fn seeds<'a>(account: &'a Pubkey, seq: &'a [u8; 8], bump: &'a [u8; 1]) -> [&'a [u8]; 4] {
        [SESSION_SEED, account.as_ref(), seq, bump]
    }

    /// Signer seeds of its escrow's address.
    pub fn escrow_seeds<'a>(session: &'a Pubkey, bump: &'a [u8; 1]) -> [&'a [u8]; 3] {
        [ESCROW_SEED, session.as_ref(), bump]
    }

    /// Makes an account of the program's, `SPACE` zeros, this session's. The discriminator goes with it: nobody else writes it.
    pub fn store(&self, info: &AccountInfo) -> Result<()> {
        let mut data = info.try_borrow_mut_data()?;
        let (discriminator, content) = data.split_at_mut(Self::DISCRIMINATOR.len());
        discriminator.copy_from_slice(Self::DISCRIMINATOR);
        content.copy_from_slice(bytemuck::bytes_of(self));
        Ok(())
    }

    /// Where it stands.
    pub fn has_status(&self, status: SessionStatus) -> bool {
        self.status == status as u8
    }

    /// Whether a single payment of `amount` (micro-USDC) lies within what the operator approved.
    pub fn is_approved(&self, amount: u64) -> bool {
        amount <= self.approved_cap
    }

    /// Unix seconds from which on the operator may write off what is owed. A session that ended before `owed_at` was a field counts
    /// from the end of its grace period.
    pub fn claim_ends_at(&self) -> i64 {
        let from = if self.owed_at == 0 { self.ends_at() } else { self.owed_at };
        from.saturating_add(OWED_CLAIM_SECONDS)
    }

    /// Whether it may still be paid from, and topped up, at `now` (unix seconds). Errors: `SessionNotOpen`, `SessionExpired`.
    pub fn check_open(&self, now: i64) -> Result<()> {
        require!(self.has_status(SessionStatus::Open), PolicyError::SessionNotOpen);
        require!(now < self.expires_at, PolicyError::SessionExpired);
        Ok(())
    }

    /// Unix seconds from which on anybody may end it: a grace period after its closing began or it expired, whichever was first.
    pub fn ends_at(&self) -> i64 {
        let from = if self.closing_at == 0 { self.expires_at } else { self.expires_at.min(self.closing_at) };
        from.saturating_add(self.grace_seconds.into())
    }

    /// Take note of what a voucher proves; a lower one than shown before changes nothing. Errors: `VoucherExpired`, `VoucherAboveCap`.
    pub fn show(&mut self, voucher: &Voucher, now: i64) -> Result<()> {
        require!(voucher.expires_at == 0 || now < voucher.expires_at, PolicyError::VoucherExpired);
        require!(voucher.cumulative <= self.cap, PolicyError::VoucherAboveCap);
        self.proven = self.proven.max(voucher.cumulative);
        Ok(())
    }

    /// The category, where one was given.
    pub fn category(&self) -> Option<&Entry> {
        (self.category != Entry::default()).then_some(&self.category)
    }
}

/// Whether so many seconds are a session's. Error: `SessionDurationInvalid`.
pub fn check_duration(expires_in_seconds: u32, grace_seconds: u32) -> Result<()> {
    let is_valid = (MIN_SESSION_SECONDS..=MAX_SESSION_SECONDS).contains(&expires_in_seconds);
    require!(is_valid && grace_seconds <= MAX_GRACE_SECONDS, PolicyError::SessionDurationInvalid);
    Ok(())
}

/// Micro-USDC in a session's escrow. Errors: `WrongEscrow`, `EscrowFrozen`.
pub fn escrow_balance(escrow: &AccountInfo, session: &Pubkey, account: &AgentAccount) -> Result<u64> {
    let data = escrow.try_borrow_data()?;
    let view = TokenView::read(&data, escrow.owner, &account.mint)
        .filter(|view| view.owner() == session.as_ref())
        .ok_or(PolicyError::WrongEscrow)?;
    require!(view.state() == TokenAccountState::Initialized, PolicyError::EscrowFrozen);
    Ok(view.amount())
}

/// Whether the payee's token account receives now. It does not while it is frozen, and where it was closed or given away.
pub fn can_receive(token_account: &AccountInfo, payee: &Pubkey, mint: &Pubkey) -> Result<bool> {
    let data = token_account.try_borrow_data()?;
    let view = TokenView::read(&data, token_account.owner, mint).filter(|view| view.owner() == payee.as_ref());
    Ok(view.is_some_and(|view| view.state() == TokenAccountState::Initialized))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session() -> Session {
        let mut session: Session = bytemuck::Zeroable::zeroed();
        (session.status, session.cap, session.expires_at, session.grace_seconds) = (1, 100, 1_000, 10);
        session
    }

    fn refusal(result: Result<()>) -> String {
        match result {
            Err(Error::AnchorError(error)) => error.error_name,
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn a_session_is_open_until_the_second_of_its_expiry() {
        assert!(session().check_open(999).is_ok());
        assert_eq!(refusal(session().check_open(1_000)), "SessionExpired");
        assert_eq!(refusal(Session { status: 2, ..session() }.check_open(0)), "SessionNotOpen");
        assert_eq!(refusal(Session { status: 3, ..session() }.check_open(0)), "SessionNotOpen");
    }

    #[test]
    fn the_grace_period_runs_from_the_closing_or_the_expiry_whichever_is_first() {
        assert_eq!(session().ends_at(), 1_010);
        assert_eq!(Session { closing_at: 500, ..session() }.ends_at(), 510);
        assert_eq!(Session { closing_at: 1_005, ..session() }.ends_at(), 1_010);
        assert_eq!(Session { expires_at: i64::MAX, ..session() }.ends_at(), i64::MAX);
    }

    #[test]
    fn vouchers_are_monotonic_and_below_the_cap() {
        let mut session = session();
        let voucher = |cumulative, expires_at| Voucher { cumulative, expires_at };
        session.show(&voucher(60, 0), 5).unwrap();
        session.show(&voucher(20, 0), 5).unwrap();
        assert_eq!(session.proven, 60);
        assert_eq!(refusal(session.show(&voucher(101, 0), 5)), "VoucherAboveCap");
        assert_eq!(refusal(session.show(&voucher(70, 5), 5)), "VoucherExpired");
        assert_eq!(refusal(session.show(&voucher(70, -1), 5)), "VoucherExpired");
        session.show(&voucher(100, 6), 5).unwrap();
        assert_eq!(session.proven, 100);
    }

    #[test]
    fn durations_have_their_bounds() {
        for (expires, grace) in [(60, 0), (2_592_000, 86_400)] {
            assert!(check_duration(expires, grace).is_ok());
        }
        for (expires, grace) in [(59, 0), (2_592_001, 0), (60, 86_401), (0, 0), (u32::MAX, u32::MAX)] {
            assert_eq!(refusal(check_duration(expires, grace)), "SessionDurationInvalid");
        }
    }
}
