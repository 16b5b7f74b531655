//! The entries of a change, read a part at a time: a million of them need not fit into memory.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt as _;
use std::path::PathBuf;
use std::sync::Arc;

use super::folder::failed;
use super::format::{self, RecordKind};
use super::{Item, ItemResult, JournalError, Tries, blocking};
use crate::ops::private;
use crate::queue::Outcome;

/// The entries of a change in parts of at most 1,000, in the order in which they were intended.
/// Parts can be read in any order: what was deleted is put back from the last to the first.
#[derive(Clone, Debug)]
pub struct Items {
    index: Arc<Index>,
}

#[derive(Debug)]
struct Index {
    file: File,
    path: PathBuf,
    parts: Vec<Part>,
    /// Bytes at the end that are no whole record.
    unread: u64,
    /// Damaged bytes amid records.
    damaged: u64,
    /// The items that the last script tried, as far as that was written down.
    tried: Option<Vec<Range<u64>>>,
    /// The way in which it tried them.
    how: Option<Tries>,
    /// Number of entries that may have been moved and that no item tells of.
    untold: u64,
    /// Number of these that scripts before the last may have moved, at most.
    before: u64,
    /// True if what is not said to have been tried was not.
    tells: bool,
}

/// Bytes behind a damaged record that are looked through at once.
const WINDOW: usize = 1 << 16;
/// A record with a body larger than this is not looked for there.
const LARGEST: u32 = 8 << 20;

/// A record of intents, and where results of its items stand.
#[derive(Debug)]
struct Part {
    at: u64,
    first: u64,
    count: u64,
    results: Vec<u64>,
}

impl Items {
    /// Looks through the file once: where is what. `tells`: all that was written down is there, and
    /// nothing is under way.
    pub(super) async fn open(path: PathBuf, tells: bool) -> Result<Self, JournalError> {
        let index = blocking(move || {
            let file = private::open(OpenOptions::new().read(true), &path);
            let read = file.and_then(|file| Index::read(file, path.clone(), tells));
            read.map_err(|error| failed("read", &path, &error))
        });
        Ok(Self {
            index: Arc::new(index.await?),
        })
    }

    /// Counts the parts.
    #[must_use]
    pub fn parts(&self) -> usize {
        self.index.parts.len()
    }

    /// Counts the items that were intended.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.index.parts.iter().map(|part| part.count).sum()
    }

    /// Counts the bytes at the end that cannot be read: they were torn by a crash, or are being
    /// written.
    #[must_use]
    pub fn unread(&self) -> u64 {
        self.index.unread
    }

    /// Counts the bytes amid others that are damaged: what they told of is not known.
    #[must_use]
    pub fn damaged(&self) -> u64 {
        self.index.damaged
    }

    /// Returns the largest number of entries that may have been moved by a script that chose them
    /// itself and whose answer nobody wrote down; none: that is not known.
    #[must_use]
    pub fn untold(&self) -> Option<u64> {
        self.index.tells.then_some(self.index.untold)
    }

    /// Returns the number of those that scripts before the last one may have moved, at most.
    #[must_use]
    pub fn untold_before(&self) -> u64 {
        self.index.before
    }

    /// Tells whether it is known what the last script was to try: only that can be in doubt.
    #[must_use]
    pub fn is_last_script_known(&self) -> bool {
        self.index.tells
    }

    /// Tells whether all that is in doubt was to be tried by one script, which did it to all or to
    /// none.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.index.tells && self.index.how == Some(Tries::Whole)
    }

    /// Counts the intended items of which nothing can be read.
    #[must_use]
    pub fn unreadable(&self) -> u64 {
        let last = self.index.parts.last();
        last.map_or(0, |part| part.first + part.count) - self.count()
    }

    /// Lists the items that something became of (each by its number among all that were intended,
    /// from 0), in the order in which that was written down: what is deleted while a list goes
    /// round leaves it in that list's order, whatever the order of the intents.
    pub async fn order(&self) -> Result<Vec<u64>, JournalError> {
        let index = Arc::clone(&self.index);
        blocking(move || {
            let read = index.order();
            read.map_err(|error| failed("read", &index.path, &error))
        })
        .await
    }

    /// The items of a part, each with what is known to have become of it. None: it is in doubt, since
    /// a script was about to try it and nobody wrote down whether it did. One that no script had
    /// come to when the change died is left. Empty where there is no such part.
    pub async fn part(&self, n: usize) -> Result<Vec<(Item, Option<ItemResult>)>, JournalError> {
        let index = Arc::clone(&self.index);
        blocking(move || {
            let read = index.part(n);
            read.map_err(|error| failed("read", &index.path, &error))
        })
        .await
    }
}

