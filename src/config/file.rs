//! The configuration file: found, read, and checked as a whole, also where nobody uses it yet.

use std::fs;
use std::io::ErrorKind::{NotADirectory, NotFound};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::profile::{Profile, journal};
use super::reader::{At, BadFile, ConfigItem, ConfigText, listed, unknown};
use super::{ConfigError, INTERVAL_MS};
use crate::args::{Span, ThemeName};

/// The content of a configuration file; what it does not say is none.
#[derive(Clone, Debug, Default)]
pub(super) struct File {
    /// The profile that holds when nothing else names a server.
    pub(super) profile: Option<String>,
    pub(super) theme: Option<ThemeName>,
    pub(super) ascii: Option<bool>,
    pub(super) interval: Option<Span>,
    pub(super) bell: Option<bool>,
    pub(super) read_only: Option<bool>,
    /// In days.
    pub(super) keep_days: Option<u32>,
    pub(super) keys: Vec<KeySetting>,
    /// In the order of the file.
    pub(super) profiles: Vec<Profile>,
}

/// A line of `[keys]`: an action, and the keys that are to do it. What they mean the screen knows.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct KeySetting {
    /// The action's name.
    pub action: String,
    /// Its place in the file.
    pub at: At,
    /// The names of the keys and where they stand; none: no key does it.
    pub keys: Vec<(String, At)>,
}

impl KeySetting {
    /// Its action is none of `known`.
    #[must_use]
    pub fn unknown(&self, known: &[&str]) -> BadFile {
        BadFile {
            at: self.at.clone(),
            why: unknown("action", &self.action, known),
        }
    }
}

/// A file that was read, and what is to be said of it.
#[derive(Debug, Default)]
pub(super) struct LoadedFile {
    pub(super) file: File,
    /// Its path, or the one that it would have; none: there is no home to look in.
    pub(super) path: Option<PathBuf>,
    pub(super) warning: Option<String>,
}

const THEMES: &[(&str, ThemeName)] = &[
    ("auto", ThemeName::Auto),
    ("terminal", ThemeName::Terminal),
    ("light", ThemeName::Light),
    ("dark", ThemeName::Dark),
];

/// The choices of what the bell rings for.
const BELLS: &[(&str, bool)] = &[("off", false), ("critical", true)];

/// The keys at the top.
pub(super) const KEYS: &[&str] = &[
    "profile",
    "theme",
    "ascii",
    "interval",
    "bell",
    "read_only",
    "journal",
    "keys",
    "profiles",
];

/// Reads the file that was `named`, else the user's own, which need not be there.
pub(super) fn load(
    named: Option<PathBuf>,
    env: impl Fn(&str) -> Option<String>,
) -> Result<LoadedFile, ConfigError> {
    let (path, must_be) = match (named, own(env)) {
        (Some(path), _) => (path, true),
        (None, Some(path)) => (path, false),
        (None, None) => return Ok(LoadedFile::default()),
    };
    let bytes = match fs::read(&path) {
        Ok(bytes) => bytes,
        // A home that is none (`/dev/null`) has no file either.
        Err(error) if !must_be && matches!(error.kind(), NotFound | NotADirectory) => {
            return Ok(LoadedFile {
                path: Some(path),
                ..LoadedFile::default()
            });
        }
        Err(error) => {
            return Err(ConfigError::Unreadable {
                file: path,
                why: error.to_string(),
            });
        }
    };
    let file = File::read(&path, &bytes)?;
    Ok(LoadedFile {
        warning: exposed(&path, &file),
        path: Some(path),
        file,
    })
}

/// `$XDG_CONFIG_HOME/delayscope/config.toml`.
fn own(env: impl Fn(&str) -> Option<String>) -> Option<PathBuf> {
    let absolute = |path: &PathBuf| path.is_absolute();
    let home = || Some(PathBuf::from(env("HOME")?).join(".config"));
    env("XDG_CONFIG_HOME")
        .map(PathBuf::from)
        .filter(absolute)
        .or_else(home)
        .map(|dir| dir.join("delayscope").join("config.toml"))
}

/// A warning when others can read a password in it. No error: what is on a machine of one's own,
/// or in a container, is for its owner to judge.
fn exposed(path: &Path, file: &File) -> Option<String> {
    let with_password = |p: &&Profile| p.endpoint.password.is_some();
    let profile = file.profiles.iter().find(with_password)?;
    let mode = fs::metadata(path).ok()?.permissions().mode();
    (mode & 0o044 != 0).then(|| {
        format!(
            "{0} can be read by others and holds the password of profile {1}. \
             Use password_command, or chmod 600 {0}",
            path.display(),
            profile.name
        )
    })
}

impl File {
    /// Reads `bytes`, the text of the file at `path`.
    pub(super) fn read(path: &Path, bytes: &[u8]) -> Result<Self, BadFile> {
        let source = ConfigText::new(path, bytes)?;
        let table = source.parse()?;
        let mut file = Self::default();
        let mut default = None;
        let items = source.items(table.get_ref());
        for item in &items {
            match item.key {
                "profile" => {
                    file.profile = Some(item.text("production")?.to_owned());
                    default = Some(item);
                }
                "theme" => file.theme = Some(item.word(THEMES)?),
                "ascii" => file.ascii = Some(item.flag()?),
                "interval" => file.interval = Some(interval(item)?),
                "bell" => file.bell = Some(item.word(BELLS)?),
                "read_only" => file.read_only = Some(item.flag()?),
                "journal" => file.keep_days = journal(item)?,
                "keys" => file.keys = keys(item)?,
                "profiles" => {
                    let profiles = item.table()?;
                    file.profiles = profiles
                        .iter()
                        .map(Profile::read)
                        .collect::<Result<_, _>>()?;
                }
                _ => return Err(item.unknown(KEYS)),
            }
        }
        match (default, &file.profile) {
            (Some(item), Some(name)) if file.named(name).is_none() => {
                let known = file.names();
                Err(item.bad(format!(
                    "there is no profile {name:?}. There are {}",
                    listed(&known)
                )))
            }
            _ => Ok(file),
        }
    }

    pub(super) fn named(&self, name: &str) -> Option<&Profile> {
        self.profiles.iter().find(|profile| profile.name == name)
    }

    pub(super) fn names(&self) -> Vec<&str> {
        self.profiles.iter().map(|p| p.name.as_str()).collect()
    }
}

fn interval(item: &ConfigItem) -> Result<Span, BadFile> {
    let span: Span = item
        .text("1s")?
        .parse()
        .map_err(|why| item.bad(format!("{why}")))?;
    if INTERVAL_MS.contains(&span.ms()) {
        Ok(span)
    } else {
        let why = ConfigError::Interval(span.ms()).to_string();
        Err(item.bad(why.trim_end_matches('.').to_owned()))
    }
}

fn keys(of: &ConfigItem) -> Result<Vec<KeySetting>, BadFile> {
    let setting = |item: &ConfigItem| {
        let keys = item.text_or_texts("ctrl-r")?;
        Ok(KeySetting {
            action: item.key.to_owned(),
            at: item.key_at(),
            keys: keys
                .into_iter()
                .map(|(name, at)| (name.to_owned(), at))
                .collect(),
        })
    };
    of.table()?.iter().map(setting).collect()
}

#[cfg(test)]
mod tests;
