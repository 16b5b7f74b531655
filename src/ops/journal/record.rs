//! A change that is being written down.

use std::fs::File;
use std::io::{self, Write as _};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use super::folder::Folder;
use super::line::RecordLine;
use super::{Item, ItemResult, JournalError, ServerId, Tries, blocking, format};
use crate::clock::local_now;
use crate::queue::{Outcome, Tally};

/// A change that is being written down.
///
/// Writing goes on beside the caller, so the intents of the next batch can be written while a
/// script runs, and what became of the batch is told after both:
///
/// ```ignore
/// record.trying(vec![batch], Tries::Whole).await?;
/// let (answer, written) = tokio::join!(script(batch), record.intend(next_items));
/// written?;
/// record.happened(results_of(answer)).await?;
/// ```
///
/// One that is dropped before [`end`](Self::end), with all its clones, stays in the journal as never
/// ended.
#[derive(Clone, Debug)]
pub struct JournalRecord {
    id: String,
    folder: Folder,
    writer: Arc<Mutex<Writer>>,
}

/// The open file; locked, so that others can see that the change is under way.
#[derive(Debug)]
struct Writer {
    file: File,
    /// Bytes of the file that are whole.
    length: u64,
    /// Bytes of it that are on disk.
    synced: u64,
    intended: u64,
    /// Bytes that the intended items took.
    intents: u64,
    /// Number of them that have no result yet.
    open: u64,
    /// Number of entries that the next script chooses itself, at most.
    untold: u64,
    /// Number of entries that scripts may have moved without telling which, once one may have.
    lost: Option<u64>,
    buffer: Vec<u8>,
}

impl JournalRecord {
    /// Into a new file; on disk when it returns.
    pub(super) fn create(id: String, folder: Folder, file: File) -> Result<Self, JournalError> {
        let mut writer = Writer {
            file,
            length: 0,
            synced: 0,
            intended: 0,
            intents: 0,
            open: 0,
            untold: 0,
            lost: None,
            buffer: format::MAGIC.to_vec(),
        };
        let written = writer.append(true);
        written.map_err(|error| folder.unwritable(&error))?;
        Ok(Self {
            id,
            folder,
            writer: Arc::new(Mutex::new(writer)),
        })
    }

    /// The change's id.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Writes down what shall be tried; on disk when it returns. Before each script,
    /// [`trying`](Self::trying) says which of it that is. After an error none of it
    /// counts as intended.
    pub async fn intend(&mut self, items: Vec<Item>) -> Result<(), JournalError> {
        self.write(Reach::Disk, move |writer| {
            writer.put_intents(&items);
            items.len() as u64
        })
        .await
    }

    /// Writes down what became of items that were intended; on disk at the next
    /// [`intend`](Self::intend) or [`end`](Self::end), and with the operating system (which
    /// outlives us) when it returns. Of several results of an item the last one holds.
    pub async fn happened(&mut self, results: Vec<ItemResult>) -> Result<(), JournalError> {
        self.write(Reach::System, move |writer| {
            format::put_results(&mut writer.buffer, &results);
            writer.open = writer.open.saturating_sub(results.len() as u64);
            0
        })
        .await
    }

    /// Writes down which of the items the next script tries; with the operating system (which
    /// outlives us) when it returns. What was tried before and has no result was left as it was,
    /// unless [`how`](Tries::SomeBeside) says otherwise.
    pub async fn trying(&mut self, items: Vec<Range<u64>>, how: Tries) -> Result<(), JournalError> {
        self.write(Reach::System, move |writer| {
            format::put_tries(&mut writer.buffer, &items, how);
            0
        })
        .await
    }

    /// Writes down that the next script moves up to `next` entries that it chooses itself, and that
    /// up to `lost` were moved before of which nobody was told which; with the operating system
    /// when it returns, and with room on the disk for what [`done`](Self::done) writes down of them.
    pub async fn untold(&mut self, lost: u64, next: u64) -> Result<(), JournalError> {
        self.write(Reach::SystemWithRoom, move |writer| {
            writer.lost = Some(lost);
            writer.untold = next;
            format::put_untold(&mut writer.buffer, lost.saturating_add(next));
            0
        })
        .await
    }

    /// Writes down what was done to entries that nobody could intend one by one, since the script
    /// itself chose them; with the operating system when it returns, on disk at the next
    /// [`intend`](Self::intend) or [`end`](Self::end).
    pub async fn done(&mut self, items: Vec<Item>) -> Result<(), JournalError> {
        self.write(Reach::System, move |writer| {
            writer.untold = 0;
            let first = writer.intended;
            let count = items.len() as u64;
            format::put_intents(&mut writer.buffer, first, &items);
            let results: Vec<_> = (first..first + count).map(ItemResult::done).collect();
            format::put_results(&mut writer.buffer, &results);
            if let Some(lost) = writer.lost {
                format::put_untold(&mut writer.buffer, lost);
            }
            count
        })
        .await
    }

