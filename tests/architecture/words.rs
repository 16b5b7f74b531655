//! The words of all that is printed: those of people who use Redisson, not those of this program's inside.

use crate::source::literals;
use crate::{files, no_complaints, read};

/// Words that stay in code, in JSON and in the detail view.
const INSIDE: &[&str] = &[
    "aside",
    "drift",
    "era",
    "eras",
    "fleet",
    "foreign",
    "frame form",
    "heads of",
    "kick",
    "kicked",
    "mend",
    "mended",
    "mends",
    "mixed-fleet",
    "mixed-frames",
    "poison",
    "pulse",
    "pulses",
    "realign",
    "set aside",
    "sick",
    "stand-in",
    "subs",
    "subscribed",
    "survey",
    "sweep",
    "transfer client",
    "transfer clients",
    "twin",
    "unpack",
];

/// Mentions of keys: those are the screen's to tell, not a finding's.
const KEYS: &[&str] = &["(R)", "(w)", "(K)", "(u)", "press "];

/// A sentence, and not a name or a part of a command.
fn is_sentence(literal: &str) -> bool {
    literal.split_whitespace().count() > 1 && !literal.contains("redis-cli")
}

/// The literal without what is named in braces: that is code.
fn printed(literal: &str) -> String {
    let mut out = String::with_capacity(literal.len());
    let mut inside = false;
    for c in literal.chars() {
        match c {
            '{' => inside = true,
            '}' => inside = false,
            c if !inside => out.push(c),
            _ => {}
        }
    }
    out
}

/// Tells whether `words` stand in `text`, whole.
fn has(text: &str, words: &str) -> bool {
    let is_end = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && !"-_:".contains(c));
    text.match_indices(words).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + words.len()..].chars().next();
        is_end(before) && is_end(after)
    })
}

/// Returns the sentences of a room's code, each with its place; those of tests are none.
fn sentences(room: &str) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for path in files(&format!("src/{room}"), "rs") {
        let name = path.display().to_string();
        if name.ends_with("tests.rs") || name.contains("/tests/") {
            continue;
        }
        let source = read(&path);
        let tests = source.find("#[cfg(test)]\nmod tests");
        let said = literals(&source[..tests.unwrap_or(source.len())]);
        let said = said.into_iter().filter(|(_, words)| is_sentence(words));
        all.extend(said.map(|(line, words)| (format!("{name}:{line}"), words)));
    }
    all
}

#[test]
fn no_finding_names_a_key() {
    let mut complaints = Vec::new();
    for (place, words) in sentences("queue/finding") {
        let keys = KEYS.iter().filter(|key| words.contains(*key));
        complaints.extend(keys.map(|key| format!("{place}: {key:?} in {words:?}")));
    }
    no_complaints(&complaints);
}

