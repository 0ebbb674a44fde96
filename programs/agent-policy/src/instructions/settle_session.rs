//! Pays the payee the amount that a voucher proves, once for all payments that it sums up. The policy is not checked: the money was
//! committed when the session was opened.
use anchor_lang::prelude::*;
use anchor_spl::token::Token;

use crate::{
    constants::{INSTRUCTIONS_SYSVAR, LAYOUT_VERSION},
    errors::PolicyError,
    events::SessionSettled,
    shared::{
        clock::unix_now,
        controller::{effective_operator, release},
        ed25519::verified_before,
        pda::signed_by_session,
        token_transfer::TokenTransfer,
        token_view::{can_receive, check_mint, decimals, escrow_balance, TokenView},
        voucher::Voucher,
    },
    state::{AgentAccount, Fleet, Session, SessionStatus},
};

/// Also part of the accounts of the instructions that close a session.
#[derive(Accounts)]
pub struct SettleSession<'info> {
    #[account(
        mut,
        constraint = account.load()?.version == LAYOUT_VERSION @ PolicyError::UnsupportedVersion
    )]
    pub account: AccountLoader<'info, AgentAccount>,
    #[account(
        mut,
        has_one = account @ PolicyError::WrongSession,
        has_one = escrow @ PolicyError::WrongEscrow,
        has_one = payee @ PolicyError::WrongPayee,
        has_one = payee_token_account @ PolicyError::WrongPayee,
        constraint = session.load()?.version == LAYOUT_VERSION @ PolicyError::UnsupportedVersion
    )]
    pub session: AccountLoader<'info, Session>,
    /// CHECK: tied to the session and read in place.
    #[account(mut)]
    pub escrow: UncheckedAccount<'info>,
    /// CHECK: each instruction ties it to the escrow's.
    pub mint: UncheckedAccount<'info>,
    /// CHECK: tied to the session.
    pub payee: UncheckedAccount<'info>,
    /// CHECK: tied to the session and read in place.
    #[account(mut)]
    pub payee_token_account: UncheckedAccount<'info>,
    /// CHECK: present if a voucher is presented, which the instruction immediately before must verify.
    #[account(address = INSTRUCTIONS_SYSVAR)]
    pub instructions: Option<UncheckedAccount<'info>>,
    pub token_program: Program<'info, Token>,
    /// The fleet of a member.
    #[account(mut)]
    pub fleet: Option<AccountLoader<'info, Fleet>>,
}

impl<'info> SettleSession<'info> {
    /// Returns the account's operator. Errors: `FleetMissing`, `WrongFleet`.
    pub(super) fn operator(&self) -> Result<Pubkey> {
        effective_operator(&*self.account.load()?, &self.fleet)
    }

    /// Proves the voucher, if one is presented, and records its amount in the session. Returns the newly proven micro-USDC. The amount
    /// of an owed session is final. Errors: `VoucherMissing` and those of `Voucher::read` and `Session::prove`.
    pub(super) fn prove_voucher(&self, now: i64) -> Result<u64> {
        let mut session = self.session.load_mut()?;
        let Some(instructions) = &self.instructions else { return Ok(0) };
        if session.has_status(SessionStatus::Owed) {
            return Ok(0);
        }
        let data = instructions.try_borrow_data()?;
        let verified = verified_before(&data).ok_or(PolicyError::VoucherMissing)?;
        let voucher = Voucher::read(verified, &session.voucher_key, &self.session.key())?;
        let before = session.proven;
        session.prove(&voucher, now)?;
        Ok(session.proven - before)
    }

    /// Whether nothing is due or the payee can receive what is due. If the payee's token account was closed, an instruction before
    /// this one can create it again at its sender's expense.
    pub(super) fn can_pay(&self) -> Result<bool> {
        let is_due = {
            let session = self.session.load()?;
            session.proven > session.settled
        };
        Ok(!is_due || can_receive(&self.payee_token_account, self.payee.key, self.mint.key)?)
    }

    /// Pays the payee `proven - settled` and moves that amount from `reserved` into the spend window at `now` (unix seconds); for an
    /// owed session this happened when it closed. Returns the micro-USDC paid.
    pub(super) fn pay(&self, now: u64) -> Result<u64> {
        let (amount, is_owed) = {
            let mut session = self.session.load_mut()?;
            let amount = session.proven - session.settled;
            session.settled = session.proven;
            (amount, session.has_status(SessionStatus::Owed))
        };
        if amount == 0 {
            return Ok(0);
        }
        self.transfer_from_escrow(&self.payee_token_account, amount)?;
        if !is_owed {
            release(&mut *self.account.load_mut()?, &self.fleet, amount, amount, now)?;
        }
        Ok(amount)
    }

    /// Transfers `amount` micro-USDC out of the escrow and checks that exactly this much left. Error: `UnexpectedBalance`.
    pub(super) fn transfer_from_escrow(&self, to: &AccountInfo<'info>, amount: u64) -> Result<()> {
        let balance = escrow_balance(&self.escrow, &self.session.key())?;
        let decimals = decimals(&self.mint)?;
        let owner = self.session.as_ref();
        let transfer = TokenTransfer { from: &self.escrow, mint: &self.mint, to, owner, amount, decimals };
        signed_by_session(&self.session, |seeds| transfer.execute(seeds))?;
        let data = self.escrow.try_borrow_data()?;
        let left = TokenView::read(&data, self.escrow.owner, self.mint.key).map(|view| view.amount());
        require!(left.is_some() && left == balance.checked_sub(amount), PolicyError::UnexpectedBalance);
        Ok(())
    }

    /// Checks the invariants of both the account and the session, which must not be closed.
    pub(super) fn check_invariants(&self) -> Result<()> {
        self.account.load()?.invariant()?;
        self.session.load()?.invariant()
    }
}

/// Idempotent: without a newly proven amount nothing is paid. Errors: those of the voucher, and `PayeeBlocked`.
pub fn settle_session(ctx: Context<SettleSession>) -> Result<()> {
    let accounts = &ctx.accounts;
    check_mint(&accounts.escrow, accounts.mint.key)?;
    accounts.operator()?;
    let clock = Clock::get()?;
    let newly_proven = accounts.prove_voucher(clock.unix_timestamp)?;
    let amount = if accounts.can_pay()? {
        accounts.pay(unix_now(&clock)?)?
    } else {
        // The proven amount stays due, also if the session is closed before the payee can receive.
        require!(newly_proven > 0, PolicyError::PayeeBlocked);
        0
    };
    accounts.check_invariants()?;
    let session = accounts.session.load()?;
    emit!(SessionSettled {
        account: session.account,
        session: accounts.session.key(),
        session_id: session.id,
        amount,
        settled: session.settled,
        proven: session.proven,
        cap: session.cap,
        status: session.status,
    });
    Ok(())
}
