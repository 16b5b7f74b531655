//! A change that is being written down.

use std::fs::File;
use std::io::{self, Write as _};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use super::folder::Folder;
use super::line::Line;
use super::{Happened, Item, JournalError, blocking, format};
use crate::clock::local_now;
use crate::queue::{Outcome, Tally};

/// A change that is being written down.
///
/// Writing goes on beside the caller, so the intents of the next batch can be written while a
/// script runs, and what became of the batch is told after both:
///
/// ```ignore
/// let (answer, written) = tokio::join!(script(batch), record.intend(next_items));
/// written?;
/// record.happened(results_of(answer)).await?;
/// ```
///
/// One that is dropped before [`end`](Self::end) stays in the journal as never ended.
#[derive(Debug)]
pub struct Record {
    id: String,
    folder: Folder,
    writer: Arc<Mutex<Writer>>,
}

/// The open file; locked, so that others can see that the change is under way.
#[derive(Debug)]
struct Writer {
    file: File,
    /// How much of the file is whole.
    length: u64,
    intended: u64,
    buffer: Vec<u8>,
}

impl Record {
    /// Into a new file; on disk when it returns.
    pub(super) fn create(id: String, folder: Folder, file: File) -> Result<Self, JournalError> {
        let mut writer = Writer {
            file,
            length: 0,
            intended: 0,
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

    /// Writes down what is about to be tried; on disk when it returns. After an error none of it
    /// counts as intended.
    pub async fn intend(&mut self, items: Vec<Item>) -> Result<(), JournalError> {
        self.write(true, move |writer| {
            format::put_intents(&mut writer.buffer, writer.intended, &items);
            items.len() as u64
        })
        .await
    }

    /// Writes down what became of items that were intended; on disk at the next
    /// [`intend`](Self::intend) or [`end`](Self::end), and with the operating system (which
    /// outlives us) when it returns. Of several results of an item the last one holds.
    pub async fn happened(&mut self, results: Vec<Happened>) -> Result<(), JournalError> {
        self.write(false, move |writer| {
            format::put_results(&mut writer.buffer, &results);
            0
        })
        .await
    }

    /// Writes down what was done to entries that nobody could intend one by one, since the script
    /// itself chose them; with the operating system when it returns, on disk at the next
    /// [`intend`](Self::intend) or [`end`](Self::end).
    pub async fn done(&mut self, items: Vec<Item>) -> Result<(), JournalError> {
        self.write(false, move |writer| {
            let first = writer.intended;
            let count = items.len() as u64;
            format::put_intents(&mut writer.buffer, first, &items);
            let results: Vec<_> = (first..first + count).map(Happened::done).collect();
            format::put_results(&mut writer.buffer, &results);
            count
        })
        .await
    }

    /// Writes down what `look` says is about to be tried, and that items `done` were done; with the
    /// operating system when it returns, on disk at the next [`intend`](Self::intend) or
    /// [`end`](Self::end). What `look` tells beside them, and how many there are.
    pub async fn foresee<T: Send + 'static>(
        &mut self,
        done: Range<u64>,
        look: impl FnOnce() -> (Vec<Item>, T) + Send + 'static,
    ) -> Result<(T, u64), JournalError> {
        let (tell, told) = tokio::sync::oneshot::channel();
        let done: Vec<_> = done.map(Happened::done).collect();
        self.write(false, move |writer| {
            let (items, beside) = look();
            let count = items.len() as u64;
            if !done.is_empty() {
                format::put_results(&mut writer.buffer, &done);
            }
            if count > 0 {
                format::put_intents(&mut writer.buffer, writer.intended, &items);
            }
            // Whoever asked waits for it.
            let _ = tell.send((beside, count));
            count
        })
        .await?;
        told.await.map_err(|error| JournalError(error.to_string()))
    }

    /// The change is over.
    pub async fn end(self, tally: Tally) -> Result<(), JournalError> {
        blocking(move || {
            let writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
            let synced = writer.file.sync_data();
            synced.map_err(|error| self.folder.unwritable(&error))?;
            let turn = self.folder.turn()?;
            let line = Line::ended(&self.id, local_now(), &tally);
            self.folder.append(&turn, &line)
        })
        .await
    }

    /// Appends what `put` puts into the buffer; it says how many items that intends.
    async fn write(
        &self,
        sync: bool,
        put: impl FnOnce(&mut Writer) -> u64 + Send + 'static,
    ) -> Result<(), JournalError> {
        let writer = Arc::clone(&self.writer);
        let folder = self.folder.clone();
        blocking(move || {
            let mut writer = writer.lock().unwrap_or_else(PoisonError::into_inner);
            writer.buffer.clear();
            let intended = put(&mut writer);
            let written = writer.append(sync);
            written.map_err(|error| folder.unwritable(&error))?;
            writer.intended += intended;
            Ok(())
        })
        .await
    }
}

impl Happened {
    /// The item was done, and nothing else is to be known of it.
    const fn done(index: u64) -> Self {
        Self {
            index,
            outcome: Outcome::Done,
            stood: None,
        }
    }
}

impl Writer {
    /// Appends the buffer, whole or not at all: nothing behind a torn record could be read.
    fn append(&mut self, sync: bool) -> io::Result<()> {
        let written = self.file.write_all(&self.buffer);
        let written = written.and_then(|()| if sync { self.file.sync_data() } else { Ok(()) });
        if let Err(error) = written {
            self.file.set_len(self.length)?;
            return Err(error);
        }
        self.length += self.buffer.len() as u64;
        Ok(())
    }
}
