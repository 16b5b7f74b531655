//! A file of the user's own between two sessions (mode 0600, in a directory of mode 0700).
//!
//! It is only a convenience: a missing or broken file is an empty one, and what cannot be written
//! is not.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::private;

/// The file in which something is kept from one session to the next; or none.
#[derive(Clone, Debug)]
pub(super) struct StateFile {
    path: Option<PathBuf>,
}

impl StateFile {
    /// The user's own of that name: in `delayscope` below `$XDG_STATE_HOME`.
    pub(super) fn of_user(name: &str) -> Self {
        Self {
            path: dir_of_user().map(|dir| dir.join(name)),
        }
    }

    /// Makes a state file at `path`.
    pub(super) fn at(path: &Path) -> Self {
        Self {
            path: Some(path.to_owned()),
        }
    }

    /// Keeps nothing.
    pub(super) const fn none() -> Self {
        Self { path: None }
    }

    /// Reads what is kept.
    pub(super) fn read<T: Default + DeserializeOwned>(&self) -> T {
        let text = self.path.as_ref().and_then(|path| private::read(path).ok());
        text.and_then(|text| serde_json::from_slice(&text).ok())
            .unwrap_or_default()
    }

    /// Keeps this instead of what was kept, whole or not at all.
    pub(super) fn write<T: Serialize>(&self, what: &T) {
        if let Some(path) = &self.path {
            // Without it the next session begins a little poorer.
            let _ = write(path, what);
        }
    }
}

/// Finds the directory of the user's own files: `delayscope` below `$XDG_STATE_HOME`. None where
/// there is not even a home.
pub(super) fn dir_of_user() -> Option<PathBuf> {
    let base = etcetera::choose_base_strategy().ok()?;
    base.state_dir().map(|dir| dir.join("delayscope"))
}

fn write<T: Serialize>(path: &Path, what: &T) -> io::Result<()> {
    let dir = path.parent().unwrap_or(Path::new("."));
    private::dir(dir)?;
    let draft = path.with_extension(format!("{}.tmp", std::process::id()));
    let mut how = fs::OpenOptions::new();
    let written = private::open(how.write(true).create(true).truncate(true), &draft)
        .and_then(|mut out| out.write_all(&serde_json::to_vec(what)?))
        .and_then(|()| fs::rename(&draft, path));
    if written.is_err() {
        let _ = fs::remove_file(&draft);
    }
    written
}
