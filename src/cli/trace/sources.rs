//! The sources of a log: files in their order, or what comes through a pipe.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, bail};
use tokio::sync::mpsc;

use super::super::stop::StopSignal;
use crate::trace::aof;

/// Bytes that are read at once.
const CHUNK: usize = 256 << 10;
/// A file that grows is looked at so often.
const LOOK: Duration = Duration::from_millis(200);
/// A manifest has so many bytes at most.
const MOST_OF_A_MANIFEST: u64 = 1 << 20;

/// One log, or a part of one.
pub(super) enum Source {
    /// The standard input, or a pipe that has a path.
    Input(Input),
    /// A file.
    File(PathBuf),
    /// A part of an append-only file, which a manifest names.
    Part(PathBuf),
}

/// The sources that `--from` names, in the order in which they are read; `follows`: a file is read on
/// as it grows.
pub(super) fn sources(from: &Path, follows: bool) -> anyhow::Result<Vec<Source>> {
    if from == Path::new("-") {
        let input = Input::listen("the standard input".to_owned(), || Ok(io::stdin()));
        return Ok(vec![Source::Input(input)]);
    }
    let why = || format!("could not open {}", from.display());
    let kind = fs::metadata(from).with_context(why)?.file_type();
    if !kind.is_file() && !kind.is_dir() {
        // It can be read once, and opens when somebody writes to it.
        let path = from.to_owned();
        let input = Input::listen(from.display().to_string(), || File::open(path));
        return Ok(vec![Source::Input(input)]);
    }
    let manifest = if from.is_dir() {
        let found = manifest_in(from).with_context(why)?;
        match found {
            Some(manifest) => manifest,
            None => bail!(
                "could not read {} as a log: the folder has no manifest of an append-only file. \
                 Name a file, or the folder that the server calls appenddirname.",
                from.display()
            ),
        }
    } else {
        from.to_owned()
    };
    let mut beginning = Vec::new();
    let file = File::open(&manifest).with_context(why)?;
    let read = file.take(MOST_OF_A_MANIFEST).read_to_end(&mut beginning);
    read.with_context(why)?;
    let folder = manifest.parent().unwrap_or(Path::new(""));
    let parts = beginning
        .starts_with(b"file ")
        .then(|| aof::parts(&beginning));
    Ok(match parts.flatten() {
        Some(_) if follows => bail!(
            "could not follow {}: it is of several files. Name the one that grows, which ends in \
             .incr.aof.",
            from.display()
        ),
        Some(parts) => parts
            .into_iter()
            .map(|part| Source::Part(folder.join(part.file)))
            .collect(),
        None if follows => {
            let name = manifest.display().to_string();
            let input = Input::listen(name, || GrowingFile::open(manifest));
            vec![Source::Input(input)]
        }
        None => vec![Source::File(manifest)],
    })
}

/// A file that is read on as it grows. Where it is cut, or another file takes its name, that is read
/// from its beginning.
struct GrowingFile {
    path: PathBuf,
    file: File,
    /// Bytes of it that were read.
    at: u64,
}

impl GrowingFile {
    fn open(path: PathBuf) -> io::Result<Self> {
        let file = File::open(&path)?;
        Ok(Self { path, file, at: 0 })
    }

    /// The file that has the name now, where it is another one or was cut.
    fn another(&self) -> io::Result<Option<File>> {
        let named = match fs::metadata(&self.path) {
            Ok(named) => named,
            // Whoever rotates logs makes the next one a moment later.
            Err(why) if why.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(why) => return Err(why),
        };
        let ours = self.file.metadata()?;
        let is_ours = (named.dev(), named.ino()) == (ours.dev(), ours.ino());
        if is_ours && named.len() >= self.at {
            return Ok(None);
        }
        match File::open(&self.path) {
            Ok(file) => Ok(Some(file)),
            Err(why) if why.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(why) => Err(why),
        }
    }
}

