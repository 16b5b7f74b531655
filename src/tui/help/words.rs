//! The meaning of the words and figures on the screen.

use super::HelpPage;
use crate::tui::focus;
use crate::tui::keys::KeyPlace;
use crate::tui::model::{Model, Screen};
use crate::tui::theme::{Glyphs, Theme};

/// A line of the help.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum HelpLine {
    /// The subject of the next lines.
    Head(String),
    /// Keys (or a sign), and what they do; in the second line of long words, no keys.
    Keys {
        /// The keys.
        keys: String,
        /// The description of what they do.
        words: String,
        /// They do it where the focus is.
        here: bool,
    },
    /// Words over the whole width.
    Words(String),
    /// A line of a picture, as it is.
    Drawn(String),
    /// Nothing.
    Blank,
}

/// A word or sign, and what it means.
type Explanation = (&'static str, &'static str);

const HEADER: &[Explanation] = &[
    (
        "THEN 14:02",
        "a moment of the past. [ ] step, { } go to the next problem or the one before, + - draw the strip closer, 0 back to now",
    ),
    (
        "live, stale",
        "the age of what is shown; lost, cannot connect: no connection",
    ),
    ("server 14:02", "its clock: due times are compared with it"),
    ("skew", "by how much the clock of this machine differs"),
    (
        "ms/s",
        "what this program costs the server: ms of its time a second",
    ),
    (
        "in red, yellow",
        "the queue with the worst problem, what it is, and for how long entries are late; and how many others have problems",
    ),
];

const QUEUES: &[Explanation] = &[
    (
        "waiting",
        "entries in timeouts: all that have not been transferred",
    ),
    ("late", "those of them whose due time has passed"),
    ("oldest", "for how long the oldest of them is late"),
    (
        "next",
        "until the next one falls due; -4:02: late for so long",
    ),
    (
        "<10s <1m 10m",
        "how many fall due within these times; the last column: later. Each row has a scale of its own",
    ),
    (
        "order",
        "the order list against timeouts. =: as many in both; a number: by how many they differ; partial: a change under way holds the rest",
    ),
    ("target", "entries transferred and not yet consumed"),
    (
        "clients",
        "clients that transfer: applications with Redisson; 2+w: and a worker of this program. 0 !: none, and entries are late",
    ),
    (
        "depth",
        "how many waited over the last 5 minutes, between their least and most",
    ),
];

const TIMELINE: &[Explanation] = &[
    (
        "now",
        "the heavy line. Left of it what is late, by how long; right of it what falls due when",
    ),
    (
        "a bar",
        "entries that fall due in the same 10 s, or whatever the title says; the cursor on it says how many",
    ),
    ("later", "how many fall due beyond the right end"),
];

const DEPTH: &[Explanation] = &[
    ("timeouts", "entries that wait, and their growth a second"),
    (
        "order",
        "the same of the order list; equal: as many as in timeouts",
    ),
    (
        "target",
        "the same of what was transferred and is not yet consumed",
    ),
    (
        "clients",
        "applications with Redisson on the queue's channel",
    ),
    ("published/min", "messages on it in the last minute"),
    (
        "1 min … 24 h",
        "strip: entries that waited or stood in target; red: a critical problem. Marks: where a problem began or ended",
    ),
];

const WAITING: &[Explanation] = &[
    ("due in", "the time left; -0:12: late for so long"),
    ("due at", "when, in the local zone"),
    (
        "id",
        "of the frame around the payload: two entries with the same payload differ in it",
    ),
    (
        "size, codec",
        "bytes of the payload, and how it seems to be encoded",
    ),
    (
        "payload",
        "what is in it, as far as it can be read; cut where the row ends",
    ),
];

const DELIVERED: &[Explanation] = &[
    (
        "delivered",
        "the elements of target, from its head: transferred, not yet consumed. The consumer takes the first",
    ),
    (
        "still framed",
        "a frame was not taken off: consumers cannot read it",
    ),
];

const ORDER: &[Explanation] = &[
    (
        "order list",
        "the same entries in the order in which they were offered. A Redisson client searches it for each entry that it transfers: what lies far down costs the server time",
    ),
    (
        "differs",
        "an entry that only one of order list and timeouts holds",
    ),
];

