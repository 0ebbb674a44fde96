//! A channel purse: an amount that a one-time key holds, to open payment channels with at sellers of any number.
use anchor_lang::prelude::*;

use super::Entry;
use crate::{
    constants::{CHANNEL_PURSE_SEED, LAYOUT_VERSION},
    errors::PolicyError,
};

/// PDA `["channel_purse", account, seq]`; delegate and close authority of the key's token account. A nonce is used once, ever, so no
/// address is used twice.
#[account(zero_copy)]
pub struct ChannelPurse {
    /// Layout version, `LAYOUT_VERSION`.
    pub version: u8,
    /// Bump of its address.
    pub bump: u8,
    /// 1 if what is missing was counted as spent: nothing is reserved for it any more.
    pub finished: u8,
    /// Alignment.
    pub padding: [u8; 5],
    /// The paying `AgentAccount`.
    pub account: Pubkey,
    /// The service's id of the purse.
    pub id: [u8; 16],
    /// The one-time key, which signs the sellers' transactions.
    pub key: Pubkey,
    /// The key's associated token account.
    pub key_token_account: Pubkey,
    /// Category, zero-padded; all zeros if none was given.
    pub category: Entry,
    /// The key that paid the rent of this account and gets it back, and with it the rent of the key's token account.
    pub rent_payer: Pubkey,
    /// The nonce that funding it used up; part of the address.
    pub seq: u64,
    /// Micro-USDC moved to the key.
    pub amount: u64,
    /// Micro-USDC moved home. Above `amount` only if others sent money to the key.
    pub swept: u64,
    /// Unix seconds from which on anyone may sweep and finish it.
    pub deadline: i64,
    /// Room for later fields; zero until then.
    pub unused: [u8; 32],
}

impl ChannelPurse {
    /// Bytes on chain, discriminator included.
    pub const SPACE: usize = 8 + std::mem::size_of::<Self>();

    /// Signer seeds of the address; `bump` is the stored one.
    pub fn seeds<'a>(account: &'a Pubkey, seq: &'a [u8; 8], bump: &'a [u8; 1]) -> [&'a [u8]; 4] {
        [CHANNEL_PURSE_SEED, account.as_ref(), seq, bump]
    }

    /// Writes this purse, discriminator included, into a new account of this program with `SPACE` zero bytes.
    pub fn store(&self, info: &AccountInfo) -> Result<()> {
        let mut data = info.try_borrow_mut_data()?;
        data[..8].copy_from_slice(Self::DISCRIMINATOR);
        data[8..].copy_from_slice(bytemuck::bytes_of(self));
        Ok(())
    }

    /// Whether the amount is still reserved.
    pub fn is_open(&self) -> bool {
        self.finished == 0
    }

    /// Micro-USDC that did not come home.
    pub fn missing(&self) -> u64 {
        self.amount.saturating_sub(self.swept)
    }

    /// Checks what must hold after every instruction. Error: `InvariantViolated`.
    pub fn invariant(&self) -> Result<()> {
        let holds = self.version == LAYOUT_VERSION && self.finished <= 1 && self.amount > 0 && self.key != self.account;
        require!(holds, PolicyError::InvariantViolated);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_is_what_did_not_come_home_and_never_negative() {
        let purse = ChannelPurse { amount: 100, ..bytemuck::Zeroable::zeroed() };
        assert_eq!(purse.missing(), 100);
        assert_eq!(ChannelPurse { swept: 40, ..purse }.missing(), 60);
        assert_eq!(ChannelPurse { swept: 101, ..purse }.missing(), 0);
    }

    #[test]
    fn invariant_rejects_each_broken_part_of_a_channel_purse() {
        let key = Pubkey::new_from_array([1; 32]);
        let valid = ChannelPurse { version: LAYOUT_VERSION, amount: 100, key, ..bytemuck::Zeroable::zeroed() };
        assert!(valid.invariant().is_ok());
        assert!(ChannelPurse { finished: 1, ..valid }.invariant().is_ok());
        for (name, broken) in [
            ("version", ChannelPurse { version: 0, ..valid }),
            ("neither open nor finished", ChannelPurse { finished: 2, ..valid }),
            ("no amount", ChannelPurse { amount: 0, ..valid }),
            ("the account as the key", ChannelPurse { account: key, ..valid }),
        ] {
            assert!(broken.invariant().is_err(), "{name}");
        }
    }
}
