//! A finding, and how a rule says it: what is wrong, its evidence, what repairs it.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::Value;

use super::advice::Advice;
use super::evidence::{Evidence, Remedy, Step, about, command};
use super::id;
use super::open::OpenQuestion;
use super::trend::Trend;
use crate::clock::EpochMillis;
use crate::queue::frames::PayloadBegin;
use crate::queue::redis_cli::{self, RedisCli};
use crate::queue::{EntryId, Exact, JudgedMember, text};

/// One diagnosed problem of a queue.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The rule that found it, such as `wrong-type`.
    pub id: &'static str,
    /// Its harm.
    pub severity: Severity,
    /// The problem in a short sentence that fits into a line of the screen.
    pub headline: String,
    /// The sentences that bear it out: which entry, how many, since when. Empty where there is
    /// nothing to add.
    pub details: String,
    /// The evidence.
    pub evidence: Box<Evidence>,
    /// The repair.
    pub repair: Box<Remedy>,
    /// Its figure, such as a number of entries, which grows or shrinks.
    pub figure: Option<u64>,
    /// The figure is of a sample only: more of it may be what was looked at later.
    pub sampled: bool,
    /// The due time of the entry that it is about, if it is about one.
    pub due: Option<EpochMillis>,
    /// The entries that it is about, as far as they are known one by one, the first to look at first.
    pub suspects: Vec<Suspect>,
    /// When what it warns of happens by itself unless somebody does something, where that is soon.
    pub ends: Option<EpochMillis>,
    /// It is the server's, and the same for all of its queues.
    pub of_server: bool,
    /// The rule whose finding it follows from: it goes with that one.
    pub follows: Option<&'static str>,
    /// In so many ms of watching it is worse, if it goes on until then.
    pub worsens_in_ms: Option<i64>,
    /// It is a suspicion only: more watching bears it out, or it has gone.
    pub open: Option<Box<OpenQuestion>>,
    /// The time since which it is so, by the server's clock: as the rule knows, or when it was found
    /// first.
    pub since: Option<EpochMillis>,
    /// It was so at the first look already: nobody knows since when.
    pub before: bool,
    /// The trend of its figure since then.
    pub trend: Option<Trend>,
    /// The time at which it went, by the server's clock; none while it is there.
    pub gone: Option<EpochMillis>,
    /// The time for which it was seen, in ms, once it has gone.
    pub lasted_ms: i64,
    /// Its end, once it has gone.
    pub ending: FindingEnd,
}

impl Finding {
    /// A finding without evidence and repair yet.
    #[must_use]
    pub fn new(id: &'static str, severity: Severity, headline: impl Into<String>) -> Self {
        Self {
            id,
            severity,
            headline: checked(headline.into()),
            details: String::new(),
            evidence: Box::default(),
            repair: Box::default(),
            figure: None,
            sampled: false,
            due: None,
            suspects: Vec::new(),
            ends: None,
            of_server: false,
            follows: None,
            worsens_in_ms: None,
            open: None,
            since: None,
            before: false,
            trend: None,
            gone: None,
            lasted_ms: 0,
            ending: FindingEnd::ByItself,
        }
    }

    /// Notes the node of a cluster that the queue is at: what shows it is asked there, and what is the
    /// server's is that node's.
    pub(super) fn seen_at(&mut self, node: &Arc<str>) {
        self.evidence.seen_at(node);
        for line in &mut self.repair.lines {
            *line = redis_cli::at_node(line, node);
        }
        if self.of_server {
            let figures = &mut self.evidence.figures;
            figures.insert("node".to_owned(), node.as_ref().into());
            self.evidence.words.push(format!("at the node {node}"));
        }
    }

    /// The name of what is the server's and the same for all of its queues, so that it is told once:
    /// the rule, and in a cluster the node.
    #[must_use]
    pub fn of_all(&self) -> Option<(&'static str, Option<&Arc<str>>)> {
        let of_all = (self.id, self.evidence.node.as_ref());
        self.of_server.then_some(of_all)
    }

    /// With the sentences that bear the headline out.
    #[must_use]
    pub fn details(mut self, details: impl Into<String>) -> Self {
        self.details = details.into();
        self
    }

    /// Headline and details in one line.
    #[must_use]
    pub fn sentence(&self) -> String {
        joined(&self.headline, &self.details)
    }