const TRAFFIC: &[Explanation] = &[
    (
        "new head",
        "an entry was offered that is due before all others: clients set their timers anew. Nothing else is announced",
    ),
    ("all clients woken", "each checks at once what is due"),
];

const CHANGES: &[Explanation] = &[(
    "journal",
    "what this program has changed on this server, newest first, with the redis-cli lines that did it; what can be undone says so",
)];

const NODES: &[Explanation] = &[
    (
        "nodes",
        "the server, its replicas, the nodes of a cluster, and the sentinels that lead here, as the last look told of them; the command nodes asks each of them itself",
    ),
    (
        "lag",
        "how much a replica has not got yet of what its master wrote",
    ),
    (
        "skew",
        "by how much the clock of this machine differs from its own",
    ),
];

const ENTRY: &[Explanation] = &[
    ("due", "in the local zone, in UTC and in ms since 1970"),
    (
        "frame",
        "what Redisson has put around the payload: an id, and the length",
    ),
    (
        "codec",
        "how the payload seems to be encoded, and why; another one can be chosen",
    ),
    ("tree, text, raw, hex", "four ways to look at it"),
];

const WORDS: &[Explanation] = &[
    (
        "entry",
        "one delayed message. Payload: what is in it; codec: how that is encoded",
    ),
    (
        "frame",
        "the bytes that Redisson wraps around a payload. Their format changed with 3.21.1: clients fail on the other one",
    ),
    ("timeouts", "the sorted set of all that waits, by due time"),
    ("order list", "the same entries, as they were offered"),
    (
        "target",
        "the list that consumers take from: it bears the queue's name",
    ),
    (
        "client",
        "an application that has opened the queue with Redisson, to offer or to consume",
    ),
    (
        "transfer",
        "to move entries from timeouts to target: what is due, or chosen ones now",
    ),
    (
        "late",
        "due, and not transferred: up to 2 s are a normal hand-over",
    ),
    (
        "wake clients",
        "to have all clients check at once what is due: harmless",
    ),
    (
        "worker",
        "a client of this program: it transfers as long as the screen is open",
    ),
    (
        "rewrite",
        "to give entries the format that the clients read",
    ),
    (
        "sort the order list",
        "what falls due soon comes first, so that transfers are quick",
    ),
    (
        "quarantine",
        "where entries wait that would break every transfer. Nothing is lost",
    ),
];

/// The lines of a page; none of that of the keys.
pub(crate) fn lines(model: &Model, page: HelpPage) -> Vec<HelpLine> {
    let g = Theme::of(&model.look).glyphs;
    match page {
        HelpPage::Jobs => super::jobs::lines(model),
        HelpPage::Keys => Vec::new(),
        HelpPage::Screen => screen(model, g),
        HelpPage::Queue => queue(model, g),
    }
}

fn section(lines: &mut Vec<HelpLine>, head: &str, told: &[(impl ToString, impl ToString)]) {
    if !lines.is_empty() {
        lines.push(HelpLine::Blank);
    }
    lines.push(HelpLine::Head(head.to_owned()));
    lines.extend(told.iter().map(|(word, meaning)| HelpLine::Keys {
        keys: word.to_string(),
        words: meaning.to_string(),
        here: true,
    }));
}

/// Explains what is on the screen below: first what has the keys.
fn screen(model: &Model, g: &Glyphs) -> Vec<HelpLine> {
    let mut lines = Vec::new();
    let place = focus::place_below(model);
    let (head, own): (_, &[Explanation]) = match place {
        KeyPlace::Entry => ("the entry", ENTRY),
        KeyPlace::Delivered => ("tab {tab-delivered}, delivered", DELIVERED),
        KeyPlace::Order => ("tab {tab-order}, order list", ORDER),
        KeyPlace::Traffic => ("tab {tab-traffic}, traffic", TRAFFIC),
        KeyPlace::Changes => ("tab {tab-changes}, journal", CHANGES),
        KeyPlace::Nodes => ("tab {tab-nodes}, nodes", NODES),
        KeyPlace::Entries => ("tab {tab-waiting}, waiting", WAITING),
        _ => ("", &[]),
    };
    if !own.is_empty() {
        section(&mut lines, &model.sentence(head), own);
    }
    if place == KeyPlace::Findings {
        let head = model.sentence("tab {tab-findings}, findings");
        section(&mut lines, &head, &findings(model, g));
    }
    let dashboard = matches!(model.screen, Screen::Dashboard);
    if dashboard {
        section(&mut lines, "queues", QUEUES);
        section(&mut lines, "before a queue's name", &marks(g));
    }
    if place != KeyPlace::Entry {
        section(&mut lines, "due: the timeline", TIMELINE);
        section(&mut lines, "depth", DEPTH);
    }
    if place != KeyPlace::Findings && place != KeyPlace::Entry {
        section(&mut lines, "findings", &findings(model, g));
    }
    section(&mut lines, "the first line", HEADER);
    if !model.look.no_color {
        section(&mut lines, "colours", COLOURS);
    }
    lines
}