impl Read for GrowingFile {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = self.file.read(into)?;
            self.at += read as u64;
            if read > 0 || into.is_empty() {
                return Ok(read);
            }
            match self.another()? {
                Some(file) => (self.file, self.at) = (file, 0),
                None => std::thread::sleep(LOOK),
            }
        }
    }
}

/// The manifest of an append-only file in a folder.
fn manifest_in(folder: &Path) -> io::Result<Option<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        found.extend((path.extension().is_some_and(|e| e == "manifest")).then_some(path));
    }
    found.sort();
    Ok(found.into_iter().next())
}

impl Source {
    /// Its name for people.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Input(input) => input.name.clone(),
            Self::File(path) | Self::Part(path) => path.display().to_string(),
        }
    }

    /// True when an append-only file without a snapshot has every command since its keys were empty;
    /// false of a file that goes on from another.
    pub(super) fn may_begin_empty(&self) -> bool {
        match self {
            Self::Input(_) => false,
            Self::File(path) | Self::Part(path) => !path.to_string_lossy().contains(".incr."),
        }
    }

    /// Opens it.
    pub(super) fn open(self) -> anyhow::Result<Box<dyn BufRead>> {
        Ok(match self {
            Self::Input(input) => Box::new(input),
            Self::File(path) | Self::Part(path) => {
                let file = File::open(&path);
                let file = file.with_context(|| format!("could not open {}", path.display()))?;
                Box::new(BufReader::with_capacity(CHUNK, file))
            }
        })
    }
}

/// A pipe that is read. It is over when we are asked to end: what was read until then is told.
pub(super) struct Input {
    name: String,
    chunks: mpsc::Receiver<io::Result<Vec<u8>>>,
    stop: StopSignal,
    chunk: Vec<u8>,
    at: usize,
    is_over: bool,
}

impl Input {
    fn listen<R: Read>(
        name: String,
        open: impl FnOnce() -> io::Result<R> + Send + 'static,
    ) -> Self {
        let (send, chunks) = mpsc::channel(2);
        // Ends with the process: neither opening a pipe nor reading from one can be ended otherwise.
        std::thread::spawn(move || {
            let mut input = match open() {
                Ok(input) => input,
                Err(why) => {
                    // Fails when nobody reads any more.
                    let _ = send.blocking_send(Err(why));
                    return;
                }
            };
            loop {
                let mut chunk = vec![0; CHUNK];
                let read = input.read(&mut chunk);
                let is_over = matches!(read, Ok(0) | Err(_));
                let chunk = read.map(|length| {
                    chunk.truncate(length);
                    chunk
                });
                if send.blocking_send(chunk).is_err() || is_over {
                    return;
                }
            }
        });
        Self {
            name,
            chunks,
            stop: StopSignal::listen(),
            chunk: Vec::new(),
            at: 0,
            is_over: false,
        }
    }

    /// The next bytes; none when it is over, or we are asked to end.
    fn next(&mut self) -> io::Result<Vec<u8>> {
        let (chunks, stop) = (&mut self.chunks, &mut self.stop);
        let either = async {
            tokio::select! {
                biased;
                () = stop.asked() => None,
                chunk = chunks.recv() => chunk,
            }
        };
        let runtime = tokio::runtime::Handle::current();
        let chunk = tokio::task::block_in_place(|| runtime.block_on(either));
        chunk.unwrap_or_else(|| Ok(Vec::new()))
    }
}

impl BufRead for Input {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.at == self.chunk.len() && !self.is_over {
            (self.chunk, self.at) = (self.next()?, 0);
            self.is_over = self.chunk.is_empty();
        }
        Ok(&self.chunk[self.at..])
    }

    fn consume(&mut self, bytes: usize) {
        self.at += bytes;
    }
}

impl Read for Input {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(into)?;
        self.consume(read);
        Ok(read)
    }
}
