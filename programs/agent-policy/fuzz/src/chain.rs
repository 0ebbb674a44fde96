//! The accounts of a small chain, and the VM that runs instructions of the real binaries on them.
use std::collections::BTreeMap;

use agent_policy::state::{AgentAccount, ChannelPurse, Fleet, Policy, Session};
use anchor_lang::{prelude::*, solana_program::instruction::Instruction, Discriminator};
use anchor_spl::{associated_token::get_associated_token_address, token};
use mollusk_svm::{result::ProgramResult, Mollusk};
use mollusk_svm_programs_token as programs;
use solana_account::Account;

use crate::coverage::{with_sections, Jumps};

const MINT_BYTES: usize = 82;
const TOKEN_ACCOUNT_BYTES: usize = 165;
pub const DECIMALS: u8 = 6;
/// The time when the chain begins, unix seconds; within a bucket of each window.
const BEGIN: i64 = 1_800_000_123;

fn svm_key(key: &Pubkey) -> solana_pubkey::Pubkey {
    solana_pubkey::Pubkey::new_from_array(key.to_bytes())
}

fn our_key(key: &solana_pubkey::Pubkey) -> Pubkey {
    Pubkey::new_from_array(key.to_bytes())
}

/// A VM with the token programs and the program, whose binary is at the path `PROGRAM`, and with coverage. Panics if it is not there.
pub fn a_vm() -> Mollusk {
    std::env::set_var("SBF_TRACE_DIR", "unused"); // makes the VM trace; the callback below replaces the one that writes files
    std::env::set_var("RUST_LOG", "off");
    let path = std::env::var("PROGRAM").expect("PROGRAM, the path of the program's binary");
    let elf = std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let mut vm = Mollusk::default();
    let program = svm_key(&agent_policy::ID);
    vm.invocation_inspect_callback = Box::new(Jumps { program });
    vm.add_program_with_loader_and_elf(&program, &mollusk_svm::program::loader_keys::LOADER_V3, &with_sections(elf));
    programs::token::add_program(&mut vm);
    programs::associated_token::add_program(&mut vm);
    vm
}

#[derive(Clone)]
pub struct Chain {
    accounts: BTreeMap<Pubkey, Account>,
    pub now: i64,
    pub mint: Pubkey,
}

impl Chain {
    pub fn new(mint: Pubkey) -> Self {
        let mut chain = Self { accounts: BTreeMap::new(), now: BEGIN, mint };
        let mut data = vec![0; MINT_BYTES];
        (data[44], data[45]) = (DECIMALS, 1);
        chain.put(mint, token::ID, data);
        let programs = [
            mollusk_svm::program::keyed_account_for_system_program(),
            programs::token::keyed_account(),
            programs::associated_token::keyed_account(),
            (
                svm_key(&agent_policy::ID),
                mollusk_svm::program::create_program_account_loader_v3(&svm_key(&agent_policy::ID)),
            ),
        ];
        chain.accounts.extend(programs.map(|(key, account)| (our_key(&key), account)));
        chain
    }

    fn put(&mut self, key: Pubkey, owner: Pubkey, data: Vec<u8>) {
        self.accounts
            .insert(key, Account { lamports: 1_000_000_000, owner: svm_key(&owner), data, ..Account::default() });
    }

    /// Gives a key lamports for rent.
    pub fn fund(&mut self, key: Pubkey) {
        self.put(key, anchor_lang::system_program::ID, vec![]);
    }

    /// Creates the associated token account of `owner` with `amount` micro-USDC. `delegate` may move all of it, and close it.
    pub fn put_token_account(&mut self, owner: &Pubkey, amount: u64, delegate: Option<&Pubkey>) -> Pubkey {
        let mut data = vec![0; TOKEN_ACCOUNT_BYTES];
        data[..32].copy_from_slice(self.mint.as_ref());
        data[32..64].copy_from_slice(owner.as_ref());
        data[64..72].copy_from_slice(&amount.to_le_bytes());
        data[108] = 1;
        if let Some(delegate) = delegate {
            (data[72], data[129]) = (1, 1);
            data[76..108].copy_from_slice(delegate.as_ref());
            data[121..129].copy_from_slice(&u64::MAX.to_le_bytes());
            data[133..165].copy_from_slice(delegate.as_ref());
        }
        let address = get_associated_token_address(owner, &self.mint);
        self.put(address, token::ID, data);
        address
    }

