//! Messages from files and standard input, never more of them than memory should hold: a file
//! like `/dev/zero` and a pipe without an end never say that they are over.

use std::fs::File;
use std::io::{self, BufRead, Read as _};
use std::path::Path;

use anyhow::Context as _;

/// The most bytes of a message or of a line.
pub(super) const MOST_LINE_BYTES: u64 = 64 << 20;

/// All that the file holds; `-` is standard input.
pub(super) fn whole(path: &Path) -> anyhow::Result<Vec<u8>> {
    let what = || {
        if path == Path::new("-") {
            "could not read the standard input".to_owned()
        } else {
            format!("could not read {}", path.display())
        }
    };
    let mut bytes = Vec::new();
    let read = if path == Path::new("-") {
        io::stdin()
            .lock()
            .take(MOST_LINE_BYTES + 1)
            .read_to_end(&mut bytes)
    } else {
        let file = File::open(path).with_context(what)?;
        file.take(MOST_LINE_BYTES + 1).read_to_end(&mut bytes)
    };
    read.and_then(|_| fits(&bytes, MOST_LINE_BYTES))
        .with_context(what)?;
    Ok(bytes)
}

/// Appends the next line to `line`, with its end; how many bytes it has, 0 after the last one.
/// `most`: so many at most.
pub(super) fn line(input: &mut impl BufRead, line: &mut Vec<u8>, most: u64) -> io::Result<usize> {
    let read = input.take(most + 1).read_until(b'\n', line)?;
    fits(line.strip_suffix(b"\n").unwrap_or(line), most)?;
    Ok(read)
}

fn fits(bytes: &[u8], most: u64) -> io::Result<()> {
    if bytes.len() as u64 <= most {
        return Ok(());
    }
    let why = format!("it is longer than {} MiB, which no message is", most >> 20);
    Err(io::Error::new(io::ErrorKind::InvalidData, why))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_an_end_is_refused_and_not_held() {
        let why = whole(Path::new("/dev/zero")).unwrap_err();
        assert_eq!(
            format!("{why:#}"),
            "could not read /dev/zero: it is longer than 64 MiB, which no message is"
        );
    }

    #[test]
    fn a_line_without_an_end_is_refused_and_one_that_just_fits_is_not() {
        let mut read = Vec::new();
        assert!(line(&mut io::BufReader::new(io::repeat(b'x')), &mut read, 1_000).is_err());
        assert_eq!(read.len(), 1_001);
        for (text, bytes) in [("1234\nx", 5), ("1234", 4), ("", 0)] {
            read.clear();
            assert_eq!(line(&mut text.as_bytes(), &mut read, 4).unwrap(), bytes);
        }
        read.clear();
        assert!(line(&mut &b"12345\n"[..], &mut read, 4).is_err());
    }
}
