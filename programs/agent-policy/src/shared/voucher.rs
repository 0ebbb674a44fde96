//! Vouchers: cumulative amounts signed by the session's voucher key and verified by the runtime's ed25519 program.
use anchor_lang::prelude::*;

use crate::errors::PolicyError;

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
/// Offsets in the canonical ed25519 instruction: header, public key, signature, message.
const PUBLIC_KEY: usize = 16;
const SIGNATURE: usize = PUBLIC_KEY + 32;
const MESSAGE: usize = SIGNATURE + 64;
const LENGTH: usize = MESSAGE + MESSAGE_BYTES;
/// Instruction index that means "this instruction". With any other index the runtime would verify other bytes than those read here.
const THIS: usize = u16::MAX as usize;

/// The only accepted header: one signature, no padding, every part in this instruction at its canonical offset.
const HEADER: [u8; PUBLIC_KEY] = {
    let words = [SIGNATURE, THIS, PUBLIC_KEY, THIS, MESSAGE, MESSAGE_BYTES, THIS];
    let mut header = [0; PUBLIC_KEY];
    header[0] = 1;
    let mut index = 0;
    while index < words.len() {
        [header[2 + 2 * index], header[3 + 2 * index]] = (words[index] as u16).to_le_bytes();
        index += 1;
    }
    header
};

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

/// Returns program and data of the instruction immediately before the running one, read in place in the instructions sysvar. Its
/// layout: a count, the offset of each instruction, the instructions (accounts of 33 bytes, program, data), the running one's index.
pub fn instruction_before(sysvar: &[u8]) -> Option<(&[u8], &[u8])> {
    let number = |at: usize| Some(usize::from(u16::from_le_bytes(sysvar.get(at..at + 2)?.try_into().ok()?)));
    let index = number(sysvar.len().checked_sub(2)?)?.checked_sub(1)?;
    let start = number(2 + 2 * index)?;
    let program = start + 2 + 33 * number(start)?;
    let data = program + 34;
    let length = number(program + 32)?;
    Some((sysvar.get(program..program + 32)?, sysvar.get(data..data + length)?))
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

    /// The sysvar's bytes for instructions of (number of accounts, program, data) while the one at index `running` runs.
    fn sysvar(instructions: &[(usize, [u8; 32], Vec<u8>)], running: u16) -> Vec<u8> {
        let (mut offsets, mut bodies) = (vec![], vec![]);
        for (accounts, program, data) in instructions {
            offsets.extend(((2 + 2 * instructions.len() + bodies.len()) as u16).to_le_bytes());
            bodies.extend((*accounts as u16).to_le_bytes());
            bodies.extend(vec![3; 33 * accounts]);
            bodies.extend(program);
            bodies.extend((data.len() as u16).to_le_bytes());
            bodies.extend(data);
        }
        [&(instructions.len() as u16).to_le_bytes()[..], &offsets, &bodies, &running.to_le_bytes()].concat()
    }

    #[test]
    fn instruction_before_returns_the_previous_instruction_and_none_for_the_first() {
        let three = [(0, [1; 32], vec![5; 3]), (2, [2; 32], vec![]), (1, [3; 32], vec![6; 162])];
        assert_eq!(instruction_before(&sysvar(&three, 0)), None);
        assert_eq!(instruction_before(&sysvar(&three, 1)), Some((&[1; 32][..], &[5; 3][..])));
        assert_eq!(instruction_before(&sysvar(&three, 2)), Some((&[2; 32][..], &[][..])));
        assert_eq!(instruction_before(&[]), None);
        assert_eq!(instruction_before(&[1]), None);
        for length in 0..60 {
            instruction_before(&sysvar(&three, 2)[..length]);
        }
    }

    #[test]
    fn instruction_before_reads_the_bytes_that_the_runtime_constructs() {
        use anchor_lang::solana_program::sysvar::instructions::{
            construct_instructions_data, BorrowedAccountMeta, BorrowedInstruction,
        };
        let accounts = || vec![BorrowedAccountMeta { pubkey: &KEY, is_signer: true, is_writable: false }];
        let data = instruction();
        let verify = BorrowedInstruction { program_id: &SESSION, accounts: vec![], data: &data };
        let settle = BorrowedInstruction { program_id: &KEY, accounts: accounts(), data: &[1] };
        let mut bytes = construct_instructions_data(&[verify, settle]);
        let end = bytes.len() - 2;
        bytes[end..].copy_from_slice(&1u16.to_le_bytes());
        assert_eq!(instruction_before(&bytes), Some((SESSION.as_ref(), &data[..])));
    }
}
