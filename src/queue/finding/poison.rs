//! A frame among the next due ones that the queue's clients cannot unpack: their script ends in the
//! middle, and Lua takes nothing back.

use super::clients;
use super::heads::{self, BlockHarm, Fleet};
use super::id::POISON as ID;
use super::{
    Act, Advice, Finding, OpenQuestion, QueueFacts, RuleVerdict, Severity, Step, id, mixed_fleet,
};
use crate::queue::change::ChangeRequest;
use crate::queue::frame::Era;
use crate::queue::{Exact, JudgedMember, Unpack, text};

/// Looks at the frames of the next due ones.
pub(super) fn look(seen: &QueueFacts) -> RuleVerdict {
    if !heads::framed(seen) || seen.pulse.is_none() {
        return RuleVerdict::Silent;
    }
    let next = heads::next_due(seen);
    let Some(fleet) = heads::fleet(seen) else {
        return RuleVerdict::Fine;
    };
    // Not the entries are wrong here: see mixed-fleet.
    if heads::strangers(seen).is_some() {
        return RuleVerdict::Fine;
    }
    let is_bad = |one: &JudgedMember| one.form.is_some() && one.unpack(fleet.era) != Unpack::Right;
    let Some(place) = next.iter().position(|one| is_bad(one)) else {
        return deeper(seen, &fleet).map_or(RuleVerdict::Fine, RuleVerdict::Found);
    };
    let count = next.iter().filter(|one| is_bad(one)).count();
    if let Some(open) = undecided(seen) {
        return RuleVerdict::Early(open);
    }
    RuleVerdict::Found(finding(seen, &next, (place, count), &fleet))
}

/// The question that is open first where several clients listen, and both formats were offered
/// lately or both versions have transferred: two of them may be at work, and which entries are to be rewritten would be a guess. A
/// client that fails tries again within [`heads::TRIES_MS`].
pub(super) fn undecided(seen: &QueueFacts) -> Option<OpenQuestion> {
    let several = seen.pulse?.transfer_clients.get()? >= 2;
    let left = heads::TRIES_MS - seen.watch.watched_ms();
    let both = heads::both_offer(seen).is_some() || others_may_be_there(seen);
    let is_known = || matches!(mixed_fleet::look(seen), RuleVerdict::Found(_));
    (several && left > 0 && both && !is_known()).then(|| {
        let seen = "entries of both formats wait";
        OpenQuestion::new(seen, "whether clients of both versions run", Some(left))
    })
}

/// Unreadable entries: the first of them, how many are known, and whether it is due.
#[derive(Clone, Copy)]
struct Bad<'a> {
    first: &'a JudgedMember,
    count: u64,
    due: bool,
}

impl Bad<'_> {
    /// Says what is wrong, in a headline.
    fn headline(self, era: Era) -> String {
        match (self.first.unpack(era), self.due) {
            (Unpack::Garbage, true) if self.count == 1 => {
                "Consumers get broken payloads: one entry has a wrong format.".to_owned()
            }
            (Unpack::Garbage, true) => {
                "Consumers get broken payloads: entries have a wrong format.".to_owned()
            }
            (Unpack::Garbage, false) => {
                "Consumers will get broken payloads: wrong entry format.".to_owned()
            }
            (_, due) => {
                let which = match (self.foreign(era), self.count) {
                    (Some(theirs), 1) => format!("An entry in the {} format", theirs.format()),
                    (Some(theirs), _) => format!("Entries in the {} format", theirs.format()),
                    (None, 1) => "One unreadable entry".to_owned(),
                    (None, _) => "Unreadable entries".to_owned(),
                };
                let blocks = match (due, self.count) {
                    (true, 1) => "blocks",
                    (true, _) => "block",
                    (false, _) => "will block",
                };
                format!("{which} {blocks} this queue.")
            }
        }
    }

    /// The era of whoever wrote the first, where it is not that of the clients.
    fn foreign(self, era: Era) -> Option<Era> {
        let theirs = self.first.form.map(crate::queue::Form::era);
        theirs.filter(|theirs| *theirs != era)
    }

    /// Says which entry it is, who wrote it, who fails on it, and what that does to the others.
    fn details(self, seen: &QueueFacts, era: Era, block: BlockHarm) -> String {
        let foreign = self.foreign(era);
        let who = match foreign {
            Some(theirs) => format!("was written by {}", theirs.releases()),
            None => "was written on a server with other lengths".to_owned(),
        };
        let does = match (self.first.unpack(era), self.due) {
            (Unpack::Garbage, true) => "take it for another one",
            (Unpack::Garbage, false) => "will take it for another one",
            (_, true) => "fail on it",
            (_, false) => "will fail on it",
        };
        let (id, when) = (self.first.id, heads::when(seen, self.first));
        let clients = era.releases();
        let harm = if self.due && self.first.unpack(era) == Unpack::Fails {
            block.words(seen)
        } else {
            String::new()
        };
        format!("Entry {id}, {when}, {who}; the running clients ({clients}) {does}.{harm}")
    }
}

