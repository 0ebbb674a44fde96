//! Acceptances: a key agrees, by a signature outside of any transaction, to become the operator of the accounts of another.
use anchor_lang::prelude::*;

use crate::shared::ed25519::{header, MESSAGE, PUBLIC_KEY, SIGNATURE};

/// What an acceptance says, in ASCII. The old operator's address in lower-case hexadecimal and `; nonce ` with 32 hexadecimal digits
/// follow. The nonce makes each acceptance different; the program does not read it.
const PREFIX: &[u8] = b"agent-policy: become the operator of the accounts of ";
const KEY_BYTES: usize = 64;
const MESSAGE_BYTES: usize = PREFIX.len() + KEY_BYTES + b"; nonce ".len() + 32;
const HEADER: [u8; PUBLIC_KEY] = header(MESSAGE_BYTES);

/// Whether the data of an ed25519 instruction, whose signature the runtime verified, is the acceptance by `new_operator` of the accounts
/// of `old_operator`.
pub fn accepts(data: &[u8], new_operator: &Pubkey, old_operator: &Pubkey) -> bool {
    let is_canonical = data.len() == MESSAGE + MESSAGE_BYTES && data[..HEADER.len()] == HEADER;
    is_canonical
        && data[PUBLIC_KEY..SIGNATURE] == *new_operator.as_ref()
        && data[MESSAGE..].starts_with(PREFIX)
        && data[MESSAGE + PREFIX.len()..][..KEY_BYTES] == hex(old_operator)
}

fn hex(key: &Pubkey) -> [u8; KEY_BYTES] {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut text = [0; KEY_BYTES];
    for (pair, byte) in text.chunks_exact_mut(2).zip(key.as_ref()) {
        pair[0] = DIGITS[usize::from(byte >> 4)];
        pair[1] = DIGITS[usize::from(byte & 15)];
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: Pubkey = Pubkey::new_from_array([0xa7; 32]);
    const NEW: Pubkey = Pubkey::new_from_array([8; 32]);

    fn acceptance() -> Vec<u8> {
        let text = format!(
            "agent-policy: become the operator of the accounts of {}; nonce {}",
            "a7".repeat(32),
            "0f".repeat(16)
        );
        [&HEADER[..], NEW.as_ref(), &[9; 64], text.as_bytes()].concat()
    }

    #[test]
    fn accepts_the_canonical_acceptance_of_the_old_operators_accounts_by_the_new_one() {
        assert!(accepts(&acceptance(), &NEW, &OLD));
    }

    #[test]
    fn accepts_rejects_another_key_of_either_side() {
        assert!(!accepts(&acceptance(), &OLD, &OLD));
        assert!(!accepts(&acceptance(), &NEW, &NEW));
    }

    #[test]
    fn accepts_rejects_any_other_length_and_every_changed_byte_but_those_of_signature_and_nonce() {
        let data = acceptance();
        for length in 0..data.len() {
            assert!(!accepts(&data[..length], &NEW, &OLD));
        }
        assert!(!accepts(&[&data[..], b"0"].concat(), &NEW, &OLD));
        let key_end = MESSAGE + PREFIX.len() + KEY_BYTES;
        for place in (0..SIGNATURE).chain(MESSAGE..key_end) {
            let mut changed = data.clone();
            changed[place] ^= 0x20;
            assert!(!accepts(&changed, &NEW, &OLD), "byte {place}");
        }
    }
}
