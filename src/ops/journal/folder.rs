//! The journal's directory: who may write when, what is in it, whether there is room.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use super::line::{RecordLine, changes};
use super::{JournalError, JournalledChange, PurgeAmount, id};
use crate::clock::{EpochMillis, local_now};
use crate::ops::private;

/// Numbers of damaged lines that are told beside the first, at most.
const LINES: usize = 9;
/// Bytes that are kept free on the disk for everybody else.
const RESERVE: u64 = 64 << 20;
/// No change begins while the journal holds as many bytes.
const MOST_BYTES: u64 = 4_000_000_000;

/// Of that path. It need not be there to be read.
#[derive(Clone, Debug)]
pub(super) struct Folder(pub(super) PathBuf);

/// The right to write, until it is dropped: one process at a time.
pub(super) struct WriteTurn {
    _lock: File,
}

impl Folder {
    fn lines_path(&self) -> PathBuf {
        self.0.join("journal.jsonl")
    }

    fn changes_path(&self) -> PathBuf {
        self.0.join("changes")
    }

    /// The file of a change's entries.
    pub(super) fn change_path(&self, id: &str) -> PathBuf {
        self.changes_path().join(id)
    }

    /// Waits until nobody else writes. Makes the directory where there is none.
    pub(super) fn turn(&self) -> Result<WriteTurn, JournalError> {
        let lock = || {
            private::dir(&self.0)?;
            private::dir(&self.changes_path())?;
            let path = self.0.join("journal.lock");
            let file = private::open(OpenOptions::new().append(true).create(true), &path)?;
            file.lock()?;
            Ok(WriteTurn { _lock: file })
        };
        lock().map_err(|error| self.unwritable(&error))
    }

    /// All changes, the oldest first.
    pub(super) fn changes(&self) -> Result<Vec<JournalledChange>, JournalError> {
        let mut kept = changes(&self.lines()?).0;
        for change in kept.iter_mut().filter(|change| change.ended.is_none()) {
            change.under_way = is_held(&self.change_path(&change.id));
        }
        Ok(kept)
    }

    /// Tells which lines of the list cannot be read, in a sentence.
    pub(super) fn unreadable(&self) -> Result<Option<String>, JournalError> {
        let (_, numbers) = changes(&self.lines()?);
        let [first, others @ ..] = &numbers[..] else {
            return Ok(None);
        };
        let mut lines = format!("line{} {first}", if others.is_empty() { "" } else { "s" });
        for number in others.iter().take(LINES) {
            let _ = write!(lines, ", {number}");
        }
        if others.len() > LINES {
            let _ = write!(lines, " and {} more", others.len() - LINES);
        }
        Ok(Some(format!(
            "{lines} of {} cannot be read (damaged, or written by a newer delayscope): what {} \
             told of is not known here",
            self.lines_path().display(),
            if others.is_empty() { "it" } else { "they" },
        )))
    }

