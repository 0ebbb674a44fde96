//! Channel purses: a one-time key holds what it may spend.
use agent_policy::{accounts as named, instruction as call, instructions::FundChannelArgs, program::AgentPolicy};
use anchor_lang::prelude::*;
use anchor_spl::token::Token;

use crate::{
    planned::{Allowance, Planned},
    turn::{ata_bump, event_authority, Turn},
    world::CREATOR,
};

impl Turn<'_> {
    pub fn fund_purse(&mut self, amount: u64, seconds: u16, approved: bool) -> Planned {
        let (address, seq, key, mint) =
            (self.address(), self.next_nonce(), self.world.new_key(), self.world.chain.mint);
        let (purse, purse_bump) =
            Pubkey::find_program_address(&[b"channel_purse", address.as_ref(), &seq.to_le_bytes()], &agent_policy::ID);
        let key_token_account = self.world.chain.put_token_account(&key, 0, Some(&purse));
        let accounts = named::FundChannel {
            spender: self.spender(approved),
            purse,
            key,
            key_token_account,
            payer: CREATOR,
            token_program: Token::id(),
            system_program: System::id(),
        };
        let args = FundChannelArgs {
            seq,
            purse_id: [0; 16],
            amount,
            category: None,
            expires_in_seconds: seconds.into(),
            purse_bump,
            key_bump: ata_bump(&key, &mint),
        };
        let opens = Some(Allowance { agent: self.agent, address: purse, holder: key_token_account, owner: key });
        Planned { nonce: Some((address, seq)), opens, ..Planned::new(accounts, call::FundChannel { args }) }
    }

    pub fn a_purse(&self) -> Option<Allowance> {
        self.world.purses.iter().find(|one| one.agent == self.agent).cloned()
    }

    pub fn use_purse(&self, part: u8) -> Option<Planned> {
        let purse = self.a_purse()?;
        let left = self.world.chain.balance(&purse.holder);
        Some(self.take(purse.holder, purse.owner, left * u64::from(part) / 255))
    }

    pub fn sweeping(&self, purse: &Allowance, by_stranger: bool) -> named::SweepChannel {
        named::SweepChannel {
            account: self.address(),
            purse: purse.address,
            key_token_account: purse.holder,
            token_account: self.token_account(),
            mint: self.world.chain.mint,
            closer: self.closer(by_stranger),
            token_program: Token::id(),
            event_authority: event_authority(),
            program: AgentPolicy::id(),
            fleet: self.fleet(),
        }
    }

    pub fn may_end(&self, purse: &Allowance, by_stranger: bool) -> Option<bool> {
        Some(!by_stranger || self.world.chain.now >= self.world.chain.purse(&purse.address)?.deadline)
    }

    pub fn sweep(&self, by_stranger: bool) -> Option<Planned> {
        let purse = self.a_purse()?;
        let must_succeed = self.may_end(&purse, by_stranger)?;
        Some(Planned { must_succeed, ..Planned::new(self.sweeping(&purse, by_stranger), call::SweepChannel {}) })
    }

    pub fn finish(&self, by_stranger: bool) -> Option<Planned> {
        let purse = self.a_purse()?;
        let is_open = self.world.chain.purse(&purse.address)?.is_open();
        let must_succeed = is_open && self.may_end(&purse, by_stranger)?;
        Some(Planned { must_succeed, ..Planned::new(self.sweeping(&purse, by_stranger), call::FinishChannel {}) })
    }

    pub fn close_purse(&self, by_stranger: bool) -> Option<Planned> {
        let purse = self.a_purse()?;
        let rent_payer = self.world.chain.purse(&purse.address)?.rent_payer;
        let accounts = named::CloseChannel { sweeping: self.sweeping(&purse, by_stranger), rent_payer };
        Some(Planned { must_succeed: !by_stranger, ..Planned::new(accounts, call::CloseChannel {}) })
    }
}