/// True of words that number a tab by a key of their own: which key opens it is looked up.
fn numbers_a_tab(words: &str) -> bool {
    let behind = words
        .match_indices("tab ")
        .map(|(at, tab)| &words[at + tab.len()..]);
    behind
        .into_iter()
        .any(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

#[test]
fn no_words_of_the_screen_number_a_tab() {
    let mut complaints = Vec::new();
    for path in files("src/tui", "rs") {
        let found = literals(&read(&path)).into_iter();
        let numbered = found.filter(|(_, words)| numbers_a_tab(words));
        complaints
            .extend(numbered.map(|(at, words)| format!("{}:{at}: {words:?}", path.display())));
    }
    no_complaints(&complaints);
    assert!(numbers_a_tab("in tab 5 the finding") && !numbers_a_tab("tab {tab-changes}, journal"));
}

/// Words of the inside that stand in the output for programs, or name an option.
const SAID_ELSEWHERE: &[&str] = &[
    // JSON: the words of a plan's method.
    "order list set aside",
    "sweep of the order list",
    // The command and its example.
    "delayscope kick orders",
];

#[test]
fn no_screen_command_finding_or_error_uses_a_word_that_only_this_program_knows() {
    let mut complaints = Vec::new();
    for room in ["args", "cli", "config", "ops", "queue", "store", "tui"] {
        for (place, words) in sentences(room) {
            if SAID_ELSEWHERE.iter().any(|said| words.contains(said)) {
                continue;
            }
            let text = printed(&words).to_lowercase();
            let inside = INSIDE.iter().filter(|inside| has(&text, inside));
            complaints.extend(inside.map(|inside| format!("{place}: {inside:?} in {words:?}")));
        }
    }
    no_complaints(&complaints);
}

/// The places where the word of a change is no word for people: the journal's file, JSON, commands
/// and ACL users.
const WORDS_OF_CHANGES: [&str; 6] = [
    "src/args/repair.rs",
    "src/cli/acl.rs",
    "src/cli/change/summary.rs",
    "src/cli/journal.rs",
    "src/ops/journal/line.rs",
    "src/queue/change.rs",
];

/// Counts the places in a source where the word of a change is asked for.
fn words_of_changes(source: &str) -> usize {
    let code: String = source.split_whitespace().collect();
    let before = code.match_indices(".word()").map(|(at, _)| &code[..at]);
    let of_change = |before: &&str| {
        let is_part = |c: char| c.is_alphanumeric() || "_.:()".contains(c);
        let of = before.trim_end_matches(is_part).len();
        let of = &before[of..];
        of.contains("Change::") || of.trim_end_matches("()").ends_with("change")
    };
    before.filter(of_change).count()
}

#[test]
fn people_read_the_label_of_a_change_and_programs_its_word() {
    let mut complaints = Vec::new();
    for path in files("src", "rs") {
        let name = path.display().to_string();
        let tests = name.ends_with("tests.rs");
        if !tests && !WORDS_OF_CHANGES.iter().any(|known| name.ends_with(known)) {
            let count = words_of_changes(&read(&path));
            complaints.extend((count > 0).then(|| format!("{name}: label(), not word()")));
        }
    }
    // Its table has the label, each change's fields the word.
    let journal = read(std::path::Path::new("src/cli/journal.rs"));
    assert_eq!(words_of_changes(&journal), 1);
    no_complaints(&complaints);
    let broken = "format!(\"{}\", kept.head\n    .change\n    .word())";
    assert_eq!(words_of_changes(broken), 1);
    assert_eq!(words_of_changes("let a = Change::Undo.word();"), 1);
    assert_eq!(words_of_changes("queue.layout.word(), change.label()"), 0);
}

/// Beginnings of a doc comment that do not say what the item is or does.
const NO_NOUN: [&str; 13] = [
    "What", "Whether", "So", "That", "Those", "Why", "How", "Which", "And", "Since", "Who", "Whom",
    "Whose",
];
/// Words before a question word, with which it is no noun either: "Of which queue".
const PREPOSITIONS: [&str; 28] = [
    "About", "After", "Among", "As", "At", "Before", "Behind", "Below", "Beside", "Between", "By",
    "During", "For", "From", "In", "Into", "Like", "Of", "On", "Out", "Over", "Per", "Through",
    "To", "Under", "Until", "With", "Without",
];
/// Words that ask, after a preposition.
const QUESTIONS: [&str; 9] = [
    "how", "what", "when", "where", "which", "who", "whom", "whose", "why",
];

/// True of a doc comment whose beginning does not say what the item is or does.
fn begins_with_no_noun(doc: &str) -> bool {
    let is_end = |c: char| !c.is_alphanumeric();
    let mut words = doc
        .split_whitespace()
        .map(|word| word.trim_end_matches(is_end));
    let first = words.next().unwrap_or_default();
    let second = words.next().unwrap_or_default();
    let asks = PREPOSITIONS.contains(&first) && QUESTIONS.contains(&second);
    let is_one = first == "One" && ["that", "who"].contains(&second);
    NO_NOUN.contains(&first) || asks || is_one
}

#[test]
fn a_doc_comment_begins_with_what_the_item_is_or_does() {
    let mut complaints = Vec::new();
    for path in files("src", "rs") {
        let source = read(&path);
        let name = path.display().to_string();
        let lines: Vec<&str> = source.lines().map(str::trim_start).collect();
        let is_doc = |line: &str| line.starts_with("///") || line.starts_with("//!");
        for (at, line) in lines.iter().enumerate() {
            let begins = is_doc(line) && !at.checked_sub(1).is_some_and(|at| is_doc(lines[at]));
            // The help of an option stands on screens, and says what to give.
            let of = lines[at..].iter().find(|line| !is_doc(line));
            let is_help = of.is_some_and(|line| line.starts_with("#[arg("));
            if begins && !is_help && begins_with_no_noun(&line[3..]) {
                complaints.push(format!("{name}:{}: {line}", at + 1));
            }
        }
    }
    no_complaints(&complaints);
    let refused = [
        " Of which queue.",
        " For how long the server was kept.",
        " Since when, and by whom.",
        " And after this, when it is late.",
        " One that was late.",
        " What it is.",
    ];
    assert!(refused.into_iter().all(begins_with_no_noun));
    let good = [
        " The queue.",
        " Of each queue, the first.",
        " One of them.",
        "",
    ];
    assert!(!good.into_iter().any(begins_with_no_noun));
}

/// Words that end as participles do and are nouns, or name what is known or not of any figure.
const NOUNS: [&str; 9] = [
    "Binding", "Deed", "Encoding", "Field", "Finding", "Known", "Opening", "Sighting", "Tracing",
];
/// Participles that end otherwise.
const IRREGULAR: [&str; 14] = [
    "Begun", "Chosen", "Done", "Found", "Given", "Held", "Kept", "Left", "Made", "Said", "Seen",
    "Taken", "Told", "Undone",
];

/// Words that ask, point, place or count, and name nothing.
const NO_NAMES: [&str; 47] = [
    "About",
    "After",
    "Again",
    "Asks",
    "AtOnce",
    "Away",
    "Before",
    "Behind",
    "Beside",
    "Between",
    "Both",
    "By",
    "Did",
    "Each",
    "Earlier",
    "Elsewhere",
    "Ends",
    "Everywhere",
    "Few",
    "From",
    "How",
    "InSight",
    "InStep",
    "Lately",
    "Later",
    "Many",
    "Of",
    "On",
    "Open",
    "Others",
    "Ours",
    "Own",
    "Since",
    "Still",
    "Sure",
    "Takes",
    "Tells",
    "Theirs",
    "Then",
    "Those",
    "What",
    "When",
    "Where",
    "Which",
    "Whole",
    "Why",
    "Wrong",
];

/// The name of the type that a line defines.
pub(crate) fn defined(line: &str) -> Option<&str> {
    let is_scope = |word: &&str| word.starts_with("pub") || word.ends_with(')');
    let mut words = line.split_whitespace().skip_while(is_scope);
    let is_type = ["struct", "enum", "trait", "type"].contains(&words.next()?);
    let name = words.next()?.split(|c: char| !c.is_alphanumeric()).next();
    name.filter(|_| is_type)
}

/// True of one word that says what happens to a thing, and not what it is.
fn is_participle(name: &str) -> bool {
    let is_one_word = name.chars().filter(char::is_ascii_uppercase).count() == 1;
    let ends = name.ends_with("ed") || name.ends_with("ing");
    is_one_word && !NOUNS.contains(&name) && (ends || IRREGULAR.contains(&name))
}

/// True of a name that is no noun.
fn names_nothing(name: &str) -> bool {
    is_participle(name) || NO_NAMES.contains(&name)
}

#[test]
fn types_are_nouns() {
    let mut complaints = Vec::new();
    for path in files("src", "rs") {
        for (at, line) in read(&path).lines().enumerate() {
            if let Some(name) = defined(line).filter(|name| names_nothing(name)) {
                complaints.push(format!("{}:{}: {name}", path.display(), at + 1));
            }
        }
    }
    no_complaints(&complaints);
    let of = |line| defined(line).is_some_and(names_nothing);
    assert!(
        of("pub(in crate::ops) struct Kept {")
            && of("    enum Moved {")
            && of("type Seen = u8;")
            && of("pub enum What {")
    );
    assert!(!of("pub struct KeptDeed {") && !of("pub enum Finding {") && !of("let Told = 1;"));
}

/// Names of constants that say that they bound something, and not what.
const BOUNDS_OF_NOTHING: [&str; 5] = ["FEW", "FIRST", "LEAST", "MANY", "MOST"];

/// The name of the constant that a line defines.
fn constant(line: &str) -> Option<&str> {
    let is_scope = |word: &&str| word.starts_with("pub") || word.ends_with(')');
    let mut words = line.split_whitespace().skip_while(is_scope);
    let is_constant = ["const", "static"].contains(&words.next()?);
    let name = words.next()?.strip_suffix(':');
    name.filter(|_| is_constant)
}

#[test]
fn constants_say_what_they_bound() {
    let mut complaints = Vec::new();
    for path in files("src", "rs") {
        for (at, line) in read(&path).lines().enumerate() {
            if let Some(name) = constant(line).filter(|name| BOUNDS_OF_NOTHING.contains(name)) {
                complaints.push(format!("{}:{}: {name} of what", path.display(), at + 1));
            }
        }
    }
    no_complaints(&complaints);
    assert_eq!(
        constant("pub(in crate::ops) const FEW: u64 = 5;"),
        Some("FEW")
    );
    assert_eq!(
        constant("    const LEAST_ROWS: u16 = 3;"),
        Some("LEAST_ROWS")
    );
    assert_eq!(constant("pub const fn first(self) -> u8 {"), None);
}

#[test]
fn a_word_is_found_whole_and_in_sentences_only() {
    assert!(has("the kick is sent", "kick"));
    assert!(!has("kicking it", "kick") && !has("delayscope:aside:{q}", "aside"));
    assert_eq!(printed("{sick} have problems"), " have problems");
    let source =
        "let a = \"one \\\"two\\\" \\\n    three\"; // \"four five\"\nlet b = 'x'; f(\"six\");";
    let found: Vec<_> = literals(source);
    assert_eq!(
        found,
        [(1, "one \"two\" three".to_owned()), (3, "six".to_owned())]
    );
    assert!(is_sentence(&found[0].1) && !is_sentence(&found[1].1));
}
