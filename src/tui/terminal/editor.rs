//! The user's editor: a text goes to it in a file of its own, which only this user can read and
//! which is gone afterwards.

use std::env;
use std::fs::{self, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

use tokio::process::Command;

use crate::stops;

/// Bytes that a text may have when it comes back.
const MOST_BYTES_OF_A_TEXT: u64 = 64 << 20;

/// The command that the shell is told to run: `$1` is the editor, with the flags that it may have,
/// `$2` the file. Ctrl-C is the editor's alone.
const START: &str = r#"trap : INT QUIT; editor=$1; shift; eval "$editor \"\$1\"""#;

/// Has `text` edited. What there is afterwards, or why that is nothing new.
pub(crate) async fn edit(text: &str, extension: &str) -> Result<String, String> {
    let editor = editor();
    let file = File::with(text, extension)
        .map_err(|why| format!("cannot write a file for the editor: {why}"))?;
    let status = start(&editor, &file.path).await;
    let status = status.map_err(|why| format!("cannot start {editor}: {why}"))?;
    match status.code() {
        Some(0) => {}
        Some(126 | 127) => return Err(format!("cannot start {editor}: set VISUAL or EDITOR")),
        _ => return Err(format!("{editor} ended with {status}: nothing was changed")),
    }
    let edited = file
        .read()
        .map_err(|why| format!("cannot read what {editor} has written: {why}"))?;
    Ok(as_typed(edited, text))
}

/// As other programs choose it.
fn editor() -> String {
    let set = |name| env::var(name).ok().filter(|value| !value.trim().is_empty());
    set("VISUAL")
        .or_else(|| set("EDITOR"))
        .unwrap_or_else(|| "vi".to_owned())
}

async fn start(editor: &str, path: &Path) -> io::Result<ExitStatus> {
    let mut command = Command::new("sh");
    command.args(["-c", START, "sh", editor]).arg(path);
    stops::unheld(|| command.spawn())?.wait().await
}

/// Editors end the last line of a file: an end that was not there before is theirs.
fn as_typed(mut edited: String, before: &str) -> String {
    if edited.ends_with('\n') && !before.ends_with('\n') {
        edited.pop();
    }
    edited
}

/// A file that goes with this value.
struct File {
    path: PathBuf,
}

impl File {
    fn with(text: &str, extension: &str) -> io::Result<Self> {
        let mut random = [0; 8];
        getrandom::fill(&mut random).map_err(|why| io::Error::other(why.to_string()))?;
        let name = format!("delayscope-{:016x}.{extension}", u64::from_be_bytes(random));
        let path = env::temp_dir().join(name);
        let mut options = OpenOptions::new();
        // Somebody else's file of that name, or a link that leads away, is not written to.
        let mut open = options
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&path)?;
        let file = Self { path };
        open.write_all(text.as_bytes())?;
        Ok(file)
    }

    fn read(&self) -> io::Result<String> {
        // By its name: editors put another file in its place.
        let mut text = String::new();
        let mut file = fs::File::open(&self.path)?.take(MOST_BYTES_OF_A_TEXT + 1);
        file.read_to_string(&mut text)?;
        if text.len() as u64 > MOST_BYTES_OF_A_TEXT {
            return Err(io::Error::other("it is longer than 64 MiB"));
        }
        Ok(text)
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn the_file_is_this_users_alone_and_gone_afterwards() {
        let file = File::with("{}", "json").unwrap();
        let mode = fs::metadata(&file.path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert_eq!(file.read().unwrap(), "{}");
        let path = file.path.clone();
        drop(file);
        assert!(!path.exists());
    }

    #[test]
    fn the_end_that_an_editor_puts_behind_the_last_line_is_no_part_of_the_text() {
        assert_eq!(as_typed("a\n".to_owned(), "a"), "a");
        assert_eq!(as_typed("a\n\n".to_owned(), "a"), "a\n");
        assert_eq!(as_typed("a\n".to_owned(), "b\n"), "a\n");
    }
}
