//! Vouchers: cumulative amounts signed by the session's voucher key and verified by the runtime's ed25519 program.
use anchor_lang::prelude::*;

use crate::{
    errors::PolicyError,
    shared::ed25519::{header, MESSAGE, PUBLIC_KEY, SIGNATURE},
};

/// Authorizes the payee to receive `cumulative` in total; a higher voucher replaces all lower ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Voucher {
    /// Micro-USDC in total since the session was opened.
    pub cumulative: u64,
    /// Unix seconds; 0 for never.
    pub expires_at: i64,
}

/// Kind and version. The session's address, the amount (u64 LE) and the expiry (i64 LE) follow.
const PREFIX: [u8; 2] = [0x56, 0x01];
const MESSAGE_BYTES: usize = 50;
const HEADER: [u8; PUBLIC_KEY] = header(MESSAGE_BYTES);
const LENGTH: usize = MESSAGE + MESSAGE_BYTES;

impl Voucher {
    /// Reads the voucher from the data of an ed25519 instruction, whose signature the runtime verified. Errors: `VoucherMalformed`,
    /// `VoucherWrongKey`, `VoucherWrongSession`.
    pub fn read(data: &[u8], key: &Pubkey, session: &Pubkey) -> Result<Self> {
        let is_canonical = data.len() == LENGTH && data[..HEADER.len()] == HEADER;
        require!(is_canonical, PolicyError::VoucherMalformed);
        require!(data[PUBLIC_KEY..SIGNATURE] == *key.as_ref(), PolicyError::VoucherWrongKey);
        let message = &data[MESSAGE..];
        let is_for_session = message[..2] == PREFIX && message[2..34] == *session.as_ref();
        require!(is_for_session, PolicyError::VoucherWrongSession);
        Ok(Self {
            cumulative: u64::from_le_bytes(eight(&message[34..42])),
            expires_at: i64::from_le_bytes(eight(&message[42..50])),
        })
    }
}

fn eight(bytes: &[u8]) -> [u8; 8] {
    let mut eight = [0; 8];
    eight.copy_from_slice(bytes);
    eight
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: Pubkey = Pubkey::new_from_array([7; 32]);
    const SESSION: Pubkey = Pubkey::new_from_array([8; 32]);

    fn instruction() -> Vec<u8> {
        let mut data = HEADER.to_vec();
        data.extend([KEY.as_ref(), &[9; 64], &PREFIX, SESSION.as_ref()].concat());
        data.extend(1_234u64.to_le_bytes());
        data.extend((-5i64).to_le_bytes());
        data
    }

    fn error_name(data: &[u8]) -> String {
        match Voucher::read(data, &KEY, &SESSION) {
            Err(Error::AnchorError(error)) => error.error_name,
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn read_returns_amount_and_expiry_of_the_canonical_162_byte_instruction() {
        assert_eq!(instruction().len(), 162);
        assert_eq!(&HEADER, &[1, 0, 48, 0, 255, 255, 16, 0, 255, 255, 112, 0, 50, 0, 255, 255]);
        let voucher = Voucher::read(&instruction(), &KEY, &SESSION).unwrap();
        assert_eq!(voucher, Voucher { cumulative: 1_234, expires_at: -5 });
    }

    #[test]
    fn read_rejects_every_other_value_of_every_header_byte() {
        for place in 0..HEADER.len() {
            for value in 0..=255 {
                let mut data = instruction();
                data[place] = value;
                let expected = if value == HEADER[place] { "Ok" } else { "VoucherMalformed" };
                assert!(error_name(&data).starts_with(expected), "byte {place} as {value}");
            }
        }
    }

    #[test]
    fn read_rejects_any_other_length() {
        let data = instruction();
        for length in 0..data.len() {
            assert_eq!(error_name(&data[..length]), "VoucherMalformed");
        }
        assert_eq!(error_name(&[&data[..], &[0]].concat()), "VoucherMalformed");
    }

    #[test]
    fn read_rejects_another_key_kind_version_or_session() {
        for (place, expected) in [
            (16, "VoucherWrongKey"),
            (47, "VoucherWrongKey"),
            (112, "VoucherWrongSession"),
            (113, "VoucherWrongSession"),
        ] {
            let mut data = instruction();
            data[place] ^= 1;
            assert_eq!(error_name(&data), expected);
        }
        for place in 114..146 {
            let mut data = instruction();
            data[place] ^= 0x80;
            assert_eq!(error_name(&data), "VoucherWrongSession");
        }
    }
}
