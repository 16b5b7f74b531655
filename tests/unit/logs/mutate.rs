//! Recorded logs, with something done to them.

#![expect(clippy::unwrap_used, reason = "a failure here is a failed test")]

use proptest::prelude::Rng;

/// A record of somebody else.
const OTHER: &str = r#"1795409320.413224 [0 10.0.0.9:55574] "SET" "session" "{\"a\": \"\\x\"}""#;
/// What people write between records.
const REMARKS: [&str; 5] = [
    "# what is that?",
    "OK",
    "",
    "--- 8< ---",
    "$ redis-cli monitor",
];
/// Bytes that begin or end something in a log.
const EDGES: &[u8] = b"\"\\x\n\r [].+0159*$lua:\0\xff";

/// How a log was mutated, and so what may be expected of it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Harm {
    /// It looks otherwise: the events are the same.
    None,
    /// A part is missing, or comes twice.
    Lost,
    /// So many of its bytes are others, are missing, or have come in.
    Bytes(usize),
}

/// Makes cases of logs.
pub(super) struct Mutator<R> {
    pub(super) random: R,
}

impl<R: Rng> Mutator<R> {
    pub(super) fn below(&mut self, end: usize) -> usize {
        let end = u64::try_from(end.max(1)).unwrap();
        usize::try_from(self.random.next_u64() % end).unwrap()
    }

    pub(super) fn one_in(&mut self, of: usize) -> bool {
        self.below(of) == 0
    }

    /// Some lines of a log, one after the other.
    pub(super) fn part<'a>(&mut self, lines: &'a [String]) -> &'a [String] {
        let most = 4 + self.below(120);
        let from = self.below(lines.len());
        &lines[from..lines.len().min(from + most)]
    }

    /// A log of `MONITOR`, made of these lines.
    pub(super) fn monitor(&mut self, lines: &[String]) -> (Vec<u8>, Harm) {
        match self.below(4) {
            0 => (self.pasted(lines).into_bytes(), Harm::None),
            1 => (self.lossy(lines), Harm::Lost),
            _ => {
                let log = if self.one_in(2) {
                    self.pasted(lines).into_bytes()
                } else {
                    lines.join("\n").into_bytes()
                };
                self.damaged(log)
            }
        }
    }

    /// The same records as people have them.
    fn pasted(&mut self, lines: &[String]) -> String {
        let end = ["\n", "\r\n"][self.below(2)];
        let joins = self.one_in(2);
        let wraps = self.one_in(2);
        let mut log = String::new();
        for (at, line) in lines.iter().enumerate() {
            let begins_step = !line.contains(" [0 lua] ");
            if begins_step && self.one_in(8) {
                log.push_str(OTHER);
                log.push_str(end);
            }
            if wraps && self.one_in(3) {
                self.wrap(line, end, &mut log);
            } else {
                log.push_str(line);
            }
            match self.below(6) {
                _ if at + 1 == lines.len() => {}
                0 if joins => {}
                1 | 2 if joins => log.push(' '),
                3 if self.one_in(4) => {
                    let remark = REMARKS[self.below(REMARKS.len())];
                    log.push_str(end);
                    log.push_str(remark);
                    log.push_str(end);
                }
                _ => log.push_str(end),
            }
        }
        log
    }

    /// A line that a terminal has broken, anywhere behind its head.
    fn wrap(&mut self, line: &str, end: &str, log: &mut String) {
        let from = line.find('"').map_or(line.len(), |quote| quote + 1);
        let (head, mut rest) = line.split_at(from);
        log.push_str(head);
        while !rest.is_empty() {
            // A log is of printable characters alone. No terminal is so narrow that a space between
            // two words has a line of its own.
            let length = rest.len().min(2 + self.below(rest.len()));
            let (before, behind) = rest.split_at(length);
            log.push_str(before);
            if !behind.is_empty() {
                log.push_str(end);
            }
            rest = behind;
        }
    }

    /// Lines are missing or come twice, and both ends are cut.
    fn lossy(&mut self, lines: &[String]) -> Vec<u8> {
        let mut kept: Vec<&str> = Vec::new();
        for line in lines {
            match self.below(16) {
                0 => {}
                1 => kept.extend([line, line].map(String::as_str)),
                _ => kept.push(line),
            }
        }
        let log = kept.join("\n").into_bytes();
        let from = self.below(log.len().min(200));
        let to = log.len() - self.below((log.len() - from).min(200));
        log[from..to].to_vec()
    }

    /// A log with some bytes that are others.
    pub(super) fn damaged(&mut self, mut log: Vec<u8>) -> (Vec<u8>, Harm) {
        let times = match self.below(4) {
            0 | 1 => 1,
            2 => 2 + self.below(8),
            _ => 1 + self.below(200),
        };
        for _ in 0..times {
            let at = self.below(log.len());
            match self.below(5) {
                _ if log.is_empty() => {}
                0 => log[at] ^= 1 << self.below(8),
                1 => log[at] = EDGES[self.below(EDGES.len())],
                2 => log.insert(at, EDGES[self.below(EDGES.len())]),
                3 => {
                    log.remove(at);
                }
                _ if times == 1 => log.truncate(at),
                _ => {
                    // A part of it somewhere else.
                    let to = log.len().min(at + self.below(60));
                    let part = log[at..to].to_vec();
                    let place = self.below(log.len());
                    log.splice(place..place, part);
                }
            }
        }
        (log, Harm::Bytes(times))
    }
}
