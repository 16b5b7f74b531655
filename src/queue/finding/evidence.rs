//! The parts of a finding beside its sentence: figures and commands that show it, and what repairs
//! it.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::advice::Advice;
use crate::clock::EpochMillis;
use crate::queue::EntryId;
use crate::queue::change::ChangeRequest;
use crate::queue::entry::Entry;
use crate::queue::redis_cli::{self, RedisCli};

/// Figures, words and commands that show a finding to be true.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Evidence {
    /// Figures by name, for JSON: times in epoch ms of the server's clock, spans in ms (`…_ms`).
    pub figures: Map<String, Value>,
    /// The same in words, a line each.
    pub words: Vec<String>,
    /// The beginning of what entries say that the words name by their ids and no score finds: for
    /// people who may see payloads.
    pub said: Vec<(EntryId, String)>,
    /// Commands for a shell that show it by hand, a line each.
    pub commands: Vec<String>,
    /// The node of a cluster that says so: that of the queue.
    pub node: Option<Arc<str>>,
    /// The moment of the look that found it so, by the server's clock; none until it is entered into
    /// the ledger.
    pub told_at: Option<EpochMillis>,
}

/// The repair of a finding: a sentence, a step of ours, commands by hand.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Remedy {
    /// The advice.
    pub sentence: Advice,
    /// The step that a key does.
    pub step: Step,
    /// The commands for a shell that do a step outside, a line each, where there are any.
    pub lines: Vec<String>,
}

impl Evidence {
    /// Notes the node that says so: its commands go there.
    pub(super) fn seen_at(&mut self, node: &Arc<str>) {
        for line in &mut self.commands {
            *line = redis_cli::at_node(line, node);
        }
        self.node = Some(Arc::clone(node));
    }

    /// The commands that show it, on the server.
    pub fn checks(&self, redis_cli: &RedisCli) -> impl Iterator<Item = String> {
        reaching(&self.commands, redis_cli)
    }
}

impl Remedy {
    /// The commands that mend it by hand, on the server.
    pub fn by_hand(&self, redis_cli: &RedisCli) -> impl Iterator<Item = String> {
        reaching(&self.lines, redis_cli)
    }

    /// All that is to be done, in one line, with `sentence` for what it says: the commands by hand
    /// come first, since a command that is cut is none.
    #[must_use]
    pub fn to_do(&self, redis_cli: &RedisCli, sentence: String) -> String {
        let lines = self.by_hand(redis_cli).map(|line| format!("$ {line} "));
        let lines: String = lines.collect();
        if lines.is_empty() {
            return sentence;
        }
        format!("{lines}({sentence})")
    }
}

fn reaching(lines: &[String], redis_cli: &RedisCli) -> impl Iterator<Item = String> {
    lines.iter().map(|line| redis_cli.reaching(line))
}

/// The step that a repair takes.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Step {
    /// Nothing that this program could do: the sentence names the step outside.
    #[default]
    Outside,
    /// A change of the queue as a whole; a transfer: of all that is due.
    Change(ChangeRequest),
    /// A change of this entry.
    Entry(ChangeRequest, Entry),
    /// A new due time, which people choose, for what only the order list holds.
    WaitAgain,
    /// The deletion of all elements of target that are equal but one of each.
    KeepOne,
    /// A stand-in worker.
    Worker,
}

/// A redis-cli command: words, then a key.
pub(super) fn command(words: &[&str], key: &[u8]) -> String {
    let words = words.iter().map(|word| word.as_bytes());
    let args: Vec<&[u8]> = words.chain([key]).collect();
    redis_cli::line("redis-cli", &args)
}

/// A redis-cli command: a word, a key, and what follows it.
pub(super) fn about(word: &str, key: &[u8], more: &[&str]) -> String {
    let more = more.iter().map(|word| word.as_bytes());
    let args: Vec<&[u8]> = [word.as_bytes(), key].into_iter().chain(more).collect();
    redis_cli::line("redis-cli", &args)
}