impl Index {
    fn read(file: File, path: PathBuf, tells: bool) -> io::Result<Self> {
        let length = file.metadata()?.len();
        let mut index = Self {
            file,
            path,
            parts: Vec::new(),
            unread: 0,
            damaged: 0,
            tried: None,
            how: None,
            untold: 0,
            before: 0,
            tells,
        };
        let mut at = 0;
        if length >= format::MAGIC.len() as u64 {
            index.check_magic()?;
            at = format::MAGIC.len() as u64;
            let mut intended = 0;
            loop {
                if let Some(body) = index.record(at, length)? {
                    index.note(&body, at, &mut intended);
                    at += (format::HEAD + body.len()) as u64;
                } else if let Some(next) = index.whole_behind(at, length)? {
                    index.damaged += next - at;
                    at = next;
                } else {
                    break;
                }
            }
        }
        index.unread = length.saturating_sub(at);
        // What is damaged may have said it.
        index.tells &= index.damaged == 0 && index.tried.is_some();
        index.tried = index.tried.take().map(merged);
        Ok(index)
    }

    /// Tells whether the script whose answer nobody wrote down was to try this item.
    fn is_tried(&self, item: u64) -> bool {
        let tried = self.tried.as_deref().unwrap_or_default();
        let after = tried.partition_point(|some| some.start <= item);
        after > 0 && tried[after - 1].contains(&item)
    }

    fn check_magic(&self) -> io::Result<()> {
        let mut magic = [0; format::MAGIC.len()];
        self.file.read_exact_at(&mut magic, 0)?;
        if magic != format::MAGIC {
            return Err(io::Error::other(
                "it is none of ours, or a newer delayscope wrote it",
            ));
        }
        Ok(())
    }

    /// Finds where the first whole record behind a damaged one begins.
    fn whole_behind(&self, damaged: u64, length: u64) -> io::Result<Option<u64>> {
        let mut at = damaged + 1;
        let mut window = vec![0; WINDOW];
        while at + (format::HEAD as u64) < length {
            let rest = usize::try_from(length - at).unwrap_or(usize::MAX);
            let some = &mut window[..rest.min(WINDOW)];
            self.file.read_exact_at(some, at)?;
            let looked = some.len() - format::HEAD;
            for (begin, head) in (at..).zip(some.windows(format::HEAD + 1)) {
                let size = u32::from_le_bytes([head[0], head[1], head[2], head[3]]);
                let may_be = size <= LARGEST && format::is_kind(head[format::HEAD]);
                if may_be && self.record(begin, length)?.is_some() {
                    return Ok(Some(begin));
                }
            }
            at += looked as u64;
        }
        Ok(None)
    }

    /// The body of the whole record that begins at `at`; none at the end, and where it is torn.
    fn record(&self, at: u64, length: u64) -> io::Result<Option<Vec<u8>>> {
        let mut head = [0; format::HEAD];
        let body_at = at + format::HEAD as u64;
        if body_at > length {
            return Ok(None);
        }
        self.file.read_exact_at(&mut head, at)?;
        let [a, b, c, d, check @ ..] = head;
        let size = u32::from_le_bytes([a, b, c, d]);
        if size == 0 || u64::from(size) > length - body_at {
            return Ok(None);
        }
        let mut body = vec![0; size as usize];
        self.file.read_exact_at(&mut body, body_at)?;
        Ok((format::check(&body) == check).then_some(body))
    }

