//! Delivered entries, found again in target by the hash of their payload. Equal elements are
//! interchangeable: one of them is as good as another.

use std::collections::HashMap;

use crate::ops::plan::ChangeError;
use crate::ops::plan::make::PlanContext;
use crate::ops::plan::work::{member_of, sha1};
use crate::queue::{EntryId, Form};
use crate::store::change::TakeBack;
use crate::store::read;

/// Elements read at once at first, and at most.
const PAGE: (u32, u32) = (50, 1_000);
/// Bytes read at once at most, as long as elements are about as large as those before them.
const BYTES: usize = 256 << 10;

/// An entry that was delivered.
pub(super) struct SoughtElement {
    pub(super) id: EntryId,
    pub(super) form: Option<Form>,
    /// The score that it had.
    pub(super) score: f64,
    /// SHA-1 of its payload.
    pub(super) hash: [u8; 20],
}

/// The result of a search in target.
#[derive(Default)]
pub(super) struct TargetElements {
    /// Elements that are there. What was delivered last comes first: there it is found at once, at
    /// the end of target.
    pub(super) there: Vec<(TakeBack, EntryId)>,
    /// Entries to which no element of target is equal any more.
    pub(super) gone: Vec<EntryId>,
}

/// Looks for entries, given from the last delivered to the first.
pub(super) async fn find(
    making: &PlanContext<'_>,
    sought: Vec<SoughtElement>,
) -> Result<TargetElements, ChangeError> {
    let hashes: Vec<_> = sought.iter().map(|one| one.hash).collect();
    let elements = elements(making, &hashes).await?;
    let mut found = TargetElements::default();
    for (one, element) in sought.iter().zip(elements) {
        match element {
            Some(element) => found.there.push((
                TakeBack {
                    member: member_of(one.form, one.id, &element),
                    element,
                    score: one.score,
                },
                one.id,
            )),
            None => found.gone.push(one.id),
        }
    }
    Ok(found)
}

/// Counts the elements that came to target after those with these hashes, of which the last one
/// comes first and which stand there in a row; at most `most` are looked at. Where equal ones stand
/// there in several places, it is the greatest count. None: that cannot be seen.
pub(super) async fn behind(
    making: &PlanContext<'_>,
    newest: &[[u8; 20]],
    most: u64,
) -> Result<Option<u64>, ChangeError> {
    let target = making.queue.keys().target;
    let at_head = making.queue.comes_at_head();
    let length = read::list_page(making.store, &target, 0, 1).await?.length;
    let looked = length.min(most.saturating_add(newest.len() as u64));
    let mut hashes: Vec<[u8; 20]> = Vec::new();
    while !newest.is_empty() && (hashes.len() as u64) < looked {
        let seen = hashes.len() as u64;
        let count = (looked - seen).min(u64::from(PAGE.0) * 4);
        let first = if at_head { seen } else { length - seen - count };
        let count = u32::try_from(count).unwrap_or(PAGE.0);
        let page = read::list_page(making.store, &target, first, count).await?;
        let mut some: Vec<_> = page.elements.iter().map(|element| sha1(element)).collect();
        if some.is_empty() {
            return Ok(None);
        }
        if !at_head {
            some.reverse();
        }
        hashes.extend(some);
    }
    let found = hashes
        .windows(newest.len().max(1))
        .rposition(|some| some == newest);
    Ok(found.and_then(|behind| u64::try_from(behind).ok()))
}

/// Looks for elements with these hashes, from the end of target on where new ones come; each is
/// found for one hash only. What is consumed or delivered meanwhile shifts the others only to where
/// they have not been looked for yet.
pub(super) async fn elements(
    making: &PlanContext<'_>,
    hashes: &[[u8; 20]],
) -> Result<Vec<Option<Vec<u8>>>, ChangeError> {
    let mut by_hash: HashMap<[u8; 20], Vec<usize>> = HashMap::with_capacity(hashes.len());
    for (i, hash) in hashes.iter().enumerate().rev() {
        by_hash.entry(*hash).or_default().push(i);
    }
    let mut elements: Vec<Option<Vec<u8>>> = vec![None; hashes.len()];
    let mut missing = hashes.len();
    if missing > 0 {
        let found = |element: Vec<u8>| {
            let place = by_hash.get_mut(&sha1(&element)).and_then(Vec::pop);
            if let Some(place) = place {
                elements[place] = Some(element);
                missing -= 1;
            }
            missing > 0
        };
        newest_first(making, found).await?;
    }
    Ok(elements)
}

/// Hashes all elements, that first which a consumer takes next; none when there are more than
/// `most`.
pub(super) async fn hashes(
    making: &PlanContext<'_>,
    most: usize,
) -> Result<Option<Vec<[u8; 20]>>, ChangeError> {
    let mut hashes = Vec::new();
    newest_first(making, |element| {
        hashes.push(sha1(&element));
        hashes.len() <= most
    })
    .await?;
    hashes.reverse();
    Ok((hashes.len() <= most).then_some(hashes))
}

/// Reads the elements of target from the end on where new ones come, until `seen` says false.
async fn newest_first(
    making: &PlanContext<'_>,
    mut seen: impl FnMut(Vec<u8>) -> bool,
) -> Result<(), ChangeError> {
    let target = making.queue.keys().target;
    let at_head = making.queue.comes_at_head();
    let (mut read_so_far, mut size) = (0, PAGE.0);
    let length = read::list_page(making.store, &target, 0, 0).await?.length;
    while read_so_far < length {
        let count = u32::try_from(length - read_so_far)
            .unwrap_or(u32::MAX)
            .min(size);
        let first = if at_head {
            read_so_far
        } else {
            length - read_so_far - u64::from(count)
        };
        let mut page = read::list_page(making.store, &target, first, count).await?;
        read_so_far += u64::from(count);
        let bytes: usize = page.elements.iter().map(Vec::len).sum();
        size = if bytes > BYTES { size / 2 } else { size * 2 };
        size = size.clamp(1, PAGE.1);
        if !at_head {
            page.elements.reverse();
        }
        if !page.elements.into_iter().all(&mut seen) {
            break;
        }
    }
    Ok(())
}
