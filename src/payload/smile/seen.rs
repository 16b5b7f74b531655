//! Smile's numbers for the names or texts that were written before.

use crate::payload::tree::Name;

/// Bytes of the longest name or text that is numbered.
pub(super) const MAX_LENGTH: usize = 64;
/// Names that are numbered before it begins anew.
const MAX_SEEN: usize = 1024;

/// Names or texts by their numbers.
#[derive(Default)]
pub(super) struct SharedNames(Vec<Name>);

impl SharedNames {
    pub(super) fn add(&mut self, name: Name) {
        if self.0.len() == MAX_SEEN {
            self.0.clear();
        }
        self.0.push(name);
    }

    pub(super) fn get(&self, index: usize) -> Option<Name> {
        self.0.get(index).cloned()
    }
}
