//! Transfers money that arrived after an account was closed: anyone can create its token account again and send to it.
use anchor_lang::{prelude::*, Discriminator};
use anchor_spl::token::Token;

use crate::{
    errors::PolicyError,
    events::AccountSwept,
    shared::{
        pda::derived_address,
        token_transfer::TokenTransfer,
        token_view::{decimals, TokenView},
    },
    state::{AgentAccount, ClosedAccount, ClosedFleet, Fleet},
};

/// The seeds of the closed account's address, which its tombstone does not keep.
#[derive(AnchorSerialize, AnchorDeserialize)]
pub struct SweepClosedAccountArgs {
    /// Creator of the account.
    pub creator: Pubkey,
    /// Id that the creator chose.
    pub id: [u8; 16],
    /// Bump of the address.
    pub bump: u8,
}

#[derive(Accounts)]
pub struct SweepClosedAccount<'info> {
    pub account: Account<'info, ClosedAccount>,
    pub operator: Signer<'info>,
    /// CHECK: read in place; must be owned by the closed account.
    #[account(mut)]
    pub token_account: UncheckedAccount<'info>,
    /// CHECK: tied to the token account.
    pub mint: UncheckedAccount<'info>,
    /// CHECK: the token program checks it.
    #[account(mut)]
    pub destination: UncheckedAccount<'info>,
    pub token_program: Program<'info, Token>,
    /// CHECK: the fleet of an account that was closed as a member, or its tombstone; `operator_of` checks it.
    #[account(owner = crate::ID)]
    pub fleet: Option<UncheckedAccount<'info>>,
}

impl<'info> SweepClosedAccount<'info> {
    /// Returns the micro-USDC to sweep.
    fn validate(&'info self, args: &SweepClosedAccountArgs) -> Result<u64> {
        require_keys_eq!(self.operator.key(), self.effective_operator()?, PolicyError::WrongOperator);
        let bump = [args.bump];
        let address = derived_address(&AgentAccount::seeds(&args.creator, &args.id, &bump), &crate::ID);
        require_keys_eq!(address, self.account.key(), ErrorCode::ConstraintSeeds);
        require_keys_neq!(*self.destination.key, *self.token_account.key, PolicyError::DestinationIsSource);
        let data = self.token_account.try_borrow_data()?;
        let view = TokenView::of_any_mint(&data, self.token_account.owner)
            .filter(|view| view.owner() == self.account.key().as_ref())
            .ok_or(PolicyError::WrongTokenAccount)?;
        require!(view.mint() == self.mint.key.as_ref(), PolicyError::WrongMint);
        require!(view.amount() > 0, PolicyError::AmountZero);
        Ok(view.amount())
    }

    /// The operator at the time of closing, or the operator of the fleet of that time.
    fn effective_operator(&'info self) -> Result<Pubkey> {
        let Some(fleet) = &self.fleet else { return Ok(self.account.controller) };
        require_keys_eq!(fleet.key(), self.account.controller, PolicyError::WrongFleet);
        if fleet.try_borrow_data()?.starts_with(ClosedFleet::DISCRIMINATOR) {
            return Ok(Account::<ClosedFleet>::try_from(fleet.as_ref())?.operator);
        }
        Ok(AccountLoader::<Fleet>::try_from(fleet.as_ref())?.load()?.operator)
    }
}

/// Transfers the whole balance. Errors: `WrongOperator`, `WrongFleet`, `WrongTokenAccount`, `DestinationIsSource`, `AmountZero` if the
/// token account is empty.
pub fn sweep_closed_account<'info>(
    ctx: Context<'info, SweepClosedAccount<'info>>,
    args: SweepClosedAccountArgs,
) -> Result<()> {
    let accounts: &'info SweepClosedAccount = ctx.accounts;
    let amount = accounts.validate(&args)?;
    TokenTransfer {
        from: &accounts.token_account,
        mint: &accounts.mint,
        to: &accounts.destination,
        owner: accounts.account.as_ref(),
        amount,
        decimals: decimals(&accounts.mint)?,
    }
    .execute(&AgentAccount::seeds(&args.creator, &args.id, &[args.bump]))?;
    emit!(AccountSwept { account: accounts.account.key(), amount, destination: accounts.destination.key() });
    Ok(())
}