fn finding(
    seen: &QueueFacts,
    next: &[&JudgedMember],
    (place, count): (usize, usize),
    fleet: &Fleet,
) -> Finding {
    let bad = next[place];
    let due = seen.pulse.is_some_and(|pulse| bad.is_due(pulse.at));
    let severity = if due {
        Severity::Critical
    } else {
        Severity::Warning
    };
    let block = heads::block(seen, next, place, fleet.era);
    let unreadable = Bad {
        first: bad,
        count: count as u64,
        due,
    };
    let clients = fleet.era.releases();
    let timeouts = seen.queue.keys().timeouts;
    let rank = place.to_string();
    let late = seen.pulse.and_then(|pulse| pulse.late.get());
    let late = late.filter(|_| due);
    let whole = late.is_some() || heads::is_whole(seen, next);
    let is_bad = |one: &&JudgedMember| one.form.is_some() && one.unpack(fleet.era) != Unpack::Right;
    let finding = Finding::new(ID, severity, unreadable.headline(fleet.era))
        .details(unreadable.details(seen, fleet.era, block))
        .of_sample(late.unwrap_or(count as u64), whole)
        .suspects(next.iter().copied().filter(is_bad))
        .number("entry", bad.id.to_string())
        .number("form", bad.form.map(crate::queue::Form::word))
        .due(bad.due_at())
        .number("clients", clients)
        .number("bad_of_next", count)
        .number("due_before", block.before)
        .number("copies_seen", block.copies)
        .words(format!(
            "{} of the next {} entries cannot be read, the first is {}",
            text::thousands(count as u64),
            text::thousands(next.len() as u64),
            bad.id
        ))
        .words(format!("its clients are {clients}: {}", fleet.because));
    let finding = if others_may_be_there(seen) {
        finding.words("clients of both versions have transferred since the server's start")
    } else {
        finding
    };
    let finding = finding.all_words(clients::by_format(seen));
    let finding = match heads::both_offer(seen) {
        Some(_) => finding.words(
            "both formats are among the last offered: if somebody still offers the other one, stop \
             that first",
        ),
        None => finding,
    };
    let finding = match bad.due_at().filter(|_| due) {
        Some(since) => finding.since(since),
        None => finding,
    };
    let finding = if block.copies > 0 {
        let copies = text::counted(block.copies as u64, "copy", "copies");
        finding.words(format!(
            "{copies} of the entries before it seen at the end of target"
        ))
    } else {
        finding
    };
    let finding = finding
        .check_about("ZRANGE", &timeouts, &[&rank, &rank, "WITHSCORES"])
        .check(&["INFO"], b"errorstats");
    let finding = match seen.watch.exact() {
        Some(exact) if exact.unreadable(fleet.era).count >= count as u64 => {
            of_all(finding, exact, fleet.era)
        }
        _ => finding,
    };
    repaired(seen, finding, fleet, unreadable)
}

