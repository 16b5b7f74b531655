//! One diagnosed problem: what is wrong, the evidence, and what repairs it. And the rules that find
//! them: pure, over what pulses and surveys have seen. A rule is a file here, its name
//! in [`id`] and its line in [`RULES`].

mod advice;
mod blocker;
mod causes;
mod clients;
mod clock_skew;
mod cross_slot;
mod diagnosis;
mod drift;
mod duplicates;
mod evictable;
mod evidence;
mod facts;
mod falling_behind;
mod far_future;
mod flow;
mod foreign_member;
mod found;
mod framed_target;
mod heads;
mod held;
mod lagging_replicas;
mod ledger;
mod mixed_fleet;
mod mixed_frames;
mod name_collision;
mod no_transfer_client;
mod nothing_consumed;
mod open;
mod own_worker;
mod past;
mod poison;
mod quarantined;
mod recovery;
mod refused_writes;
mod score_range;
mod set_aside;
mod slow_transfer;
mod split_view;
mod stuck_client;
mod stuck_migration;
mod target_backlog;
mod trend;
mod ttl;
mod watch;
mod wrong_announcement;
mod wrong_type;

use serde_json::Value;

use super::look::ServerWatch;
use super::{Pulse, Queue, Survey};
pub use advice::{Act, Advice};
pub use blocker::{Blocker, blocked_by};
pub use causes::may_wait_for_the_server;
pub use diagnosis::Diagnosis;
pub use evidence::{Evidence, Remedy, Step};
pub use facts::{QueueFacts, RuleVerdict};
pub use falling_behind::worked_off_in_ms;
pub use found::{Finding, FindingEnd, HEADLINE_COLUMNS, Severity, Suspect};
pub use open::OpenQuestion;
pub use past::PassedFinding;
pub use recovery::Aftermath;
pub use trend::Trend;
pub use watch::{Beat, Departure, LastingHead, Watch};

/// Watched for so long, in ms, every rule has decided: those that need longest take half a minute,
/// and the first and the last look lie a little less apart than was asked for.
pub const DECIDED_MS: u64 = 35_000;

/// A rule.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Its name, such as `wrong-type`.
    pub id: &'static str,
    /// Its problem in two or three words.
    short: &'static str,
    look: fn(&QueueFacts) -> RuleVerdict,
    /// Its critical findings stop every transfer, kicked or not.
    stops_transfers: bool,
    /// It goes by what a look at the server says, of things that move: while it has something to
    /// say, looks are taken more often.
    watches_server: bool,
}

impl Rule {
    const fn new(
        id: &'static str,
        short: &'static str,
        look: fn(&QueueFacts) -> RuleVerdict,
    ) -> Self {
        Self {
            id,
            short,
            look,
            stops_transfers: false,
            watches_server: false,
        }
    }

    const fn stops_transfers(mut self) -> Self {
        self.stops_transfers = true;
        self
    }

    const fn watches_server(mut self) -> Self {
        self.watches_server = true;
        self
    }

    /// Returns two or three words for the problem that the rule with this id looks for.
    #[must_use]
    pub fn looks_for(id: &str) -> &str {
        Self::named(id).map_or(id, |rule| rule.short)
    }

    /// The rule with that name.
    fn named(id: &str) -> Option<&'static Self> {
        RULES.iter().find(|rule| rule.id == id)
    }
}

impl Finding {
    /// It tells of transfers of what is due that keep the server from all else, so other queues wait
    /// for it. Those of a burst that is to come do not yet.
    #[must_use]
    pub fn keeps_the_server(&self) -> bool {
        let late = self.evidence.figures.get("late").and_then(Value::as_u64);
        let slow = self.id == id::SLOW_TRANSFER && self.severity > Severity::Note;
        slow && late > Some(0) && self.ends.is_none()
    }

    /// It tells of transfers that are slow, or will be: not only of a burst that is over.
    #[must_use]
    pub fn is_slow_now(&self) -> bool {
        self.id == id::SLOW_TRANSFER && self.evidence.figures.contains_key("block_ms")
    }

    /// The other finding of the same queue follows from it. What comes of another queue's slow
    /// transfers does not follow from a burst of its own that is over.
    #[must_use]
    pub fn is_cause_of(&self, effect: &Self) -> bool {
        let of_burst = self.id == id::SLOW_TRANSFER && !self.is_slow_now();
        Some(self.id) == effect.follows && !of_burst
    }

