//! Changes of a policy's two lists, in place: a fleet's lists are longer than the heap of the program.
use anchor_lang::prelude::*;
use solana_sha256_hasher::hashv;

use crate::{
    constants::{ENTRY_BYTES, MAX_CATEGORIES, NO_LIST},
    errors::PolicyError,
    state::{Entry, EntryWords, Policy, PolicyDraft},
};

/// Change of a list.
#[derive(AnchorSerialize, AnchorDeserialize, PartialEq, Eq)]
pub enum ListChange {
    /// Unchanged.
    Keep,
    /// No list: every entry is allowed.
    Clear,
    /// These entries; an empty list allows none.
    Set { entries: Vec<Entry> },
    /// The entries in the draft.
    Staged,
}

/// A list after a change.
enum NewList<'a> {
    Kept,
    Cleared,
    Entries(&'a [u8]),
}

impl<'a> NewList<'a> {
    fn of(change: &'a ListChange, staged: Option<&'a [u8]>) -> Result<Self> {
        Ok(match change {
            ListChange::Keep => Self::Kept,
            ListChange::Clear => Self::Cleared,
            ListChange::Set { entries } => Self::Entries(bytemuck::cast_slice(entries)),
            ListChange::Staged => Self::Entries(staged.ok_or(PolicyError::DraftMissing)?),
        })
    }

    /// Returns the number of entries, `NO_LIST` without a list; `current` is that before. Error: `too_many` above `maximum`.
    fn count(&self, current: u16, maximum: u16, too_many: PolicyError) -> Result<u16> {
        match self {
            Self::Kept => Ok(current),
            Self::Cleared => Ok(NO_LIST),
            Self::Entries(bytes) => {
                let count = u16::try_from(bytes.len() / ENTRY_BYTES).ok().filter(|count| *count <= maximum);
                Ok(count.ok_or(too_many)?)
            }
        }
    }
}

/// Both lists after a change.
pub struct NewLists<'a> {
    counterparties: NewList<'a>,
    categories: NewList<'a>,
}

impl<'a> NewLists<'a> {
    /// The lists that the changes of counterparties and of categories lead to. `draft` is the draft with the bytes of its account, if the
    /// changes refer to one. Errors: `DraftMissing`, `DraftHashMismatch`.
    pub fn of(
        (counterparties, categories): (&'a ListChange, &'a ListChange),
        draft: Option<(&PolicyDraft, &'a [u8])>,
    ) -> Result<Self> {
        let staged = draft.map(|(header, data)| staged_lists(header, data)).transpose()?;
        Ok(Self {
            counterparties: NewList::of(counterparties, staged.map(|(first, _)| first))?,
            categories: NewList::of(categories, staged.map(|(_, second)| second))?,
        })
    }

    /// Returns the numbers of counterparties and of categories. Errors: `TooManyCounterparties`, `TooManyCategories`.
    pub fn counts(&self, current: &Policy, max_counterparties: u16) -> Result<(u16, u16)> {
        let (counterparties, categories) = (current.counterparty_count, current.category_count);
        Ok((
            self.counterparties.count(counterparties, max_counterparties, PolicyError::TooManyCounterparties)?,
            self.categories.count(categories, MAX_CATEGORIES, PolicyError::TooManyCategories)?,
        ))
    }

    /// Writes the changed lists into `data`, the account of a policy with room for the lists of `current` and of `next`. Sorts the
    /// counterparties.
    pub fn write(&self, data: &mut [u8], current: &Policy, next: &Policy) -> Result<()> {
        let entries: &mut [EntryWords] = bytemuck::try_cast_slice_mut(&mut data[Policy::HEADER..])
            .map_err(|_| error!(ErrorCode::AccountDidNotDeserialize))?;
        let ((counterparties_before, categories_before), (counterparties, categories)) =
            (current.entries(), next.entries());
        if matches!(self.categories, NewList::Kept) && counterparties_before != counterparties {
            entries.copy_within(counterparties_before..counterparties_before + categories_before, counterparties);
        }
        if let NewList::Entries(bytes) = self.counterparties {
            let list = &mut entries[..counterparties];
            bytemuck::cast_slice_mut(list).copy_from_slice(bytes);
            list.sort_unstable(); // nearly free for a list that comes in order, as the service writes it
        }
        if let NewList::Entries(bytes) = self.categories {
            let list = &mut entries[counterparties..counterparties + categories];
            bytemuck::cast_slice_mut(list).copy_from_slice(bytes);
        }
        Ok(())
    }
}

/// Returns the bytes of both lists in a draft, after checking that it is complete and has the content that its address names.
fn staged_lists<'a>(draft: &PolicyDraft, data: &'a [u8]) -> Result<(&'a [u8], &'a [u8])> {
    let content = &data[PolicyDraft::HEADER..];
    let split = draft.counterparty_count.to_le_bytes();
    let is_complete = data.len() == draft.space();
    require!(is_complete && hashv(&[&split, content]).to_bytes() == draft.content_hash, PolicyError::DraftHashMismatch);
    Ok(content.split_at(usize::from(draft.counterparty_count) * ENTRY_BYTES))
}