fn repaired(seen: &QueueFacts, finding: Finding, fleet: &Fleet, bad: Bad) -> Finding {
    let form = fleet.era.form(seen.server.long);
    let that = if bad.count == 1 {
        "that entry"
    } else {
        "those entries"
    };
    let rewrite = Advice::of(format!(
        "Rewrite {that} in the {} format",
        fleet.era.format()
    ));
    let repair = if others_may_be_there(seen) {
        let also = format!(
            "Stop the clients that write the other format, if any still run. Then rewrite {that} in \
             the {} format",
            fleet.era.format()
        );
        Advice::of(also).by(Act::Repair, ".")
    } else if bad.due {
        rewrite.by(Act::Repair, ". The clients go on by themselves.")
    } else if bad.count == 1 {
        rewrite.by(Act::Repair, " before it falls due.")
    } else {
        rewrite.by(Act::Repair, " before they fall due.")
    };
    finding.repair(Step::Change(ChangeRequest::Repack(Some(form))), repair)
}

/// Where clients of both versions are at work, the entries of one of them that the other fails on are
/// no matter of their own: what is rewritten today comes again tomorrow.
pub(super) fn subordinate(findings: &mut Vec<Finding>) {
    if !findings.iter().any(mixed_fleet::is_of_both) {
        return;
    }
    let blocks = |found: &&mut Finding| found.id == ID && found.severity == Severity::Critical;
    let Some(poison) = findings.iter_mut().find(blocks) else {
        return;
    };
    let (first, rest) = poison.headline.split_at(1);
    let headline = format!("Same cause: {}{rest}", first.to_lowercase());
    let details = std::mem::take(&mut poison.details);
    let then = "Upgrade or stop one version first; what it leaves behind can be rewritten then.";
    poison.follow(id::MIXED_FLEET, (headline, details), then);
    // That there are two formats goes without saying then.
    findings.retain(|found| found.id != id::MIXED_FRAMES);
}

/// The finding about an unreadable entry behind the next due ones, which a look at all members has
/// found.
fn deeper(seen: &QueueFacts, fleet: &Fleet) -> Option<Finding> {
    let (exact, pulse) = (seen.watch.exact()?, seen.pulse?);
    let group = exact.unreadable(fleet.era);
    let bad = heads::deeper(seen, group)?;
    let due = bad.is_due(pulse.at);
    let severity = if due {
        Severity::Critical
    } else {
        Severity::Warning
    };
    let score = bad.score.unwrap_or_default().to_string();
    // How many stand before it is not known: what it does to them is not told.
    let unreadable = Bad {
        first: bad,
        count: group.count,
        due: false,
    };
    let finding = Finding::new(ID, severity, unreadable.headline(fleet.era))
        .details(unreadable.details(seen, fleet.era, BlockHarm::default()))
        .of(group.count)
        .suspects([bad])
        .number("entry", bad.id.to_string())
        .number("form", bad.form.map(crate::queue::Form::word))
        .due(bad.due_at())
        .number("clients", fleet.era.releases())
        .words(format!(
            "its clients are {}: {}",
            fleet.era.releases(),
            fleet.because
        ))
        .check_about(
            "ZRANGEBYSCORE",
            &seen.queue.keys().timeouts,
            &[&score, &score, "WITHSCORES"],
        );
    let finding = of_all(finding, exact, fleet.era);
    Some(repaired(seen, finding, fleet, Bad { due, ..unreadable }))
}

/// Adds how many of all waiting entries these clients cannot unpack.
fn of_all(finding: Finding, exact: &Exact, era: Era) -> Finding {
    let group = exact.unreadable(era);
    let ids: Vec<String> = group.first.iter().map(|one| one.id.to_string()).collect();
    finding
        .exact(exact)
        .suspects(&group.first)
        .number("bad_of_all", group.count)
        .words(format!(
            "{} of the waiting entries cannot be read{}{}",
            text::thousands(group.count),
            if group.count == 1 { ": " } else { ", such as " },
            ids.join(", ")
        ))
}

