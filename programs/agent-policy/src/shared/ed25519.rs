//! Signatures that the runtime's ed25519 program verified in an earlier instruction of the same transaction, read in place in the
//! instructions sysvar.
use crate::constants::ED25519_PROGRAM;

/// Offsets in the canonical ed25519 instruction: header, public key, signature, message.
pub const PUBLIC_KEY: usize = 16;
pub const SIGNATURE: usize = PUBLIC_KEY + 32;
pub const MESSAGE: usize = SIGNATURE + 64;
/// Instruction index that means "this instruction". With any other index the runtime would verify other bytes than those read here.
const THIS: usize = u16::MAX as usize;

/// The only accepted header: one signature, no padding, every part in this instruction at its canonical offset.
pub const fn header(message_bytes: usize) -> [u8; PUBLIC_KEY] {
    let words = [SIGNATURE, THIS, PUBLIC_KEY, THIS, MESSAGE, message_bytes, THIS];
    let mut header = [0; PUBLIC_KEY];
    header[0] = 1;
    let mut index = 0;
    while index < words.len() {
        [header[2 + 2 * index], header[3 + 2 * index]] = (words[index] as u16).to_le_bytes();
        index += 1;
    }
    header
}

/// The y coordinates of the eight points of small order, with both encodings where there are two (libsodium,
/// `ge25519_has_small_order`). The sign bit of the last byte is not part of y.
const SMALL_ORDER: [[u8; 32]; 7] = [
    y(0, 0, 0),
    y(1, 0, 0),
    [
        0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef, 0x98, 0xf0, 0xd5, 0xdf,
        0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05,
    ],
    [
        0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b, 0x76, 0x0d, 0x10, 0x67, 0x0f, 0x2a, 0x20,
        0x53, 0xfa, 0x2c, 0x39, 0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac, 0x03, 0x7a,
    ],
    y(0xec, 0xff, 0x7f),
    y(0xed, 0xff, 0x7f),
    y(0xee, 0xff, 0x7f),
];

const fn y(first: u8, middle: u8, last: u8) -> [u8; 32] {
    let mut bytes = [middle; 32];
    (bytes[0], bytes[31]) = (first, last);
    bytes
}

/// Whether `key` is a point of small order. The runtime rejects every signature by such a key, although other verifiers accept some.
pub fn is_small_order(key: &[u8; 32]) -> bool {
    let mut y = *key;
    y[31] &= 0x7f;
    SMALL_ORDER.contains(&y)
}

/// Returns the data of the instruction immediately before the running one, if it is one of the ed25519 program.
pub fn verified_before(sysvar: &[u8]) -> Option<&[u8]> {
    data_of_ed25519(sysvar, running(sysvar)?.checked_sub(1)?)
}

/// Returns the data of every instruction of the ed25519 program before the running one.
pub fn all_verified_before(sysvar: &[u8]) -> impl Iterator<Item = &[u8]> {
    (0..running(sysvar).unwrap_or(0)).filter_map(|index| data_of_ed25519(sysvar, index))
}

/// The sysvar's layout: a count, the offset of each instruction, the instructions (accounts of 33 bytes, program, data), the running
/// one's index.
fn data_of_ed25519(sysvar: &[u8], index: usize) -> Option<&[u8]> {
    let start = number(sysvar, 2 + 2 * index)?;
    let program = start + 2 + 33 * number(sysvar, start)?;
    let data = program + 34;
    let length = number(sysvar, program + 32)?;
    let is_ed25519 = sysvar.get(program..program + 32)? == ED25519_PROGRAM.as_ref();
    sysvar.get(data..data + length).filter(|_| is_ed25519)
}

fn running(sysvar: &[u8]) -> Option<usize> {
    number(sysvar, sysvar.len().checked_sub(2)?)
}

fn number(sysvar: &[u8], at: usize) -> Option<usize> {
    Some(usize::from(u16::from_le_bytes(sysvar.get(at..at + 2)?.try_into().ok()?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ED25519: [u8; 32] = ED25519_PROGRAM.to_bytes();

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
    fn is_small_order_recognizes_both_signs_of_each_point_and_no_ordinary_key() {
        for point in SMALL_ORDER {
            let mut negated = point;
            negated[31] |= 0x80;
            assert!(is_small_order(&point) && is_small_order(&negated));
            negated[16] ^= 1;
            assert!(!is_small_order(&negated));
        }
        assert!(!is_small_order(&[7; 32]));
    }

    #[test]
    fn verified_before_returns_the_previous_ed25519_instruction_and_none_for_the_first() {
        let three = [(0, ED25519, vec![5; 3]), (2, ED25519, vec![]), (1, [3; 32], vec![6; 162])];
        assert_eq!(verified_before(&sysvar(&three, 0)), None);
        assert_eq!(verified_before(&sysvar(&three, 1)), Some(&[5; 3][..]));
        assert_eq!(verified_before(&sysvar(&three, 2)), Some(&[][..]));
        assert_eq!(verified_before(&[]), None);
        assert_eq!(verified_before(&[1]), None);
        for length in 0..60 {
            verified_before(&sysvar(&three, 2)[..length]);
            all_verified_before(&sysvar(&three, 2)[..length]).count();
        }
    }

    #[test]
    fn verified_before_ignores_another_program() {
        assert_eq!(verified_before(&sysvar(&[(0, [1; 32], vec![5]), (0, [2; 32], vec![])], 1)), None);
    }

    #[test]
    fn all_verified_before_returns_only_ed25519_instructions_before_the_running_one() {
        let four = [(0, ED25519, vec![1]), (1, [9; 32], vec![2]), (0, ED25519, vec![3]), (0, ED25519, vec![4])];
        let found = |running| all_verified_before(&sysvar(&four, running)).map(<[u8]>::to_vec).collect::<Vec<_>>();
        assert_eq!(found(0), Vec::<Vec<u8>>::new());
        assert_eq!(found(2), vec![vec![1]]);
        assert_eq!(found(3), vec![vec![1], vec![3]]);
        assert_eq!(all_verified_before(&[]).count(), 0);
    }

    #[test]
    fn verified_before_reads_the_bytes_that_the_runtime_constructs() {
        use anchor_lang::prelude::Pubkey;
        use anchor_lang::solana_program::sysvar::instructions::{
            construct_instructions_data, BorrowedAccountMeta, BorrowedInstruction,
        };
        let key = Pubkey::new_from_array([7; 32]);
        let accounts = || vec![BorrowedAccountMeta { pubkey: &key, is_signer: true, is_writable: false }];
        let data = vec![8; 162];
        let verify = BorrowedInstruction { program_id: &ED25519_PROGRAM, accounts: vec![], data: &data };
        let settle = BorrowedInstruction { program_id: &key, accounts: accounts(), data: &[1] };
        let mut bytes = construct_instructions_data(&[verify, settle]);
        let end = bytes.len() - 2;
        bytes[end..].copy_from_slice(&1u16.to_le_bytes());
        assert_eq!(verified_before(&bytes), Some(&data[..]));
    }
}
