//! `acl`: the least that a user of the server must be allowed. Needs no server.

use std::io::{self, Write};

use serde_json::json;

use super::output::Output;
use super::session::meant;
use super::{CommandOutcome, say};
use crate::args::{self, Purpose};
use crate::config::Config;
use crate::queue::acl::{QueueSite, Rules};
use crate::queue::{Address, Change, Queue, shell};

/// Prints a rule for each purpose, or one for those that were asked for.
pub(super) fn run<W: Write>(
    asked: &args::Acl,
    config: &Config,
    out: &mut Output<W>,
) -> anyhow::Result<CommandOutcome> {
    let queues: Vec<Queue> = match &asked.queue {
        Some(queue) => vec![meant(queue, config)],
        None => config.queues.clone(),
    };
    out.keep_whole();
    let place = match &config.endpoint.address {
        Address::Cluster(_) => QueueSite::Cluster,
        _ if asked.cluster => QueueSite::Cluster,
        _ if config.endpoint.db != 0 => QueueSite::OtherDb,
        _ => QueueSite::Db0,
    };
    for (name, changes) in users(asked) {
        let rules = Rules::of(&changes, &queues, place);
        let purposes = changes.iter().map(|change| change.word());
        let purposes: Vec<&str> = std::iter::once("read").chain(purposes).collect();
        print(&name, &purposes, &rules, out)?;
    }
    let at_sentinels = format!("{}-sentinels", asked.name);
    if matches!(config.endpoint.address, Address::Sentinel(_)) {
        let rules = Rules::of_sentinels();
        print(&at_sentinels, &["sentinels"], &rules, out)?;
    }
    out.flush()?;
    if matches!(config.endpoint.address, Address::Sentinel(_)) {
        say::note(&format!(
            "{at_sentinels} is a user of the sentinels: see --sentinel-user"
        ));
    }
    if let [queue, ..] = &queues[..] {
        say::note(&format!(
            "such a user finds no queues: name them with --queue, such as {}",
            shell::flag(queue)
        ));
    }
    say::note("a user without a password cannot log in: ACL SETUSER NAME >PASSWORD gives one");
    Ok(CommandOutcome::Done)
}

/// Prints the rule that gives a user these rights.
fn print<W: Write>(
    name: &str,
    purposes: &[&str],
    rules: &Rules,
    out: &mut Output<W>,
) -> io::Result<()> {
    let rule = rules.set_user(name);
    if !out.is_json() {
        return out.line(&rule);
    }
    let text = |patterns: &[Vec<u8>]| -> Vec<String> {
        let text = |pattern: &Vec<u8>| String::from_utf8_lossy(pattern).into_owned();
        patterns.iter().map(text).collect()
    };
    out.json(&json!({
        "user": name,
        "for": purposes,
        "commands": rules.commands,
        "keys": text(&rules.keys),
        "channels": text(&rules.channels),
        "rule": rule,
    }))
}

/// The users, by name, each with the changes that it may make.
fn users(asked: &args::Acl) -> Vec<(String, Vec<Change>)> {
    if asked.purposes.is_empty() {
        let each = Change::ALL.into_iter().map(|change| {
            let name = format!("{}-{}", asked.name, change.word());
            (name, vec![change])
        });
        let read = (format!("{}-read", asked.name), Vec::new());
        return std::iter::once(read).chain(each).collect();
    }
    let all = asked.purposes.contains(&Purpose::All);
    let wanted = |change: &Change| all || asked.purposes.contains(&Purpose::Change(*change));
    let changes = Change::ALL.into_iter().filter(wanted).collect();
    vec![(asked.name.clone(), changes)]
}