/// Clients of the other era may still be at work.
fn others_may_be_there(seen: &QueueFacts) -> bool {
    let several = seen.pulse.and_then(|pulse| pulse.transfer_clients.get()) >= Some(2);
    several && heads::both_transferred(seen) == Some(true)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Scene, framed, judged, pulse, sample, server_look, survey};
    use super::*;
    use crate::queue::frame::{self, Form};
    use crate::queue::redis_cli::RedisCli;

    const NEWER: [bool; 2] = [false, true];

    fn due(form: Form, id: u8) -> JudgedMember {
        framed(form, id, Some(i64::from(id) - 1_000))
    }

    fn scene(next: Vec<JudgedMember>, transferred: [bool; 2]) -> Scene {
        let mut seen = pulse(0, next.len() as u64, Some(1_000), 1);
        seen.first = next.first().cloned();
        let newest = next.clone();
        Scene::default()
            .pulse(seen)
            .sample(sample(next, newest))
            .look(server_look(1_000, transferred, 0))
    }

    #[test]
    fn the_script_that_the_server_remembers_tells_who_chokes() {
        let both = || vec![due(Form::ByteId, 0), due(Form::DoubleId, 1)];
        let said = |transferred| scene(both(), transferred).found(ID);
        let found = said(NEWER).unwrap();
        assert_eq!(
            found.headline,
            "An entry in the old format blocks this queue."
        );
        assert_eq!(found.evidence.figures["form"], "double-id");
        assert_eq!(found.evidence.figures["due_before"], 1);
        let found = said([true, false]).unwrap();
        assert_eq!(
            found.headline,
            "An entry in the new format blocks this queue."
        );
        assert_eq!(found.evidence.figures["form"], "byte-id");
        assert_eq!(found.evidence.figures["due_before"], 0);
        // Nobody can tell which of the two is the stranger.
        assert_eq!(said([true, true]), None);
    }

    #[test]
    fn where_clients_of_both_versions_may_be_at_work_one_is_stopped_before_anything_is_rewritten() {
        let told = |watched_ms: i64, clients, transferred| {
            let mut next: Vec<_> = (0..9).map(|id| due(Form::ByteId, id)).collect();
            next.push(due(Form::DoubleId, 20));
            let seen = |at| {
                let mut seen = pulse(at, 10, Some(at + 1_000), clients);
                seen.first = next.first().cloned();
                seen
            };
            Scene::default()
                .pulse(seen(-watched_ms))
                .pulse(seen(0))
                .sample(sample(next.clone(), next.clone()))
                .look(server_look(1_000, transferred, 0))
        };
        let advice = |clients, transferred| {
            let found = told(6_000, clients, transferred).found(ID).unwrap();
            found.repair.sentence.to_string()
        };
        let first = "Stop the clients that write the other format, if any still run. Then rewrite";
        assert!(advice(2, [true, true]).starts_with(first));
        assert!(advice(1, [true, true]).starts_with("Rewrite"));
        assert!(advice(2, NEWER).starts_with("Rewrite"));
        // Before a client that fails has tried again, the direction would be a guess.
        let early = |clients| match told(5_000, clients, NEWER).verdict(ID) {
            RuleVerdict::Early(open) => Some(open.words()),
            _ => None,
        };
        let words = "entries of both formats wait; checking whether clients of both \
                     versions run (1 s)";
        assert_eq!(early(2).as_deref(), Some(words));
        // And a client that it stops is none that hangs.
        let found = told(5_000, 2, NEWER).all().findings;
        assert!(
            found.iter().all(|found| found.id != id::STUCK_CLIENT),
            "{found:?}"
        );
        assert_eq!(early(1), None, "one client is of one version");
        // What it moves before it fails leaves the order list first: that is no drift.
        let mut scene = told(3_000, 2, NEWER);
        for ms in [500, 1_000, 1_500] {
            let mut seen = pulse(ms, 10, Some(ms + 1_000), 2);
            seen.order = crate::queue::Known::Is(8);
            seen.first = Some(due(Form::ByteId, 0));
            let mut after = survey(None);
            after.at = seen.at;
            scene = scene.pulse(seen).survey(after);
        }
        assert!(scene.found(id::DRIFT).is_some(), "by itself it is told");
        let found = scene.all().findings;
        assert!(found.iter().all(|found| found.id != id::DRIFT));
    }

    #[test]
    fn for_people_the_entry_is_called_by_what_it_says_and_the_sentence_by_its_id() {
        let both = vec![due(Form::ByteId, 0), due(Form::DoubleId, 1)];
        let found = scene(both, NEWER).found(ID).unwrap();
        let id = found.suspects[0].id.to_string();
        assert!(found.sentence().contains(&format!("Entry {id}, late")));
        let told = found.details_by_payload();
        assert!(
            told.starts_with(&format!("Entry hello ({id}), late")),
            "{told}"
        );
    }

    #[test]
    fn where_both_are_remembered_the_last_offered_tell() {
        let mut next: Vec<_> = (0..9).map(|id| due(Form::ByteId, id)).collect();
        next.push(due(Form::DoubleId, 20));
        let found = scene(next, [true, true]).found(ID).unwrap();
        assert_eq!(found.evidence.figures["due_before"], 9);
        assert!(
            found
                .evidence_by_payload(&RedisCli::default())
                .any(|line| line.contains("offered 9 of the last 10"))
        );
    }

    #[test]
    fn a_frame_that_passes_for_another_is_delivered_broken() {
        let id = [20, 1, 2, 3, 4, 5, 6, 0x43];
        let zeros = frame::encode(Form::DoubleId, id, &[0; 64]);
        let found = scene(vec![judged(&zeros, Some(-10))], NEWER).found(ID);
        assert!(found.unwrap().sentence().contains("get broken payloads"));
    }

    #[test]
    fn a_frame_of_a_server_with_short_longs_is_one_too() {
        let short = frame::encode(Form::ByteIdShort, [9; 8], b"hello");
        let found = scene(vec![judged(&short, Some(-10))], NEWER).found(ID);
        assert!(found.unwrap().sentence().contains("other lengths"));
    }

    #[test]
    fn what_other_queues_clients_or_those_before_an_upgrade_have_transferred_tells_nothing() {
        let older = |ms| framed(Form::DoubleId, 1, Some(ms));
        let pulse_at = |at: i64, clients| {
            let mut seen = pulse(at, 1, None, clients);
            seen.first = Some(older(2_000));
            seen
        };
        let sampled = || {
            Scene::default()
                .pulse(pulse_at(0, 1))
                .sample(sample(vec![older(2_000)], vec![older(2_000)]))
        };
        // Looked at before they were offered, or about as they were.
        let early = sampled().look(server_look(900, NEWER, 0));
        assert_eq!(early.verdict(ID), RuleVerdict::Fine);
        let later = |clients| {
            let look = server_look(1_000, NEWER, 0);
            sampled().look(look).pulse(pulse_at(1_000, clients))
        };
        assert_eq!(later(0).verdict(ID), RuleVerdict::Fine);
        assert_eq!(later(1).found(ID).unwrap().severity, Severity::Warning);
        // It stands although somebody is there.
        let stuck = early.pulse(pulse_at(2_500, 1)).pulse(pulse_at(3_000, 1));
        assert_eq!(stuck.found(ID).unwrap().severity, Severity::Critical);
    }

    #[test]
    fn what_has_left_since_the_sample_is_not_told() {
        let sick = scene(vec![due(Form::DoubleId, 0), due(Form::ByteId, 1)], NEWER);
        let mut seen = pulse(2_000, 1, Some(3_000), 1);
        seen.first = Some(due(Form::ByteId, 1));
        let well = sick.pulse(seen);
        assert_eq!(well.verdict(ID), RuleVerdict::Fine);
    }

    #[test]
    fn an_entry_that_has_come_to_the_head_since_is_judged_at_once() {
        let well = scene(vec![due(Form::ByteId, 1)], NEWER);
        let mut seen = pulse(2_000, 2, Some(3_000), 1);
        seen.first = Some(due(Form::DoubleId, 0));
        let sick = well.pulse(seen);
        assert!(
            sick.found(ID)
                .unwrap()
                .headline
                .ends_with("blocks this queue.")
        );
    }
}
