//! The lines that were typed at the screen's prompts, kept for the next session.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use super::state_file::StateFile;

/// Lines kept of a kind.
const KEPT_LINES: usize = 200;

/// Two lines that are entered one after the other must both be there in the end.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// The place where lines are kept, by the kind of their prompt. Other sessions write there too:
/// each adds its lines to what is there by then.
#[derive(Clone, Debug)]
pub struct HistoryLines {
    file: StateFile,
}

impl HistoryLines {
    /// The user's own: `delayscope/history.json` in `$XDG_STATE_HOME`.
    #[must_use]
    pub fn of_user() -> Self {
        Self {
            file: StateFile::of_user("history.json"),
        }
    }

    /// Makes the lines that are kept in `file`.
    #[must_use]
    pub fn at(file: &Path) -> Self {
        Self {
            file: StateFile::at(file),
        }
    }

    /// All lines by kind, the newest last.
    #[must_use]
    pub fn recall(&self) -> BTreeMap<String, Vec<String>> {
        self.file.read()
    }

    /// A line was entered: it is the newest of its kind now. Reads and writes a file.
    pub fn keep(&self, kind: &str, line: &str) {
        let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all = self.recall();
        let lines = all.entry(kind.to_owned()).or_default();
        lines.retain(|old| old != line);
        lines.push(line.to_owned());
        let over = lines.len().saturating_sub(KEPT_LINES);
        lines.drain(..over);
        self.file.write(&all);
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn lines_are_kept_by_kind_in_a_private_file_each_once() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("delayscope/history.json");
        for (kind, line) in [
            ("filter", "a"),
            ("jump", "+5m"),
            ("filter", "b"),
            ("filter", "a"),
        ] {
            HistoryLines::at(&file).keep(kind, line);
        }
        let kept = HistoryLines::at(&file).recall();
        assert_eq!(kept["filter"], ["b", "a"]);
        assert_eq!(kept["jump"], ["+5m"]);
        let mode = fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert_eq!(fs::read_dir(file.parent().unwrap()).unwrap().count(), 1);
    }

    #[test]
    fn no_more_lines_are_kept_than_two_hundred() {
        let dir = tempfile::tempdir().unwrap();
        let lines = HistoryLines::at(&dir.path().join("history.json"));
        for i in 0..KEPT_LINES + 3 {
            lines.keep("filter", &i.to_string());
        }
        let kept = &lines.recall()["filter"];
        assert_eq!((kept.len(), kept[0].as_str()), (KEPT_LINES, "3"));
    }

    #[test]
    fn a_broken_file_is_an_empty_one_and_one_that_cannot_be_written_does_no_harm() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("history.json");
        fs::write(&file, "{\"filter\": [1").unwrap();
        let lines = HistoryLines::at(&file);
        assert!(lines.recall().is_empty());
        lines.keep("filter", "a");
        assert_eq!(lines.recall()["filter"], ["a"]);
        let nowhere = HistoryLines::at(&file.join("below a file"));
        nowhere.keep("filter", "a");
        assert!(nowhere.recall().is_empty());
    }
}