    /// It tells that nobody transfers: what would be slow keeps no server. (Who is amid a slow
    /// transfer looks stuck.)
    #[must_use]
    pub fn is_of_nobody(&self) -> bool {
        self.id == id::NO_TRANSFER_CLIENT
    }

    /// The problem in two or three words, for a header.
    #[must_use]
    pub fn short(&self) -> &'static str {
        Rule::named(self.id).map_or(self.id, |rule| rule.short)
    }

    /// It tells of an entry at which every transfer fails, so that those before it are delivered
    /// again and again.
    #[must_use]
    pub fn redelivers(&self) -> bool {
        let blocks = self.stops_transfers() || self.follows == Some(id::MIXED_FLEET);
        [id::POISON, id::FOREIGN_MEMBER].contains(&self.id) && blocks
    }

    /// It tells of something at which every transfer fails.
    #[must_use]
    pub fn stops_transfers(&self) -> bool {
        self.severity == Severity::Critical
            && Rule::named(self.id).is_some_and(|rule| rule.stops_transfers)
    }
}

/// The names of the rules, as they stand in JSON.
#[expect(
    missing_docs,
    reason = "each is the name of the rule whose file has it"
)]
pub mod id {
    pub const REFUSED_WRITES: &str = "refused-writes";
    pub const STUCK_MIGRATION: &str = "stuck-migration";
    pub const SPLIT_VIEW: &str = "split-view";
    pub const LAGGING_REPLICAS: &str = "lagging-replicas";
    pub const WRONG_TYPE: &str = "wrong-type";
    pub const MIXED_FLEET: &str = "mixed-fleet";
    pub const POISON: &str = "poison";
    pub const FOREIGN_MEMBER: &str = "foreign-member";
    pub const NO_TRANSFER_CLIENT: &str = "no-transfer-client";
    pub const SCORE_RANGE: &str = "score-range";
    pub const STUCK_CLIENT: &str = "stuck-client";
    pub const WRONG_ANNOUNCEMENT: &str = "wrong-announcement";
    pub const MIXED_FRAMES: &str = "mixed-frames";
    pub const SLOW_TRANSFER: &str = "slow-transfer";
    pub const DRIFT: &str = "drift";
    pub const SET_ASIDE: &str = "set-aside";
    pub const HELD: &str = "held";
    pub const QUARANTINED: &str = "quarantined";
    pub const CLOCK_SKEW: &str = "clock-skew";
    pub const FALLING_BEHIND: &str = "falling-behind";
    pub const OWN_WORKER: &str = "own-worker";
    pub const TTL: &str = "ttl";
    pub const EVICTABLE: &str = "evictable";
    pub const NOTHING_CONSUMED: &str = "nothing-consumed";
    pub const FRAMED_TARGET: &str = "framed-target";
    pub const TARGET_BACKLOG: &str = "target-backlog";
    pub const CROSS_SLOT: &str = "cross-slot";
    pub const NAME_COLLISION: &str = "name-collision";
    pub const FAR_FUTURE: &str = "far-future";
    pub const DUPLICATES: &str = "duplicates";
}

