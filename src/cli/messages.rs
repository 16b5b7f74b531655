//! The messages of an offer: from the argument, a file, or the lines of standard input.

use std::io::{self, BufReader, Read, Stdin};

use anyhow::Context as _;

use super::input;
use crate::args;

/// About so many bytes go into one batch.
const BATCH_BYTES: usize = 4 << 20;

/// Hands out messages in batches, as they come.
pub(super) struct Messages {
    /// The source of further messages.
    lines: Option<BufReader<Box<dyn Read + Send>>>,
    /// The message that is repeated, and how often still.
    current: Option<(Vec<u8>, u64)>,
    /// Number of times that each is offered.
    count: u64,
}

impl Messages {
    pub(super) fn open(asked: &args::Offer) -> anyhow::Result<Self> {
        let count = asked.count;
        let one = |message: Vec<u8>| Self {
            lines: None,
            current: Some((message, count)),
            count,
        };
        match (&asked.file, asked.text.as_deref()) {
            (Some(path), _) => Ok(one(input::whole(path)?)),
            (None, Some("-")) => Ok(Self::lines(Box::new(StdinLines(io::stdin())), count)),
            (None, text) => Ok(one(text.unwrap_or_default().as_bytes().to_vec())),
        }
    }

    fn lines(from: Box<dyn Read + Send>, count: u64) -> Self {
        Self {
            lines: Some(BufReader::new(from)),
            current: None,
            count,
        }
    }

    /// The next messages, at most `most`: those that are there, without waiting for a full batch.
    /// None after the last one.
    pub(super) fn next_batch(&mut self, most: usize) -> anyhow::Result<Option<Vec<Vec<u8>>>> {
        let mut batch: Vec<Vec<u8>> = Vec::new();
        let mut bytes = 0;
        while batch.len() < most && bytes < BATCH_BYTES {
            if self.current.is_none() && (batch.is_empty() || self.has_line()) {
                self.current = self.next_line()?.map(|line| (line, self.count));
            }
            let Some((message, left)) = &mut self.current else {
                break;
            };
            bytes += message.len();
            batch.push(message.clone());
            *left -= 1;
            if *left == 0 {
                self.current = None;
            }
        }
        Ok(Some(batch).filter(|batch| !batch.is_empty()))
    }

    /// All further copies of the message that is repeated, without handing them out.
    pub(super) fn skip_copies(&mut self) -> u64 {
        self.current.take().map_or(0, |(_, left)| left)
    }

    /// Tells whether the last one was handed out. Of lines that is known only after reading on.
    pub(super) const fn at_end(&self) -> bool {
        self.lines.is_none() && self.current.is_none()
    }

    /// Messages that are known and were not handed out yet: of the repeated one, and of the lines
    /// that have come. What is still to come is not known.
    pub(super) fn left(&self) -> u64 {
        let current = self.current.as_ref().map_or(0, |(_, left)| *left);
        let come = self.lines.as_ref().map_or(&[][..], BufReader::buffer);
        let lines = come.split(|byte| *byte == b'\n').skip(1).count() as u64;
        current.saturating_add(lines.saturating_mul(self.count))
    }

    /// Tells whether a whole line can be had without waiting.
    fn has_line(&self) -> bool {
        self.lines
            .as_ref()
            .is_some_and(|lines| lines.buffer().contains(&b'\n'))
    }

    fn next_line(&mut self) -> anyhow::Result<Option<Vec<u8>>> {
        let Some(lines) = &mut self.lines else {
            return Ok(None);
        };
        let mut line = Vec::new();
        let read = input::line(lines, &mut line, input::MOST_LINE_BYTES);
        if read.context("could not read the standard input")? == 0 {
            self.lines = None;
            return Ok(None);
        }
        if line.last() == Some(&b'\n') {
            line.pop();
        }
        Ok(Some(line))
    }
}

/// Standard input without a second buffer that would hide what has come.
struct StdinLines(Stdin);

impl Read for StdinLines {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batches(text: &'static str, count: u64, most: usize) -> Vec<Vec<Vec<u8>>> {
        let mut messages = Messages::lines(Box::new(text.as_bytes()), count);
        std::iter::from_fn(|| messages.next_batch(most).unwrap()).collect()
    }

    #[test]
    fn each_line_is_a_message_and_the_last_one_needs_no_end() {
        assert_eq!(
            batches("a\n\nb", 1, 9),
            [vec![b"a".to_vec(), b"".to_vec()], vec![b"b".to_vec()]]
        );
        assert!(batches("", 1, 9).is_empty());
    }

    #[test]
    fn what_is_known_and_not_handed_out_is_left() {
        let mut messages = Messages::lines(Box::new(&b"a\nb\nc\n"[..]), 3);
        assert_eq!(messages.left(), 0, "nothing has come");
        messages.next_batch(1).unwrap();
        assert_eq!(messages.left(), 8);
        messages.next_batch(8).unwrap();
        assert_eq!(messages.left(), 0);
    }

    #[test]
    fn a_repeated_message_may_fill_several_batches() {
        let sizes =
            |most| -> Vec<usize> { batches("a\nb\n", 3, most).iter().map(Vec::len).collect() };
        assert_eq!(sizes(4), [4, 2]);
        assert_eq!(sizes(9), [6]);
    }
}
