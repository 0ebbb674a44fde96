//! The payment: judge, spend the number, book the amount, move the money, tell.
use anchor_lang::{
    prelude::*,
    solana_program::{
        instruction::{AccountMeta, Instruction},
        program::invoke_signed,
    },
};
use anchor_spl::token::{self, Token};

use super::unix_now;
use crate::{
    errors::PolicyError,
    events::Transferred,
    state::{judge, spendable_balance, AgentAccount, Entry, Order, Policy, PolicyLists, TokenAccountState, TokenView},
};

/// Tag of `TransferChecked` in `spl_token::instruction::TokenInstruction`.
const TRANSFER_CHECKED: u8 = 12;

#[derive(AnchorSerialize, AnchorDeserialize)]
pub struct TransferArgs {
    /// The sequence number that it spends; once for ever.
    pub seq: u64,
    /// The service's id of the transfer.
    pub transfer_id: [u8; 16],
    /// Micro-USDC, above zero.
    pub amount: u64,
    /// Category, zero-padded.
    pub category: Option<Entry>,
    /// HMAC of the memo, whose text stays off chain.
    pub memo_hash: Option<[u8; 32]>,
}

/// The account's owner, discriminator and ties prove it ours; its address needs no derivation.
#[derive(Accounts)]
pub struct Transfer<'info> {
    #[account(
        mut,
        has_one = authority @ PolicyError::WrongAuthority,
        has_one = mint @ PolicyError::WrongMint,
        has_one = token_account @ PolicyError::WrongTokenAccount
    )]
    pub account: AccountLoader<'info, AgentAccount>,
    #[account(has_one = account @ PolicyError::WrongPolicy)]
    pub policy: AccountLoader<'info, Policy>,
    pub authority: Signer<'info>,
    /// Signs at or above the escalation threshold.
    pub operator: Option<Signer<'info>>,
    /// CHECK: tied to the account and read in place.
    #[account(mut)]
    pub token_account: UncheckedAccount<'info>,
    /// CHECK: tied to the account.
    pub mint: UncheckedAccount<'info>,
    /// CHECK: read in place.
    #[account(mut)]
    pub destination: UncheckedAccount<'info>,
    pub token_program: Program<'info, Token>,
}

pub fn transfer(ctx: Context<Transfer>, args: TransferArgs) -> Result<()> {
    let accounts = &ctx.accounts;
    let (balance, policy_version) = book(accounts, &args)?;
    move_money(accounts, args.amount)?;
    let left = spendable_balance(&accounts.token_account, accounts.mint.key)?;
    require!(balance.checked_sub(left) == Some(args.amount), PolicyError::UnexpectedBalance);
    emit!(Transferred {
        account: accounts.account.key(),
        transfer_id: args.transfer_id,
        seq: args.seq,
        amount: args.amount,
        destination: accounts.destination.key(),
        policy_version,
        category: args.category.unwrap_or_default(),
        memo_hash: args.memo_hash.unwrap_or_default(),
        approved: accounts.operator.is_some(),
    });
    Ok(())
}

/// Every check, then the number and the amount are taken. Returns the balance before, and the policy's version.
fn book(accounts: &Transfer, args: &TransferArgs) -> Result<(u64, u64)> {
    require!(args.amount > 0, PolicyError::AmountZero);
    let mut account = accounts.account.load_mut()?;
    if let Some(operator) = &accounts.operator {
        require_keys_eq!(operator.key(), account.operator, PolicyError::WrongOperator);
    }
    account.replay.spend(args.seq)?;

    let balance = spendable_balance(&accounts.token_account, &account.mint)?;
    require_keys_neq!(*accounts.destination.key, account.token_account, PolicyError::DestinationIsSource);
    let destination = accounts.destination.try_borrow_data()?;
    let recipient = TokenView::read(&destination, accounts.destination.owner, &account.mint)
        .ok_or(PolicyError::InvalidDestination)?;
    require!(recipient.state() == TokenAccountState::Initialized, PolicyError::DestinationFrozen);

    let policy = accounts.policy.load()?;
    let policy_info: &AccountInfo = accounts.policy.as_ref();
    let data = policy_info.try_borrow_data()?;
    let lists = PolicyLists::read(&policy, &data)?;
    account.window.advance(unix_now(&Clock::get()?)?);
    let order = Order {
        amount: args.amount,
        recipient: [accounts.destination.key.as_ref(), recipient.owner()],
        category: args.category.as_ref(),
        has_memo: args.memo_hash.is_some(),
        balance,
        is_approved: accounts.operator.is_some(),
    };
    judge(&account, &policy, &lists, &order).map_err(|refusal| refusal.announce(&account, &policy, args.amount))?;
    account.window.book(args.amount)?;
    Ok((balance, policy.version))
}

fn move_money(accounts: &Transfer, amount: u64) -> Result<()> {
    let (creator, id, bump, decimals) = {
        let account = accounts.account.load()?;
        (account.creator, account.id, [account.bump], account.mint_decimals)
    };
    let mut data = Vec::with_capacity(10);
    data.push(TRANSFER_CHECKED);
    data.extend_from_slice(&amount.to_le_bytes());
    data.push(decimals);
    let instruction = Instruction {
        program_id: token::ID,
        accounts: vec![
            AccountMeta::new(*accounts.token_account.key, false),
            AccountMeta::new_readonly(*accounts.mint.key, false),
            AccountMeta::new(*accounts.destination.key, false),
            AccountMeta::new_readonly(accounts.account.key(), true),
        ],
        data,
    };
    let infos = [
        accounts.token_account.to_account_info(),
        accounts.mint.to_account_info(),
        accounts.destination.to_account_info(),
        accounts.account.to_account_info(),
    ];
    invoke_signed(&instruction, &infos, &[&AgentAccount::seeds(&creator, &id, &bump)])?;
    Ok(())
}