    /// The headline as it reads at that moment: the time that is left until what it warns of goes
    /// down, also where the queue is read later.
    #[must_use]
    pub fn headline_at(&self, now: EpochMillis) -> Cow<'_, str> {
        let Some((ends, told_at)) = self.ends.zip(self.evidence.told_at) else {
            return Cow::Borrowed(&self.headline);
        };
        let left = |at: EpochMillis| format!(" in {}", text::age(ends.since(at).max(0)));
        Cow::Owned(self.headline.replacen(&left(told_at), &left(now), 1))
    }

    /// Tells whether the time for which it stands is that for which things have been so. Slow transfers
    /// are told from before a burst until after it.
    #[must_use]
    pub fn stands_as_long(&self) -> bool {
        self.id != id::SLOW_TRANSFER
    }

    /// The noun for its figure, where that grows and shrinks with what is wrong, at a rate that tells
    /// what comes: that of slow transfers rises and falls with each burst.
    #[must_use]
    pub fn figure_noun(&self) -> Option<&'static str> {
        match self.id {
            id::NO_TRANSFER_CLIENT | id::STUCK_CLIENT | id::MIXED_FLEET | id::FALLING_BEHIND => {
                Some("late entries")
            }
            id::NOTHING_CONSUMED | id::TARGET_BACKLOG => Some("target"),
            id::DUPLICATES => Some("copies"),
            _ => None,
        }
    }

    /// The details with the entries called by what they say, and only then by their ids: these are
    /// for people who may see payloads.
    #[must_use]
    pub fn details_by_payload(&self) -> String {
        self.by_payload(&self.details)
    }

    /// The finding with the entries called by what they say in its details and its evidence.
    #[must_use]
    pub fn told_by_payload(&self) -> Self {
        let words = self.evidence.words.iter();
        let words = words.map(|words| self.by_payload(words)).collect();
        let mut told = self.clone();
        (told.details, told.evidence.words) = (self.details_by_payload(), words);
        told
    }

    /// All that people read of the evidence, in the same way, with its commands for a shell.
    pub fn evidence_by_payload(&self, redis_cli: &RedisCli) -> impl Iterator<Item = String> {
        let words = self
            .evidence
            .words
            .iter()
            .map(|words| self.by_payload(words));
        let commands = self.evidence.checks(redis_cli);
        let caveat = redis_cli.caveat().map(str::to_owned);
        let caveat = caveat.filter(|_| !self.evidence.commands.is_empty());
        words.chain(commands).chain(caveat)
    }

    /// Words with what an entry says before its id.
    fn by_payload(&self, words: &str) -> String {
        let mut told = words.to_owned();
        let suspects =
            { self.suspects.iter() }.filter_map(|one| Some((one.id, one.says.as_deref()?)));
        let others = self
            .evidence
            .said
            .iter()
            .map(|(id, says)| (*id, says.as_str()));
        for (id, says) in suspects.chain(others) {
            let says = text::printable(says);
            if !words.contains(&*says) {
                let id = id.to_string();
                told = told.replacen(&id, &format!("{says} ({id})"), 1);
            }
        }
        told
    }

    /// With a figure of evidence, for JSON.
    pub(super) fn number(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.evidence.figures.insert(name.to_owned(), value.into());
        self
    }

    /// With lines of evidence in words.
    pub(super) fn all_words(mut self, lines: Vec<String>) -> Self {
        self.evidence.words.extend(lines);
        self
    }

    /// With a line of evidence in words.
    pub(super) fn words(mut self, line: impl Into<String>) -> Self {
        self.evidence.words.push(line.into());
        self
    }

    /// With a redis-cli command that shows it: words, then a key.
    pub(super) fn check(mut self, words: &[&str], key: &[u8]) -> Self {
        self.evidence.commands.push(command(words, key));
        self
    }

    /// With a redis-cli command that shows it: a word, a key, and more words.
    pub(super) fn check_about(mut self, word: &str, key: &[u8], more: &[&str]) -> Self {
        self.evidence.commands.push(about(word, key, more));
        self
    }

    /// With a look at all members that shows it too.
    pub(super) fn exact(self, exact: &Exact) -> Self {
        let looked = exact.looked();
        self.number("exact", true)
            .number("looked_at", looked)
            .number("examined_ms", exact.at.get())
            .words(format!("all {} were looked at", text::thousands(looked)))
    }

    /// Adds what repairs it: a step of ours, and the sentence that says so.
    pub(super) fn repair(mut self, step: Step, sentence: impl Into<Advice>) -> Self {
        *self.repair = Remedy {
            sentence: sentence.into(),
            step,
            lines: Vec::new(),
        };
        self
    }

    /// With the redis-cli command that looks at a whole cluster, from that node (`host:port`).
    pub(super) fn check_cluster(mut self, node: &str) -> Self {
        let line = format!("redis-cli --cluster check {node}");
        self.evidence.commands.push(line);
        self
    }

    /// With the redis-cli command that mends a whole cluster, from that node (`host:port`).
    pub(super) fn fix_cluster(mut self, node: &str) -> Self {
        let line = format!("redis-cli --cluster fix {node}");
        self.repair.lines.push(line);
        self
    }

    /// With a redis-cli command that mends it by hand: a word, a key, and more words.
    pub(super) fn by_hand(mut self, word: &str, key: &[u8], more: &[&[u8]]) -> Self {
        let args = [&[word.as_bytes(), key], more].concat();
        self.repair.lines.push(redis_cli::line("redis-cli", &args));
        self
    }

    /// With the figure that grows or shrinks.
    pub(super) fn of(mut self, figure: u64) -> Self {
        self.figure = Some(figure);
        self
    }

    /// The same, as far as a sample tells, if it is not the whole.
    pub(super) fn of_sample(mut self, figure: u64, whole: bool) -> Self {
        self.sampled = !whole;
        self.of(figure)
    }

    /// It is told as what follows from that rule's, with the step that is left to be taken.
    pub(super) fn follow(
        &mut self,
        cause: &'static str,
        (headline, details): (String, String),
        then: impl Into<Advice>,
    ) {
        self.severity = Severity::Note;
        self.follows = Some(cause);
        self.headline = checked(headline);
        self.details = details;
        *self.repair = Remedy {
            sentence: then.into(),
            step: Step::Outside,
            lines: Vec::new(),
        };
    }

    /// With the moment when the entry that it is about falls due.
    pub(super) fn due(mut self, due: Option<EpochMillis>) -> Self {
        self.due = due;
        self.number("due_ms", due.map(EpochMillis::get))
    }

    /// With the entries that it is about.
    pub(super) fn suspects<'a>(self, all: impl IntoIterator<Item = &'a JudgedMember>) -> Self {
        let told = TOLD.saturating_sub(self.suspects.len());
        let known = all.into_iter().enumerate().filter_map(|(i, one)| {
            let says = if i < told { one.says() } else { None };
            Some(Suspect {
                says,
                ..Suspect::of(one)?
            })
        });
        self.all_suspects(known)
    }

    /// The same, already told by id and score.
    pub(super) fn all_suspects(mut self, all: impl IntoIterator<Item = Suspect>) -> Self {
        for one in all {
            if !self
                .suspects
                .iter()
                .any(|known| (known.id, known.score) == (one.id, one.score))
            {
                self.suspects.push(one);
            }
        }
        self
    }

    /// With the entries that it names and that no score finds, by what they say, as far as that is
    /// known.
    pub(super) fn names<'a>(
        mut self,
        all: impl IntoIterator<Item = &'a (EntryId, PayloadBegin)>,
    ) -> Self {
        let said = all.into_iter().take(TOLD);
        self.evidence
            .said
            .extend(said.filter_map(|(id, begin)| Some((*id, begin.says()?))));
        self
    }

    /// With the moment when it happens by itself.
    pub(super) fn ends(mut self, at: EpochMillis) -> Self {
        self.ends = Some(at);
        self
    }

    /// Its rank among equally bad ones: what ends by itself comes first, the soonest before others. What
    /// was told to come and has come stays before them.
    #[must_use]
    pub fn urgency(&self) -> (bool, Option<EpochMillis>) {
        let waits = self.ends.is_none() && !self.keeps_the_server();
        (waits, self.ends)
    }

    /// With the moment since when it is so.
    pub(super) fn since(mut self, since: EpochMillis) -> Self {
        self.since = Some(since);
        self
    }
}