/// All rules, causes before what they cause: of equally bad findings the first comes first.
pub const RULES: &[Rule] = &[
    // Where the server refuses writes, no other repair can be made.
    Rule::new(id::REFUSED_WRITES, "writes refused", refused_writes::look)
        .stops_transfers()
        .watches_server(),
    Rule::new(
        id::STUCK_MIGRATION,
        "slot half moved",
        stuck_migration::look,
    )
    .stops_transfers()
    .watches_server(),
    Rule::new(id::SPLIT_VIEW, "two masters", split_view::look).watches_server(),
    Rule::new(id::WRONG_TYPE, "key of wrong type", wrong_type::look).stops_transfers(),
    Rule::new(id::MIXED_FLEET, "two Redisson versions", mixed_fleet::look)
        .stops_transfers()
        .watches_server(),
    Rule::new(id::POISON, "unreadable entry", poison::look)
        .stops_transfers()
        .watches_server(),
    Rule::new(
        id::FOREIGN_MEMBER,
        "entry without frame",
        foreign_member::look,
    )
    .stops_transfers(),
    Rule::new(
        id::NO_TRANSFER_CLIENT,
        "no client",
        no_transfer_client::look,
    ),
    Rule::new(id::SCORE_RANGE, "bad due times", score_range::look),
    Rule::new(
        id::STUCK_CLIENT,
        "clients do not transfer",
        stuck_client::look,
    )
    .watches_server(),
    Rule::new(
        id::WRONG_ANNOUNCEMENT,
        "clients sleep too long",
        wrong_announcement::look,
    ),
    Rule::new(
        id::MIXED_FRAMES,
        "entries in two formats",
        mixed_frames::look,
    )
    .watches_server(),
    Rule::new(id::SLOW_TRANSFER, "slow transfers", slow_transfer::look),
    Rule::new(id::DRIFT, "order list differs", drift::look),
    Rule::new(id::SET_ASIDE, "order list incomplete", set_aside::look),
    Rule::new(id::HELD, "dead consumer", held::look),
    Rule::new(id::QUARANTINED, "quarantine", quarantined::look),
    Rule::new(id::CLOCK_SKEW, "clocks differ", clock_skew::look),
    Rule::new(
        id::FALLING_BEHIND,
        "transfers too slow",
        falling_behind::look,
    ),
    Rule::new(id::OWN_WORKER, "only our worker", own_worker::look),
    Rule::new(id::TTL, "keys expire", ttl::look),
    Rule::new(id::EVICTABLE, "keys may be dropped", evictable::look),
    Rule::new(
        id::NOTHING_CONSUMED,
        "nothing consumed",
        nothing_consumed::look,
    )
    .watches_server(),
    Rule::new(
        id::FRAMED_TARGET,
        "unreadable in target",
        framed_target::look,
    ),
    Rule::new(id::TARGET_BACKLOG, "target grows", target_backlog::look).watches_server(),
    Rule::new(
        id::LAGGING_REPLICAS,
        "replica behind",
        lagging_replicas::look,
    )
    .watches_server(),
    Rule::new(id::CROSS_SLOT, "keys in two slots", cross_slot::look),
    Rule::new(id::NAME_COLLISION, "shared keys", name_collision::look),
    Rule::new(id::DUPLICATES, "copies in target", duplicates::look),
    Rule::new(id::FAR_FUTURE, "due in decades", far_future::look),
];

/// Asks all rules of one pulse (and survey), with nothing before it.
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

/// Tells whether a rule that has something to say goes by looks at the server: the newest shall
/// decide.
fn presses(said: &Diagnosis) -> bool {
    let found = said.findings.iter().map(|found| found.id);
    let early = said.early.iter().map(|(id, _)| *id);
    let mut ids = found.chain(early);
    ids.any(|id| Rule::named(id).is_some_and(|rule| rule.watches_server))
}

/// Asks all rules of what was read last, which `watch` has taken note of, and says since when and
/// whether it gets worse.
pub fn diagnose(
    queue: &Queue,
    (pulse, survey): (Option<&Pulse>, Option<&Survey>),
    watch: &mut Watch,
    server: &ServerWatch,
) -> Diagnosis {
    let server = server.of(queue);
    let mut said = look(&QueueFacts {
        queue,
        pulse,
        survey,
        watch,
        server,
    });
    watch.presses = presses(&said);
    duplicates::note(watch, &said, pulse);
    slow_transfer::note(watch, &said, pulse);
    let times = [pulse.map(|p| p.at), survey.map(|s| s.at)];
    match times.into_iter().flatten().max() {
        Some(at) => {
            recovery::note(watch, &said, at);
            let all = !watch.is_read_again(times) || watch.is_back_again();
            watch.ledger.hold(&mut said, all);
            watch.ledger.repaired = recovery::repaired(watch);
            watch.ledger.enter(said, at)
        }
        None => said,
    }
}

/// Asks all rules.
#[must_use]
fn look(seen: &QueueFacts) -> Diagnosis {
    let mut all = Diagnosis::default();
    for rule in RULES {
        match (rule.look)(seen) {
            RuleVerdict::Fine => all.fine += 1,
            RuleVerdict::Found(mut finding) => {
                if let Some(node) = &seen.server.node {
                    finding.seen_at(node);
                }
                all.findings.push(finding);
            }
            RuleVerdict::Blind(why) => all.blind.push((rule.id, why)),
            RuleVerdict::Early(open) => all.early.push((rule.id, open)),
            RuleVerdict::Kept => {
                all.fine += 1;
                all.kept.push(rule.id);
            }
            RuleVerdict::Silent => {}
        }
    }
    causes::settle(seen, &mut all);
    all
}

#[cfg(test)]
pub(crate) mod tests;
