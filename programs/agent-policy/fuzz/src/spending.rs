//! Spending of an account: transfers, sessions and charges.
use agent_policy::{
    accounts as named, instruction as call,
    instructions::{ApproveChargeArgs, OpenSessionArgs, TopUpSessionArgs, TransferArgs},
    program::AgentPolicy,
};
use anchor_lang::prelude::*;
use anchor_spl::{
    associated_token::get_associated_token_address,
    token::{spl_token, Token},
};

use crate::{
    chain::DECIMALS,
    planned::{Allowance, Planned},
    turn::{ata_bump, event_authority, Turn},
    world::{CREATOR, PAYEE},
};

impl Turn<'_> {
    /// A transfer under the next nonce, or under one that lies `back` before it.
    pub fn pay(&self, amount: u64, back: u8, approved: bool) -> Planned {
        let seq = self.next_nonce().saturating_sub((back % 8).into());
        let destination = get_associated_token_address(&PAYEE, &self.world.chain.mint);
        let accounts = named::Transfer { spender: self.spender(approved), destination, token_program: Token::id() };
        let args = TransferArgs { seq, transfer_id: [0; 16], amount, category: None, memo_hash: None };
        let planned = Planned::new(accounts, call::Transfer { args });
        Planned { nonce: Some((self.address(), seq)), single: Some(amount), ..planned }
    }

    pub fn deposit(&mut self, amount: u16) -> Option<Planned> {
        let token_account = self.token_account();
        self.world.chain.credit(&token_account, amount.into());
        None
    }

    pub fn open_session(&self, cap: u64, seconds: u16, grace: u8, approved: bool) -> Planned {
        let (address, seq, mint) = (self.address(), self.next_nonce(), self.world.chain.mint);
        let (session, session_bump) =
            Pubkey::find_program_address(&[b"session", address.as_ref(), &seq.to_le_bytes()], &agent_policy::ID);
        let (escrow, escrow_bump) = Pubkey::find_program_address(&[b"escrow", session.as_ref()], &agent_policy::ID);
        let accounts = named::OpenSession {
            spender: self.spender(approved),
            session,
            escrow,
            payer: CREATOR,
            payee: PAYEE,
            payee_token_account: get_associated_token_address(&PAYEE, &mint),
            token_program: Token::id(),
            system_program: System::id(),
        };
        let args = OpenSessionArgs {
            seq,
            session_id: [0; 16],
            provider_hash: [0; 32],
            cap,
            voucher_key: Pubkey::new_from_array([77; 32]),
            category: None,
            expires_in_seconds: seconds.into(),
            grace_seconds: grace.into(),
            session_bump,
            escrow_bump,
            payee_bump: ata_bump(&PAYEE, &mint),
        };
        let opens = Some(Allowance { agent: self.agent, address: session, holder: escrow, owner: session });
        Planned { nonce: Some((address, seq)), opens, ..Planned::new(accounts, call::OpenSession { args }) }
    }

    pub fn a_session(&self) -> Option<Allowance> {
        self.world.sessions.iter().find(|one| one.agent == self.agent).cloned()
    }

    pub fn top_up(&self, amount: u64, approved: bool) -> Option<Planned> {
        let (session, seq) = (self.a_session()?, self.next_nonce());
        let accounts = named::TopUpSession {
            spender: self.spender(approved),
            session: session.address,
            escrow: session.holder,
            token_program: Token::id(),
        };
        let args = TopUpSessionArgs { seq, top_up_id: [0; 16], amount };
        Some(Planned { nonce: Some((self.address(), seq)), ..Planned::new(accounts, call::TopUpSession { args }) })
    }

    pub fn closing(&self, session: &Allowance) -> Option<named::CloseExpiredSession> {
        Some(named::CloseExpiredSession {
            settlement: named::SettleSession {
                account: self.address(),
                session: session.address,
                escrow: session.holder,
                mint: self.world.chain.mint,
                payee: PAYEE,
                payee_token_account: get_associated_token_address(&PAYEE, &self.world.chain.mint),
                instructions: None,
                token_program: Token::id(),
                fleet: self.fleet(),
            },
            token_account: self.token_account(),
            rent_payer: self.world.chain.session(&session.address)?.rent_payer,
            event_authority: event_authority(),
            program: AgentPolicy::id(),
        })
    }

    pub fn close_session(&self, by_stranger: bool, has_consent: bool) -> Option<Planned> {
        let closing = self.closing(&self.a_session()?)?;
        let accounts = named::CloseSession {
            closing,
            closer: self.closer(by_stranger),
            payee_consent: has_consent.then_some(PAYEE),
        };
        Some(Planned { must_succeed: !by_stranger, ..Planned::new(accounts, call::CloseSession {}) })
    }

    pub fn close_expired(&self) -> Option<Planned> {
        let session = self.a_session()?;
        let must_succeed = self.world.chain.now >= self.world.chain.session(&session.address)?.ends_at();
        let planned = Planned::new(self.closing(&session)?, call::CloseExpiredSession {});
        Some(Planned { must_succeed, ..planned })
    }

    pub fn approve(&mut self, amount: u64, seconds: u16, purse: bool, approved: bool) -> Planned {
        let (seq, delegate) = (self.next_nonce(), self.world.new_key());
        let accounts = named::ApproveCharge { spender: self.spender(approved), delegate, token_program: Token::id() };
        let args = ApproveChargeArgs {
            seq,
            charge_id: [0; 16],
            amount,
            category: None,
            expires_in_seconds: seconds.into(),
            purse,
        };
        Planned { nonce: Some((self.address(), seq)), ..Planned::new(accounts, call::ApproveCharge { args }) }
    }

    /// The plain transfer that a provider takes with the key of an allowance.
    pub fn take(&self, from: Pubkey, key: Pubkey, amount: u64) -> Planned {
        let mint = self.world.chain.mint;
        let payee = get_associated_token_address(&PAYEE, &mint);
        let transfer =
            spl_token::instruction::transfer_checked(&Token::id(), &from, &mint, &payee, &key, &[], amount, DECIMALS);
        Planned::of(transfer.expect("a transfer"))
    }

    pub fn use_charge(&self, part: u8) -> Planned {
        let left = self.world.chain.allowance(&self.token_account());
        self.take(self.token_account(), self.state().charge.delegate, left * u64::from(part) / 255)
    }

    pub fn finish_charge(&self, by_stranger: bool) -> Planned {
        let charge = self.state().charge;
        let accounts = named::FinishCharge {
            account: self.address(),
            token_account: self.token_account(),
            closer: self.closer(by_stranger),
            token_program: Token::id(),
            event_authority: event_authority(),
            program: AgentPolicy::id(),
            fleet: self.fleet(),
        };
        let may_end = !by_stranger || self.world.chain.now >= charge.deadline;
        let must_succeed = charge.amount > 0 && may_end;
        Planned { must_succeed, ..Planned::new(accounts, call::FinishCharge { seq: charge.seq }) }
    }
}
