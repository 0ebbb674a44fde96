//! Pay what a voucher proves: once for all payments that it sums up. No policy, pause or lowered limit refuses it, for the money
//! left the account's hands when the session was opened.
use anchor_lang::prelude::*;
use anchor_spl::token::Token;

use super::{signed_by_session, unix_now, Payment};
use crate::{
    constants::{ED25519_PROGRAM, INSTRUCTIONS_SYSVAR, LAYOUT_VERSION},
    errors::PolicyError,
    events::SessionSettled,
    state::{
        can_receive, escrow_balance, instruction_before, AgentAccount, Session, SessionStatus, TokenView, Voucher,
    },
};

/// Also the greater part of what ends a session.
#[derive(Accounts)]
pub struct SettleSession<'info> {
    #[account(
        mut,
        has_one = mint @ PolicyError::WrongMint,
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
    /// CHECK: tied to the account.
    pub mint: UncheckedAccount<'info>,
    /// CHECK: tied to the session.
    pub payee: UncheckedAccount<'info>,
    /// CHECK: tied to the session and read in place.
    #[account(mut)]
    pub payee_token_account: UncheckedAccount<'info>,
    /// CHECK: given where a voucher is shown; its signature is then verified by the instruction immediately before.
    #[account(address = INSTRUCTIONS_SYSVAR)]
    pub instructions: Option<UncheckedAccount<'info>>,
    pub token_program: Program<'info, Token>,
}

/// Repeating it is harmless: nothing new shown pays nothing.
pub fn settle_session(ctx: Context<SettleSession>) -> Result<()> {
    let accounts = &ctx.accounts;
    let clock = Clock::get()?;
    let news = accounts.show(clock.unix_timestamp)?;
    let amount = if accounts.can_pay()? {
        accounts.pay(unix_now(&clock)?)?
    } else {
        // What was shown stays due: a session that ends meanwhile keeps it for the payee.
        require!(news > 0, PolicyError::PayeeBlocked);
        0
    };
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

impl<'info> SettleSession<'info> {
    /// Reads the voucher, if one is shown. Returns by how much it is above all before it. A session that is owed shows nothing new.
    pub(super) fn show(&self, now: i64) -> Result<u64> {
        let mut session = self.session.load_mut()?;
        let Some(instructions) = &self.instructions else { return Ok(0) };
        if session.has_status(SessionStatus::Owed) {
            return Ok(0);
        }
        let data = instructions.try_borrow_data()?;
        let verified = instruction_before(&data)
            .filter(|(program, _)| *program == ED25519_PROGRAM.as_ref())
            .ok_or(PolicyError::VoucherMissing)?;
        let voucher = Voucher::read(verified.1, &session.voucher_key, &self.session.key())?;
        let before = session.proven;
        session.show(&voucher, now)?;
        Ok(session.proven - before)
    }

    /// Whether the payee can receive what is due, if anything is. Where its token account was closed, whoever wants it paid makes
    /// it again in an instruction before, at their own expense.
    pub(super) fn can_pay(&self) -> Result<bool> {
        let is_due = {
            let session = self.session.load()?;
            session.proven > session.settled
        };
        Ok(!is_due || can_receive(&self.payee_token_account, self.payee.key, self.mint.key)?)
    }

    /// Pays what is proven and not yet paid, and counts it: out of what is reserved, into the window, at this moment. What is
    /// owed was counted when the session ended.
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
        self.move_from_escrow(&self.payee_token_account, amount)?;
        if !is_owed {
            self.account.load_mut()?.release(amount, amount, now)?;
        }
        Ok(amount)
    }

    /// Moves money out of the escrow, exactly so much.
    pub(super) fn move_from_escrow(&self, to: &AccountInfo<'info>, amount: u64) -> Result<()> {
        let (balance, decimals) = {
            let account = self.account.load()?;
            (escrow_balance(&self.escrow, &self.session.key(), &account)?, account.mint_decimals)
        };
        let owner = self.session.as_ref();
        let payment = Payment { from: &self.escrow, mint: &self.mint, to, owner, amount, decimals };
        signed_by_session(&self.session, |seeds| payment.pay(seeds))?;
        let data = self.escrow.try_borrow_data()?;
        let left = TokenView::read(&data, self.escrow.owner, self.mint.key).map(|view| view.amount());
        require!(left.is_some() && left == balance.checked_sub(amount), PolicyError::UnexpectedBalance);
        Ok(())
    }
}
