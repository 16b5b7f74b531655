//! One diagnosed problem: what is wrong, the evidence, and what repairs it. And the rules that find
//! them: pure, over what pulses and surveys have seen. A rule is a file here and a line in
//! [`RULES`].

mod causes;
mod clients;
mod clock_skew;
mod cross_slot;
mod drift;
mod evictable;
mod evidence;
mod falling_behind;
mod flow;
mod foreign_member;
mod found;
mod framed_target;
mod heads;
mod held;
mod ledger;
mod mixed_fleet;
mod mixed_frames;
mod name_collision;
mod no_transfer_client;
mod nothing_consumed;
mod open;
mod own_worker;
mod passed;
mod poison;
mod quarantined;
mod recovery;
mod refused_writes;
mod score_range;
mod set_aside;
mod severity;
mod slow_transfer;
mod stuck_client;
mod target_backlog;
mod ttl;
mod watch;
mod wrong_announcement;
mod wrong_type;

use super::look::ServerWatch;
use super::{Pulse, Queue, Survey};
pub use evidence::{Evidence, Repair, Step};
pub use falling_behind::worked_off_in_ms;
pub use found::Finding;
pub use ledger::Trend;
pub use open::Open;
pub use passed::Passed;
pub use severity::Severity;
pub use watch::{Beat, Departure, Still, Watch};

/// What is known of a queue when the rules are asked.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// Which queue.
    pub queue: &'a Queue,
    /// The last pulse.
    pub pulse: Option<&'a Pulse>,
    /// The last survey.
    pub survey: Option<&'a Survey>,
    /// What the pulses and surveys up to these have shown.
    pub watch: &'a Watch,
    /// What is known of the server.
    pub server: &'a ServerWatch,
}

/// Watched for so long, in ms, every rule has decided: those that need longest take half a minute,
/// and the first and the last look lie a little less apart than was asked for.
pub const DECIDED_MS: u64 = 35_000;

/// What a rule has to say.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// Nothing is wrong.
    Fine,
    /// This is wrong.
    Found(Finding),
    /// It cannot look: the server refuses what it needs, in these words.
    Blind(String),
    /// It needs more time.
    Early(Open),
    /// Nothing yet, or nothing ever: what it looks at has not been read, or this layout has none.
    Silent,
}

/// A rule.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Its name, such as `wrong-type`.
    pub id: &'static str,
    look: fn(&Seen) -> Verdict,
}

impl Rule {
    const fn new(id: &'static str, look: fn(&Seen) -> Verdict) -> Self {
        Self { id, look }
    }
}

/// All rules, causes before what they cause: of equally bad findings the first comes first.
pub const RULES: &[Rule] = &[
    // Where the server refuses writes, no other repair can be made.
    Rule::new(refused_writes::ID, refused_writes::look),
    Rule::new(wrong_type::ID, wrong_type::look),
    Rule::new(mixed_fleet::ID, mixed_fleet::look),
    Rule::new(poison::ID, poison::look),
    Rule::new(foreign_member::ID, foreign_member::look),
    Rule::new(no_transfer_client::ID, no_transfer_client::look),
    Rule::new(score_range::ID, score_range::look),
    Rule::new(stuck_client::ID, stuck_client::look),
    Rule::new(wrong_announcement::ID, wrong_announcement::look),
    Rule::new(mixed_frames::ID, mixed_frames::look),
    Rule::new(slow_transfer::ID, slow_transfer::look),
    Rule::new(drift::ID, drift::look),
    Rule::new(set_aside::ID, set_aside::look),
    Rule::new(held::ID, held::look),
    Rule::new(quarantined::ID, quarantined::look),
    Rule::new(clock_skew::ID, clock_skew::look),
    Rule::new(falling_behind::ID, falling_behind::look),
    Rule::new(own_worker::ID, own_worker::look),
    Rule::new(ttl::ID, ttl::look),
    Rule::new(evictable::ID, evictable::look),
    Rule::new(nothing_consumed::ID, nothing_consumed::look),
    Rule::new(framed_target::ID, framed_target::look),
    Rule::new(target_backlog::ID, target_backlog::look),
    Rule::new(cross_slot::ID, cross_slot::look),
    Rule::new(name_collision::ID, name_collision::look),
];

/// What all rules together say of a queue.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Diagnosis {
    /// What is wrong, worst first.
    pub findings: Vec<Finding>,
    /// How many rules found nothing wrong.
    pub fine: usize,
    /// The rules that cannot look, and why.
    pub blind: Vec<(&'static str, String)>,
    /// The rules that need more time.
    pub early: Vec<(&'static str, Open)>,
    /// What was wrong until a moment ago.
    pub gone: Vec<Finding>,
}

/// The rules that go by what a look at the server says, of things that move: while one of them has
/// something to say, looks are taken more often.
const LOOKING: [&str; 7] = [
    refused_writes::ID,
    mixed_fleet::ID,
    poison::ID,
    stuck_client::ID,
    mixed_frames::ID,
    nothing_consumed::ID,
    target_backlog::ID,
];

impl Diagnosis {
    /// What is not decided yet: what rules ask, and what is only suspected.
    pub fn open(&self) -> impl Iterator<Item = &Open> {
        let suspected = self
            .findings
            .iter()
            .filter_map(|found| found.open.as_deref());
        self.early.iter().map(|(_, open)| open).chain(suspected)
    }

    /// What is wrong, or may be, shall be told by the newest look at the server.
    fn presses(&self) -> bool {
        let found = self.findings.iter().map(|found| found.id);
        let early = self.early.iter().map(|(id, _)| *id);
        found.chain(early).any(|id| LOOKING.contains(&id))
    }
}

/// What the rules say of one pulse (and survey), with nothing before it.
#[must_use]
pub fn once(queue: &Queue, pulse: &Pulse, survey: Option<&Survey>) -> Diagnosis {
    let mut watch = Watch::default();
    watch.saw(pulse);
    if let Some(survey) = survey {
        watch.surveyed(survey);
    }
    diagnose(
        queue,
        (Some(pulse), survey),
        &mut watch,
        &ServerWatch::default(),
    )
}

/// Asks all rules of what was read last, which `watch` has taken note of, and says since when and
/// whether it gets worse.
pub fn diagnose(
    queue: &Queue,
    (pulse, survey): (Option<&Pulse>, Option<&Survey>),
    watch: &mut Watch,
    server: &ServerWatch,
) -> Diagnosis {
    let mut said = look(&Seen {
        queue,
        pulse,
        survey,
        watch,
        server,
    });
    watch.presses = said.presses();
    let times = [pulse.map(|p| p.at), survey.map(|s| s.at)];
    match times.into_iter().flatten().max() {
        Some(at) => {
            recovery::note(watch, &said, at);
            if !watch.is_read_again(times) {
                watch.ledger.hold(&mut said);
            }
            watch.ledger.enter(said, at)
        }
        None => said,
    }
}

/// Asks all rules.
#[must_use]
fn look(seen: &Seen) -> Diagnosis {
    let mut all = Diagnosis::default();
    for rule in RULES {
        match (rule.look)(seen) {
            Verdict::Fine => all.fine += 1,
            Verdict::Found(finding) => all.findings.push(finding),
            Verdict::Blind(why) => all.blind.push((rule.id, why)),
            Verdict::Early(open) => all.early.push((rule.id, open)),
            Verdict::Silent => {}
        }
    }
    causes::settle(seen, &mut all);
    all
}

#[cfg(test)]
pub(crate) mod tests;