/// An entry that a finding is about.
#[derive(Clone, Debug, PartialEq)]
pub struct Suspect {
    /// Its id.
    pub id: EntryId,
    /// Its score in timeouts, by which it is found there.
    pub score: f64,
    /// The beginning of what it says; none where that is not known, or others are told first.
    pub says: Option<String>,
}

impl Suspect {
    /// Returns the entry as a suspect; none for a member of the order list, which no score finds.
    fn of(one: &JudgedMember) -> Option<Self> {
        one.score.map(|score| Self {
            id: one.id,
            score,
            says: None,
        })
    }
}

/// The most entries of a finding that are told by what they say.
const TOLD: usize = 3;

/// The end of a finding that has gone.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum FindingEnd {
    /// It cleared by itself.
    ByItself,
    /// A change of ours has repaired it.
    Repaired,
}

/// The columns that a headline has on a screen of 80, beside the sign of its severity.
pub const HEADLINE_COLUMNS: usize = 60;

/// The headline, which a rule must have kept short, and a sentence.
fn checked(headline: String) -> String {
    debug_assert!(
        text::width(&headline) <= HEADLINE_COLUMNS && headline.ends_with('.'),
        "no headline: {headline}"
    );
    headline
}

/// A headline and its details in one line.
pub(super) fn joined(headline: &str, details: &str) -> String {
    if details.is_empty() {
        return headline.to_owned();
    }
    format!("{headline} {details}")
}

/// The harm that a finding tells of.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// Will hurt, or hurts a little.
    Warning,
    /// Entries are late, or about to be lost.
    Critical,
}

impl Severity {
    /// The word for it in screens and JSON.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Critical => "critical",
        }
    }
}