    /// Writes down what `look` says is about to be tried, and that items `done` were done; on disk
    /// when it returns. What `look` tells beside them, and how many there are. After an error none of it counts as intended.
    pub async fn intend_and_settle<T: Send + 'static>(
        &mut self,
        done: Range<u64>,
        look: impl FnOnce() -> (Vec<Item>, T) + Send + 'static,
    ) -> Result<(T, u64), JournalError> {
        let (tell, told) = tokio::sync::oneshot::channel();
        let done: Vec<_> = done.map(ItemResult::done).collect();
        self.write(Reach::Disk, move |writer| {
            let (items, beside) = look();
            let count = items.len() as u64;
            if !done.is_empty() {
                format::put_results(&mut writer.buffer, &done);
                writer.open = writer.open.saturating_sub(done.len() as u64);
            }
            if count > 0 {
                let first = writer.intended;
                writer.put_intents(&items);
                let tried = first..first + count;
                format::put_tries(
                    &mut writer.buffer,
                    std::slice::from_ref(&tried),
                    Tries::Whole,
                );
            }
            // Whoever asked waits for it.
            let _ = tell.send((beside, count));
            count
        })
        .await?;
        told.await.map_err(|error| JournalError(error.to_string()))
    }

    /// Tells whether all that was written is on disk, where it outlives the machine's power.
    #[must_use]
    pub fn is_on_disk(&self) -> bool {
        let writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        writer.synced == writer.length
    }

    /// The change is over.
    pub async fn end(self, tally: Tally) -> Result<(), JournalError> {
        self.end_on(tally, None).await
    }

    /// The change is over, `on` another server than it began on: there was a failover.
    pub async fn end_on(self, tally: Tally, on: Option<ServerId>) -> Result<(), JournalError> {
        blocking(move || {
            let writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
            // The room that no result has taken is given back.
            let cut = writer.file.set_len(writer.length);
            let synced = cut.and_then(|()| writer.file.sync_data());
            synced.map_err(|error| self.folder.unwritable(&error))?;
            let turn = self.folder.turn()?;
            let line = RecordLine::ended(&self.id, local_now(), &tally, on);
            self.folder.append(&turn, &line)
        })
        .await
    }

    /// Appends what `put` puts into the buffer; it says how many items that intends.
    async fn write(
        &self,
        reach: Reach,
        put: impl FnOnce(&mut Writer) -> u64 + Send + 'static,
    ) -> Result<(), JournalError> {
        let writer = Arc::clone(&self.writer);
        let folder = self.folder.clone();
        blocking(move || {
            let mut writer = writer.lock().unwrap_or_else(PoisonError::into_inner);
            writer.buffer.clear();
            let intended = put(&mut writer);
            let room = match reach {
                Reach::System => Ok(()),
                Reach::SystemWithRoom | Reach::Disk => writer.keep_room(),
            };
            let written = room.and_then(|()| writer.append(reach == Reach::Disk));
            // A large entry is not held until the next one is written.
            writer.buffer.clear();
            writer.buffer.shrink_to(BUFFER);
            written.map_err(|error| folder.unwritable(&error))?;
            writer.intended += intended;
            Ok(())
        })
        .await
    }
}

impl ItemResult {
    /// The item was done, and nothing else is to be known of it.
    const fn done(index: u64) -> Self {
        Self {
            index,
            outcome: Outcome::Done,
            stood: None,
        }
    }
}

/// The place that something is written to before that returns.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Reach {
    /// To the operating system, which outlives us; its room was taken before.
    System,
    /// The same, and there is room on the disk for what follows from it.
    SystemWithRoom,
    /// To the disk, with room for what follows from it.
    Disk,
}

/// Bytes that an entry takes which a script chose itself, with its result.
const CHOSEN: u64 = 48;
/// Bytes of records around such entries, and of what is told between them.
const AROUND: u64 = 1_024;

/// Bytes of the buffer that are kept from one write to the next.
const BUFFER: usize = 4 << 20;
/// Bytes that the result of an item takes, beside where it stood; and the note that it is tried.
const RESULT: u64 = 48;

impl Writer {
    /// Appends items to the buffer that are about to be tried.
    fn put_intents(&mut self, items: &[Item]) {
        let before = self.buffer.len();
        format::put_intents(&mut self.buffer, self.intended, items);
        self.intents += (self.buffer.len() - before) as u64;
        self.open += items.len() as u64;
    }

    /// Takes room on the disk for the buffer and for the results that are still to come: what was
    /// done shall not stay unknown because others filled the disk meanwhile.
    #[cfg(target_os = "linux")]
    fn keep_room(&self) -> io::Result<()> {
        use nix::errno::Errno;
        use nix::fcntl::{FallocateFlags, fallocate};
        let intended = self.intended.max(self.open).max(1);
        // Where an entry stood is told by another one, of about the same size.
        let results = self.open * (self.intents / intended + RESULT);
        let chosen = self.untold.saturating_mul(CHOSEN) + AROUND;
        let room = (self.buffer.len() as u64 + results).saturating_add(chosen);
        let [at, room] = [self.length, room].map(|n| i64::try_from(n).unwrap_or(i64::MAX));
        let kept = fallocate(&self.file, FallocateFlags::FALLOC_FL_KEEP_SIZE, at, room);
        match kept {
            Err(full @ (Errno::ENOSPC | Errno::EDQUOT)) => Err(full.into()),
            // Not every file system can.
            _ => Ok(()),
        }
    }

    #[cfg(not(target_os = "linux"))]
    #[expect(clippy::unnecessary_wraps, clippy::unused_self, reason = "as on Linux")]
    fn keep_room(&self) -> io::Result<()> {
        Ok(())
    }

    /// Appends the buffer, whole or not at all: nothing behind a torn record could be read.
    fn append(&mut self, sync: bool) -> io::Result<()> {
        let written = self.file.write_all(&self.buffer);
        let written = written.and_then(|()| if sync { self.file.sync_data() } else { Ok(()) });
        if let Err(error) = written {
            self.file.set_len(self.length)?;
            return Err(error);
        }
        self.length += self.buffer.len() as u64;
        if sync {
            self.synced = self.length;
        }
        Ok(())
    }
}
