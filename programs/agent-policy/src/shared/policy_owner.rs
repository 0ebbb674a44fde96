//! The account or the fleet that a policy and its drafts belong to.
use anchor_lang::{prelude::*, Discriminator};

use super::{controller::effective_operator, pda::NewAccount};
use crate::{
    constants::{LAYOUT_VERSION, MAX_COUNTERPARTIES, MAX_FLEET_COUNTERPARTIES, POLICY_SEED},
    errors::PolicyError,
    state::{AgentAccount, Fleet},
};

/// An owner of a policy, by what lies at its address.
pub enum PolicyOwner<'info> {
    /// An agent's account.
    Account(AccountLoader<'info, AgentAccount>),
    /// A fleet.
    Fleet(AccountLoader<'info, Fleet>),
}

impl<'info> PolicyOwner<'info> {
    /// Reads the owner, which this program must own. Error: `UnsupportedVersion`.
    pub fn load(info: &'info AccountInfo<'info>) -> Result<Self> {
        let is_account = info.try_borrow_data()?.starts_with(AgentAccount::DISCRIMINATOR);
        let (owner, version) = if is_account {
            let account = AccountLoader::<AgentAccount>::try_from(info)?;
            let version = account.load()?.version;
            (Self::Account(account), version)
        } else {
            let fleet = AccountLoader::<Fleet>::try_from(info)?;
            let version = fleet.load()?.version;
            (Self::Fleet(fleet), version)
        };
        require!(version == LAYOUT_VERSION, PolicyError::UnsupportedVersion);
        Ok(owner)
    }

    /// Returns the operator; `fleet` is the fleet of a member account. Errors: those of `effective_operator`.
    pub fn operator(&self, fleet: &Option<AccountLoader<Fleet>>) -> Result<Pubkey> {
        match self {
            Self::Account(account) => effective_operator(&*account.load()?, fleet),
            Self::Fleet(own) => Ok(own.load()?.operator),
        }
    }

    /// Returns the key that paid the rent.
    pub fn creator(&self) -> Result<Pubkey> {
        Ok(match self {
            Self::Account(account) => account.load()?.creator,
            Self::Fleet(fleet) => fleet.load()?.creator,
        })
    }

    /// Whether `key` is the guardian of a fleet.
    pub fn is_guardian(&self, key: &Pubkey) -> Result<bool> {
        match self {
            Self::Account(_) => Ok(false),
            Self::Fleet(fleet) => Ok(fleet.load()?.is_guardian(key)),
        }
    }
}

/// Returns the operator of the account or fleet at an address, which this program must own. Errors: `UnsupportedVersion`, those of
/// `effective_operator`, `AccountDiscriminatorMismatch`.
pub fn operator_at(info: &AccountInfo, fleet: &Option<AccountLoader<Fleet>>) -> Result<Pubkey> {
    let data = info.try_borrow_data()?;
    let is_current = |version| -> Result<()> {
        require!(version == LAYOUT_VERSION, PolicyError::UnsupportedVersion);
        Ok(())
    };
    if data.len() == AgentAccount::SPACE && data.starts_with(AgentAccount::DISCRIMINATOR) {
        let account: &AgentAccount = bytemuck::from_bytes(&data[8..]);
        is_current(account.version)?;
        return effective_operator(account, fleet);
    }
    let is_fleet = data.len() == Fleet::SPACE && data.starts_with(Fleet::DISCRIMINATOR);
    require!(is_fleet, ErrorCode::AccountDiscriminatorMismatch);
    let own: &Fleet = bytemuck::from_bytes(&data[8..]);
    is_current(own.version)?;
    Ok(own.operator)
}

/// Returns the maximum number of counterparties in the policy of the account or fleet at an address.
pub fn max_counterparties_of(info: &AccountInfo) -> Result<u16> {
    let is_account = info.try_borrow_data()?.starts_with(AgentAccount::DISCRIMINATOR);
    Ok(if is_account { MAX_COUNTERPARTIES } else { MAX_FLEET_COUNTERPARTIES })
}

/// Creates the policy of an account that has none, with room for `space` bytes, at the PDA `["policy", owner]`. Returns its bump. Errors:
/// `WrongPolicy` at another address, `AddressTaken`.
pub fn create_policy<'info>(
    policy: &AccountInfo<'info>,
    payer: &AccountInfo<'info>,
    owner: &Pubkey,
    space: usize,
) -> Result<u8> {
    let (address, bump) = Pubkey::find_program_address(&[POLICY_SEED, owner.as_ref()], &crate::ID);
    require_keys_eq!(*policy.key, address, PolicyError::WrongPolicy);
    let seeds: [&[u8]; 3] = [POLICY_SEED, owner.as_ref(), &[bump]];
    NewAccount { at: policy, payer, owner: &crate::ID, space }.create(&seeds)?;
    Ok(bump)
}