    fn note(&mut self, body: &[u8], at: u64, intended: &mut u64) {
        match format::kind(body) {
            Some((RecordKind::Intents, first, count)) => {
                self.parts.push(Part {
                    at,
                    first,
                    count,
                    results: Vec::new(),
                });
                *intended = first + count;
            }
            Some((RecordKind::Results, ..)) => {
                for result in format::Results::of(body).into_iter().flatten() {
                    let after = self.parts.partition_point(|p| p.first <= result.index);
                    let part = after.checked_sub(1).and_then(|n| self.parts.get_mut(n));
                    let part = part.filter(|part| part.results.last() != Some(&at));
                    if let Some(part) = part.filter(|_| result.index < *intended) {
                        part.results.push(at);
                    }
                }
            }
            Some((RecordKind::Tries, ..)) => {
                if let Some((how, some)) = format::tries(body) {
                    self.how = Some(how);
                    let tried = self.tried.get_or_insert_default();
                    if how != Tries::SomeBeside {
                        tried.clear();
                    }
                    tried.extend(some);
                }
            }
            // It stands before each script, with what that may move, and behind it, without.
            Some((RecordKind::Untold, _, most)) => {
                self.before = self.untold.min(most);
                self.untold = most;
            }
            None => {}
        }
    }

    fn order(&self) -> io::Result<Vec<u64>> {
        let results = self.parts.iter().flat_map(|part| &part.results);
        let results: BTreeSet<u64> = results.copied().collect();
        let mut order = Vec::new();
        for at in results {
            let body = self.whole(at)?;
            let results = format::Results::of(&body).into_iter().flatten();
            order.extend(results.map(|result| result.index));
        }
        Ok(order)
    }

    fn part(&self, n: usize) -> io::Result<Vec<(Item, Option<ItemResult>)>> {
        let Some(part) = self.parts.get(n) else {
            return Ok(Vec::new());
        };
        let items = format::items(&self.whole(part.at)?);
        let items = items.ok_or_else(|| io::Error::other("its items make no sense"))?;
        let mut items: Vec<_> = items.into_iter().map(|item| (item, None)).collect();
        for at in &part.results {
            let body = self.whole(*at)?;
            for result in format::Results::of(&body).into_iter().flatten() {
                let place = result.index.checked_sub(part.first);
                let place = place.and_then(|place| usize::try_from(place).ok());
                if let Some((_, happened)) = place.and_then(|place| items.get_mut(place)) {
                    *happened = Some(result);
                }
            }
        }
        if self.tells {
            for ((_, happened), index) in items.iter_mut().zip(part.first..) {
                if happened.is_none() && !self.is_tried(index) {
                    *happened = Some(ItemResult {
                        index,
                        outcome: Outcome::Left,
                        stood: None,
                    });
                }
            }
        }
        Ok(items)
    }

    /// A record that was whole when the file was looked through.
    fn whole(&self, at: u64) -> io::Result<Vec<u8>> {
        let body = self.record(at, self.file.metadata()?.len())?;
        body.ok_or_else(|| io::Error::other("it was changed meanwhile"))
    }
}

/// The same items in ranges of which each begins behind the one before.
fn merged(mut ranges: Vec<Range<u64>>) -> Vec<Range<u64>> {
    ranges.sort_unstable_by_key(|some| some.start);
    let mut merged: Vec<Range<u64>> = Vec::with_capacity(ranges.len());
    for some in ranges {
        match merged.last_mut() {
            Some(last) if some.start <= last.end => last.end = last.end.max(some.end),
            _ => merged.push(some),
        }
    }
    merged
}