const COLOURS: &[Explanation] = &[
    ("red", "late, or critical"),
    (
        "yellow",
        "a warning, not known yet, old data; a bar: due within a minute",
    ),
    ("green", "well"),
    ("cyan", "keys, and what has the keys"),
    ("grey", "zero, or of less weight"),
];

fn marks(g: &Glyphs) -> [Explanation; 5] {
    [
        (g.lost, "something critical is found"),
        (g.warn, "a warning is found"),
        ("!", "entries are late; the cause is being checked"),
        ("?", "for a figure: it could not be read"),
        (g.zero, "for a figure: zero"),
    ]
}

fn findings(model: &Model, g: &Glyphs) -> Vec<(String, String)> {
    let told = [
        (
            format!("{} CRIT", g.lost),
            "entries are late, or about to be lost",
        ),
        (format!("{} WARN", g.warn), "will hurt, or hurts a little"),
        (format!("{} NOTE", g.dot), "worth knowing"),
        (
            format!("{} FIXED", g.good),
            "a change of yours has repaired it",
        ),
        (format!("{} cleared", g.good), "it went by itself"),
        (
            format!("{} OK", g.good),
            "so many checks have found nothing wrong",
        ),
        (
            g.cut.to_owned(),
            "not known yet, and the seconds until it is",
        ),
        (
            "?".to_owned(),
            "a check is blind: the server refuses what it needs",
        ),
        (
            g.leads_to.to_owned(),
            "the repair. ({repair}) is the key for it; ({repair} there): once the cursor is on its queue",
        ),
        (
            "$".to_owned(),
            "a command for a shell, where no key repairs it; in tab {tab-findings}, {copy-payload} copies it",
        ),
    ];
    let bound = |(sign, words)| (sign, model.sentence(words));
    told.map(bound).into()
}

/// The way of an entry, from left to right.
const PICTURE: [&str; 5] = [
    "offer ───→ timeouts, by due time ─────────→ target ───→ consumer",
    "  │        order list, by offer       ↑     a list",
    "  │                                transfer",
    "  │                                   │",
    "  └──────→ channel: a new head ───→ clients, with a timer",
];

fn queue(model: &Model, g: &Glyphs) -> Vec<HelpLine> {
    let drawn = |line: &str| {
        let plain = |c: char| match c {
            '─' | '→' => '-',
            '│' => '|',
            '└' => '+',
            '↑' => '^',
            c => c,
        };
        if model.look.ascii {
            line.replace("→", ">").chars().map(plain).collect()
        } else {
            line.to_owned()
        }
    };
    let mut lines: Vec<HelpLine> = PICTURE
        .iter()
        .map(|line| HelpLine::Drawn(drawn(line)))
        .collect();
    lines.push(HelpLine::Blank);
    let told = [
        "An offer writes an entry into timeouts and into the order list. If it is due before all \
         others, its due time is published on the queue's channel.",
        "Every client listens on that channel and sets a timer for the next due time. When it ends, \
         the client transfers: what is due leaves timeouts and order list and comes into target, where \
         consumers take it.",
        "No server does this: when no client runs, or its script fails, entries stay where they are \
         and become late.",
    ];
    lines.extend(told.map(|words| HelpLine::Words(words.to_owned())));
    section(&mut lines, "words", WORDS);
    section(&mut lines, "findings", &findings(model, g));
    lines
}
