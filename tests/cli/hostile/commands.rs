//! What is typed: every subcommand, and every repair.

use std::collections::BTreeSet;

use delayscope::args::Args;

/// Their output is for shells and for `man`, also where JSON is asked for.
pub(super) const NO_JSON: [&str; 3] = ["completions", "man", "metrics"];

/// What stands in a command for something else.
pub(super) struct Places {
    /// `Q`: a queue, by the hex digits of its name.
    pub(super) queue: String,
    /// `T`: one of which everything is due, and a name was taken.
    pub(super) taken: String,
    /// `F`: a file.
    pub(super) file: String,
}

impl Places {
    /// The words of a command, with what stands for something else in its place.
    pub(super) fn filled<'a>(&'a self, words: &[&'a str]) -> Vec<&'a str> {
        let word = |word: &&'a str| match *word {
            "Q" => vec!["--queue-hex", &self.queue],
            "T" => vec!["--queue-hex", &self.taken],
            "F" => vec![&*self.file],
            word => vec![word],
        };
        words.iter().flat_map(word).collect()
    }
}

/// Every subcommand, with every repair, what is first to be looked at first; but for those that take
/// their time, and run beside these.
pub(super) const ALL: &[&[&str]] = &[
    &["queues"],
    &["show", "Q"],
    &["entries", "Q"],
    &["entries", "Q", "--from", "order", "--limit", "50"],
    &["entries", "Q", "--from", "delivered", "--raw"],
    &["entries", "Q", "--from", "quarantined", "--limit", "50"],
    &["entries", "Q", "--from", "order-only"],
    &["search", "Q", "EVIL"],
    &["search", "Q", "re:/\u{1b}[/"],
    &["watch", "Q", "--count", "1"],
    &["nodes"],
    &["doctor", "Q", "--for", "100ms"],
    &["doctor", "T", "--for", "100ms"],
    &["doctor", "--for", "100ms"],
    &["report", "Q", "--for", "100ms"],
    &["report", "--for", "100ms"],
    &["acl", "Q"],
    &["kick", "Q", "--yes"],
    &[
        "offer",
        "Q",
        "\u{1b}[31mmessage\u{202e}",
        "--form",
        "byte-id",
        "--in",
        "1h",
        "--each",
    ],
    &["offer", "Q", "x", "--form", "\u{1b}[31m"],
    &["requeue", "Q", "--late", "--in", "1h", "--dry-run"],
    &[
        "requeue", "Q", "--limit", "3", "--all", "--in", "1h", "--yes", "--each",
    ],
    &[
        "requeue",
        "Q",
        "--from",
        "order-only",
        "--limit",
        "1",
        "--all",
        "--in",
        "1h",
        "--yes",
        "--each",
    ],
    &[
        "requeue",
        "Q",
        "--from",
        "delivered",
        "--limit",
        "2",
        "--all",
        "--in",
        "1h",
        "--yes",
        "--each",
    ],
    &["duplicate", "Q", "--limit", "3", "--all", "--yes", "--each"],
    &["repair", "Q", "--restore-order", "--yes", "--each"],
    &["transfer", "Q", "--dry-run"],
    &["transfer", "Q", "--limit", "5", "--yes", "--each"],
    &["deliver", "Q", "--limit", "5", "--all", "--yes", "--each"],
    &[
        "deliver",
        "Q",
        "--from",
        "order-only",
        "--limit",
        "1",
        "--all",
        "--yes",
        "--each",
    ],
    &["delete", "Q", "--limit", "5", "--all"],
    &["delete", "Q", "--limit", "5", "--all", "--yes", "--each"],
    &["undo", "--yes", "--each"],
    &[
        "delete",
        "Q",
        "--from",
        "order-only",
        "--limit",
        "1",
        "--all",
        "--yes",
        "--each",
    ],
    &[
        "delete",
        "Q",
        "--from",
        "delivered",
        "--limit",
        "2",
        "--all",
        "--yes",
        "--each",
    ],
    &[
        "delete",
        "Q",
        "--from",
        "delivered",
        "--all",
        "--keep-one",
        "--yes",
        "--each",
    ],
    &["delete", "Q", "--id", "\u{1b}[31m", "--yes"],
    &[
        "edit",
        "Q",
        "--id",
        "000000000000ffff",
        "--file",
        "F",
        "--codec",
        "text",
        "--yes",
        "--each",
    ],
    &[
        "edit",
        "Q",
        "--id",
        "0000000000000001",
        "--file",
        "/no/\u{1b}[31m\u{202e}",
    ],
    &["repair", "Q", "--kick", "--yes"],
    &["repair", "Q", "--unit", "s", "--yes", "--each"],
    &["repair", "Q", "--score", "--yes", "--each"],
    &["repair", "Q", "--unwrap", "--yes", "--each"],
    &["repair", "Q", "--persist", "--yes", "--each"],
    &["repair", "T", "--rename-taken", "--yes", "--each"],
    &["repair", "Q", "--put-back", "--yes", "--each"],
    &["repair", "Q", "--drift", "--dry-run"],
    &["repair", "Q", "--drift", "--yes", "--each"],
    &[
        "repair",
        "Q",
        "--repack",
        "--form",
        "double-id",
        "--id",
        "000000000000ffff",
        "--yes",
        "--each",
    ],
    &["repair", "Q", "--quarantine", "--yes", "--each"],
    &["repair", "Q", "--restore", "--all", "--yes"],
    &["repair", "Q", "--realign", "--within", "1h", "--yes"],
    &["consume", "Q", "--peek", "--count", "5"],
    &["consume", "Q", "--count", "2", "--yes"],
    &[
        "worker",
        "Q",
        "--until-empty",
        "--batch",
        "\u{1b}[31m",
        "--yes",
    ],
    &["worker", "T", "--until-empty", "--yes"],
    &["trace", "Q", "--for", "100ms", "--yes"],
    &["trace", "Q", "--probe", "1", "--timeout", "100ms", "--yes"],
    &["trace", "--from", "F"],
    &["trace", "--from", "/no/\u{1b}[31m\u{202e}"],
    &["journal"],
    &["journal", "\u{1b}[31m"],
    &["connection", "\u{1b}[31m"],
    &["decode", "\u{1b}[31m\u{202e}"],
    &["demo", "--scenario", "\u{1b}[31m\u{202e}"],
    &["completions", "bash"],
    &["completions", "\u{1b}[31m"],
    &["man"],
    &["man", "repair"],
    &["man", "\u{1b}[31m\u{202e}"],
    &["\u{1b}[31m\u{202e}"],
    &["queues", "--\u{1b}[31m\u{202e}"],
    &["queues", "--queue", "zset-list:\u{1b}[31m,\u{1b}[31m"],
    &["queues", "--profile", "\u{1b}[31m\u{202e}"],
    &["queues", "-u", "redis://\u{1b}[31m\u{202e}:1"],
    &["queues", "-s", "/no/\u{1b}[31m\u{202e}"],
];

