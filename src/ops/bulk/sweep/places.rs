//! Where those that a slice of the order list loses stood in it.

use std::collections::HashMap;

use crate::store::change::Place;

/// Numbers, and where each of them stood.
pub(super) type Places = Vec<(usize, Option<Place>)>;

/// The places of those that were met, each behind the last before it that stays; and the last of
/// all that stays.
pub(super) fn places(
    slice: &[Vec<u8>],
    met: &[(&[u8], usize)],
    before: Option<&Vec<u8>>,
) -> (Places, Option<Vec<u8>>) {
    let numbers: HashMap<&[u8], usize> = met.iter().copied().collect();
    let mut behind = before;
    let mut places = Vec::new();
    for element in slice {
        match numbers.get(element.as_slice()) {
            Some(&i) => {
                let place = behind.map_or(Place::Head, |b| Place::Behind(b.clone()));
                places.push((i, Some(place)));
            }
            None => behind = Some(element),
        }
    }
    (places, behind.cloned())
}