    /// The list of changes; where others may write, what it tells is not known to be the user's.
    fn lines(&self) -> Result<Vec<u8>, JournalError> {
        let read = || {
            private::check(&self.0)?;
            match private::check(&self.changes_path()) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                checked => checked?,
            }
            private::read(&self.lines_path())
        };
        match read() {
            Ok(text) => Ok(text),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(failed("read", &self.lines_path(), &error)),
        }
    }

    /// Appends a line; on disk when it returns.
    pub(super) fn append(&self, _: &WriteTurn, line: &RecordLine) -> Result<(), JournalError> {
        let path = self.lines_path();
        let append = || {
            let is_new = !path.exists();
            let mut how = OpenOptions::new();
            let mut file = private::open(how.read(true).append(true).create(true), &path)?;
            let mut text = serde_json::to_vec(line)?;
            text.push(b'\n');
            if !ends_with_line(&mut file)? {
                // A line was torn: it shall not take this one with it.
                text.insert(0, b'\n');
            }
            file.write_all(&text)?;
            file.sync_data()?;
            if is_new { sync_dir(&self.0) } else { Ok(()) }
        };
        append().map_err(|error| self.unwritable(&error))
    }

    /// A new file for a change's entries, held by us until it is closed.
    pub(super) fn create(
        &self,
        _: &WriteTurn,
        now: EpochMillis,
    ) -> Result<(String, File), JournalError> {
        let create = || loop {
            let random = getrandom::u32().map_err(io::Error::other)?;
            let id = id::new(now, random);
            let path = self.change_path(&id);
            match private::open(OpenOptions::new().append(true).create_new(true), &path) {
                Ok(file) => {
                    file.lock()?;
                    return Ok((id, file));
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        };
        create().map_err(|error: io::Error| self.unwritable(&error))
    }

    /// Lets the new file of a change be found after a power cut.
    pub(super) fn keep_created(&self) -> Result<(), JournalError> {
        sync_dir(&self.changes_path()).map_err(|error| self.unwritable(&error))
    }

    /// Checks that nobody has tried to take a change back beside these `attempts`, which are over.
    pub(super) fn check_attempts(&self, undone: &str, attempts: usize) -> Result<(), JournalError> {
        let all = self.changes()?;
        let undoes = |kept: &&JournalledChange| kept.head.undoes.as_deref() == Some(undone);
        let tried: Vec<_> = all.iter().filter(undoes).collect();
        if tried.len() == attempts && tried.iter().all(|undo| !undo.under_way) {
            return Ok(());
        }
        let by = tried.last().map_or("somebody", |undo| undo.id.as_str());
        Err(JournalError(format!(
            "the change {undone} was taken back by {by} since this was planned: plan it again"
        )))
    }

    /// Checks that a change which writes `bytes` bytes has room.
    pub(super) fn check_room(&self, bytes: u64) -> Result<(), JournalError> {
        let held = self.bytes().map_err(|error| self.unwritable(&error))?;
        if held >= MOST_BYTES {
            return Err(JournalError(format!(
                "the journal in {} holds {}, and takes no new change from {} on. Make room with \
                 `delayscope journal purge --older-than 7d`: what that removes cannot be undone",
                self.0.display(),
                megabytes(held),
                megabytes(MOST_BYTES),
            )));
        }
        let disk = nix::sys::statvfs::statvfs(&self.0);
        let disk = disk.map_err(|error| self.unwritable(&error.into()))?;
        #[expect(clippy::useless_conversion, reason = "u32 on some systems")]
        let free = u64::from(disk.blocks_available()).saturating_mul(disk.fragment_size());
        if free < bytes.saturating_add(RESERVE) {
            return Err(JournalError(format!(
                "there is no room for the journal: it needs {} and {} to spare, and {} has {} \
                 free. Free disk space there, or remove old changes with `delayscope journal purge \
                 --older-than 7d`, or let XDG_STATE_HOME name another place",
                megabytes(bytes),
                megabytes(RESERVE),
                self.0.display(),
                megabytes(free),
            )));
        }
        Ok(())
    }

    /// Counts the bytes that all changes take.
    fn bytes(&self) -> io::Result<u64> {
        let mut bytes = fs::metadata(self.lines_path()).map_or(0, |lines| lines.len());
        for entry in fs::read_dir(self.changes_path())? {
            bytes += entry?.metadata().map_or(0, |file| file.len());
        }
        Ok(bytes)
    }

    /// Removes the changes that ended and are older than so many days.
    pub(super) fn expire(&self, turn: &WriteTurn, keep_days: u32) -> Result<(), JournalError> {
        let cutoff = local_now().plus(-i64::from(keep_days) * 86_400_000);
        let is_old = |kept: &JournalledChange| kept.at < cutoff;
        if self.oldest().is_none_or(|at| at >= cutoff) {
            return Ok(());
        }
        let kept = self.changes()?;
        let gone: Vec<_> = kept
            .iter()
            .filter(|kept| is_old(kept) && kept.ended.is_some())
            .collect();
        self.remove(turn, &gone).map(|_| ())
    }

    /// When the first change of the file began: lines are appended, so no other is older.
    fn oldest(&self) -> Option<EpochMillis> {
        let mut first = Vec::new();
        let file = private::open(OpenOptions::new().read(true), &self.lines_path()).ok()?;
        BufReader::new(file).read_until(b'\n', &mut first).ok()?;
        let line: Option<RecordLine> = serde_json::from_slice(&first).ok();
        // A torn first line tells nothing: all are looked through.
        Some(line.and_then(|line| line.began_at()).unwrap_or_default())
    }

    /// Removes changes: first from the list, then their files, so that none is listed without.
    pub(super) fn remove(
        &self,
        turn: &WriteTurn,
        gone: &[&JournalledChange],
    ) -> Result<PurgeAmount, JournalError> {
        let mut purged = PurgeAmount::default();
        if gone.is_empty() {
            return Ok(purged);
        }
        let ids: HashSet<&str> = gone.iter().map(|kept| kept.id.as_str()).collect();
        self.rewrite(turn, |line| !ids.contains(line.id.as_str()))
            .map_err(|error| self.unwritable(&error))?;
        for id in ids {
            purged.changes += 1;
            purged.bytes += self.remove_file(id);
        }
        Ok(purged)
    }

    /// Removes files of changes that are not listed: they died before they began.
    pub(super) fn remove_strays(&self, _: &WriteTurn) -> Result<u64, JournalError> {
        let listed = self.changes()?;
        let listed: HashSet<&str> = listed.iter().map(|kept| kept.id.as_str()).collect();
        let entries = fs::read_dir(self.changes_path());
        let entries = entries.map_err(|error| self.unwritable(&error))?;
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let strays = names.filter(|name| !listed.contains(name.as_str()));
        Ok(strays.map(|name| self.remove_file(&name)).sum())
    }

    /// Removes the file of a change, and returns how many bytes went with it.
    fn remove_file(&self, id: &str) -> u64 {
        let path = self.change_path(id);
        let bytes = fs::metadata(&path).map_or(0, |file| file.len());
        // What stays behind is a stray, and goes with the next purge.
        fs::remove_file(&path).map_or(0, |()| bytes)
    }

    fn rewrite(&self, _: &WriteTurn, stays: impl Fn(&RecordLine) -> bool) -> io::Result<()> {
        let draft = self.0.join("journal.jsonl.tmp");
        let mut how = OpenOptions::new();
        let mut out = private::open(how.write(true).create(true).truncate(true), &draft)?;
        let mut text = Vec::new();
        for line in private::read(&self.lines_path())?.split(|byte| *byte == b'\n') {
            if serde_json::from_slice(line).is_ok_and(|line| stays(&line)) {
                text.extend(line);
                text.push(b'\n');
            }
        }
        out.write_all(&text)?;
        out.sync_all()?;
        fs::rename(&draft, self.lines_path())?;
        sync_dir(&self.0)
    }

    /// Says why nothing can be changed: what cannot be written down cannot be taken back.
    pub(super) fn unwritable(&self, error: &io::Error) -> JournalError {
        JournalError(format!(
            "the journal in {} cannot be written: {error}. Nothing is changed without it; make \
             room or give access there, or let XDG_STATE_HOME name another place",
            self.0.display(),
        ))
    }
}

/// Makes the error that says what could not be done with a file.
pub(super) fn failed(what: &str, path: &Path, error: &io::Error) -> JournalError {
    JournalError(format!("could not {what} {}: {error}", path.display()))
}

fn sync_dir(dir: &Path) -> io::Result<()> {
    File::open(dir)?.sync_all()
}

fn ends_with_line(file: &mut File) -> io::Result<bool> {
    if file.metadata()?.len() == 0 {
        return Ok(true);
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

/// Tells whether a change is being written down, by whichever process.
fn is_held(path: &Path) -> bool {
    let tried = File::open(path).map(|file| file.try_lock_shared());
    matches!(tried, Ok(Err(TryLockError::WouldBlock)))
}

fn megabytes(bytes: u64) -> String {
    match bytes {
        _ if bytes < 10_000_000 => format!("{} kB", bytes.div_ceil(1_000)),
        _ if bytes < 10_000_000_000 => format!("{} MB", bytes / 1_000_000),
        _ => format!("{} GB", bytes / 1_000_000_000),
    }
}