    /// Adds `amount` micro-USDC to a token account, as a deposit does.
    pub fn credit(&mut self, token_account: &Pubkey, amount: u64) {
        let balance = self.balance(token_account) + amount;
        self.accounts.get_mut(token_account).expect("a token account").data[64..72]
            .copy_from_slice(&balance.to_le_bytes());
    }

    /// Runs the instruction and keeps what it wrote if it succeeds.
    pub fn send(&mut self, vm: &mut Mollusk, instruction: &Instruction) -> ProgramResult {
        vm.sysvars.clock.unix_timestamp = self.now;
        let given = instruction
            .accounts
            .iter()
            .map(|meta| (svm_key(&meta.pubkey), self.account(&meta.pubkey)))
            .collect::<Vec<_>>();
        let metas = instruction.accounts.iter().map(|meta| solana_instruction::AccountMeta {
            pubkey: svm_key(&meta.pubkey),
            is_signer: meta.is_signer,
            is_writable: meta.is_writable,
        });
        let instruction = solana_instruction::Instruction {
            program_id: svm_key(&instruction.program_id),
            accounts: metas.collect(),
            data: instruction.data.clone(),
        };
        let result = vm.process_instruction(&instruction, &given);
        if result.program_result == ProgramResult::Success {
            for (key, account) in result.resulting_accounts {
                match account.lamports {
                    0 => self.accounts.remove(&our_key(&key)),
                    _ => self.accounts.insert(our_key(&key), account),
                };
            }
        }
        result.program_result
    }

    fn account(&self, key: &Pubkey) -> Account {
        self.accounts.get(key).cloned().unwrap_or_default()
    }

    /// All addresses in use, in a stable order.
    pub fn addresses(&self) -> Vec<Pubkey> {
        self.accounts.keys().copied().collect()
    }

    /// Whether a key can be a signer: an account of a program has no private key.
    pub fn can_sign(&self, key: &Pubkey) -> bool {
        self.account(key).owner == svm_key(&anchor_lang::system_program::ID)
    }

    /// Micro-USDC in a token account; 0 without one.
    pub fn balance(&self, token_account: &Pubkey) -> u64 {
        self.accounts.get(token_account).map_or(0, |account| number(&account.data, 64))
    }

    /// Micro-USDC that the delegate of a token account may still move; 0 without a delegate.
    pub fn allowance(&self, token_account: &Pubkey) -> u64 {
        self.accounts
            .get(token_account)
            .filter(|account| account.data[72] == 1)
            .map_or(0, |account| number(&account.data, 121))
    }

    pub fn agent(&self, key: &Pubkey) -> AgentAccount {
        self.read(key).expect("an account of an agent")
    }

    pub fn fleet(&self, key: &Pubkey) -> Fleet {
        self.read(key).expect("a fleet")
    }

    pub fn policy(&self, key: &Pubkey) -> Option<Policy> {
        self.read(key)
    }

    pub fn session(&self, key: &Pubkey) -> Option<Session> {
        self.read(key)
    }

    pub fn purse(&self, key: &Pubkey) -> Option<ChannelPurse> {
        self.read(key)
    }

    fn read<T: bytemuck::Pod + Discriminator>(&self, key: &Pubkey) -> Option<T> {
        let data = &self.accounts.get(key)?.data;
        let content = data.strip_prefix(T::DISCRIMINATOR)?;
        Some(bytemuck::pod_read_unaligned(content.get(..std::mem::size_of::<T>())?))
    }
}

fn number(data: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(data[at..at + 8].try_into().expect("eight bytes"))
}