/// Those of the words that no command of [`ALL`] has, behind `first` where that is given.
fn missing(words: impl IntoIterator<Item = String>, first: Option<&str>) -> Vec<String> {
    let of_first = ALL
        .iter()
        .filter(|command| first.is_none_or(|first| command[0] == first));
    let typed: BTreeSet<&str> = of_first
        .flat_map(|command| command.iter().copied())
        .collect();
    let missing = words.into_iter().filter(|word| !typed.contains(&**word));
    missing.collect()
}

#[test]
fn every_command_every_repair_and_every_place_is_looked_at() {
    let program = Args::described();
    let commands: BTreeSet<&str> = ALL.iter().map(|command| command[0]).collect();
    let names = program.get_subcommands().map(clap::Command::get_name);
    let unseen: Vec<&str> = names.filter(|name| !commands.contains(name)).collect();
    assert_eq!(unseen, ["traffic", "metrics"]);

    let repair = program.find_subcommand("repair").unwrap();
    let mut groups = repair.get_groups();
    let flags = groups.find(|group| group.get_id() == "repair").unwrap();
    let flags: Vec<String> = flags.get_args().map(|flag| format!("--{flag}")).collect();
    assert!(flags.len() > 10, "{flags:?}");
    assert_eq!(missing(flags, Some("repair")), [""; 0]);

    let mut arguments = program.find_subcommand("entries").unwrap().get_arguments();
    let from = arguments
        .find(|argument| argument.get_id() == "from")
        .unwrap();
    let places = from.get_possible_values();
    let places = places.iter().map(|place| place.get_name().to_owned());
    // What waits is what is looked at where nothing is said.
    let unseen = missing(places, Some("entries"));
    assert_eq!(unseen, ["waiting", "late"]);
}
