//! What was changed where it is: elements of target that lost their frames, keys that expire no
//! more, keys that got other names.

use super::Inverse;
use crate::ops::journal::Item;
use crate::ops::plan::work::{Expiry, Rename};
use crate::queue::State;

impl Inverse {
    /// Whether the item is such a one: then what undoes it is known. `sure`: it was done.
    pub(super) fn in_place(&mut self, item: &Item, sure: bool) -> bool {
        let delivered = item.state == State::Delivered;
        match (&item.member, item.score, &item.new_member, item.new_score) {
            (Some(old), None, Some(new), None) if delivered => {
                if sure {
                    self.replace.push((new.clone(), old.clone()));
                } else {
                    self.unsure(item.id);
                }
                true
            }
            // A key that was renamed. Where that was not done, there is nothing to be renamed back.
            (Some(from), None, Some(to), None) => {
                self.rename.push(Rename {
                    from: to.clone(),
                    to: from.clone(),
                });
                true
            }
            // A key that expired (infinite: never).
            (None, Some(from), Some(key), Some(to)) if item.hash.is_none() => {
                self.expiry.push(Expiry {
                    key: key.clone(),
                    from: to,
                    to: from,
                });
                true
            }
            _ => false,
        }
    }
}
