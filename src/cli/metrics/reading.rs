//! One reading of the queues, as metrics.

use std::collections::HashSet;
use std::time::Duration;

use super::Exposition;
use super::exposition::MetricKind::{Counter, Gauge, Histogram};
use crate::ops::doctor::Examination;
use crate::queue::finding::Diagnosis;
use crate::queue::lateness::BUCKETS_MS;
use crate::queue::{Due, EntryId, Known, Link, ServerWatch, Severity, text};

/// The queues at one moment, what the rules say of each, and what the reading cost.
pub(super) struct MetricsReading<'a> {
    pub(super) link: Link,
    pub(super) server: &'a ServerWatch,
    pub(super) queues: Vec<(&'a Examination, &'a Diagnosis)>,
    /// Queues that were found, told or not.
    pub(super) found: usize,
    /// Nodes of the cluster that do not answer: their queues are not told.
    pub(super) away: &'a [String],
    pub(super) took: Duration,
}

/// The spans of `due_within`, with the classes of due times that each takes in.
const WITHIN: [(&str, usize); 5] = [("10s", 1), ("60s", 2), ("10m", 3), ("1h", 4), ("24h", 6)];

/// The errors by which a server refuses writes: its memory is full, its disk does not take what it
/// saves, it is a replica, or lacks its own.
const REFUSALS: [&str; 4] = ["OOM", "MISCONF", "READONLY", "NOREPLICAS"];

/// The text while the server does not answer.
pub(super) fn away() -> String {
    let mut out = Exposition::default();
    begin(&mut out, false);
    out.text()
}

fn begin(out: &mut Exposition, up: bool) {
    let help = "Whether the server has answered this reading.";
    out.family("up", Gauge, help)
        .add(&[], f64::from(u8::from(up)));
    let version = [("version", env!("CARGO_PKG_VERSION"))];
    let help = "The version of delayscope.";
    out.family("build_info", Gauge, help).add(&version, 1.0);
}

impl MetricsReading<'_> {
    /// All of it.
    pub(super) fn text(&self) -> String {
        let mut out = Exposition::default();
        begin(&mut out, true);
        self.cost(&mut out);
        self.server(&mut out);
        self.entries(&mut out);
        self.times(&mut out);
        self.lateness(&mut out);
        self.clients(&mut out);
        self.drift(&mut out);
        self.undecodable(&mut out);
        self.findings(&mut out);
        out.text()
    }

    fn cost(&self, out: &mut Exposition) {
        let cost = &self.link.cost;
        let help = "Seconds that this reading took.";
        out.family("scrape_duration_seconds", Gauge, help)
            .add(&[], self.took.as_secs_f64());
        let help = "Commands sent to the server since the start.";
        out.family("commands_total", Counter, help)
            .add(&[], whole(cost.commands));
        let help = "Seconds of the server's time that these commands took.";
        out.family("server_seconds_total", Counter, help)
            .add(&[], whole(cost.server_us) / 1e6);
        let help = "Queues that were found.";
        out.family("queues_found", Gauge, help)
            .add(&[], whole(self.found as u64));
        let omitted = self.found.saturating_sub(self.queues.len());
        let help = "Queues that were found and are not told here: beyond --limit, or they could not \
                    be read.";
        out.family("queues_omitted", Gauge, help)
            .add(&[], whole(omitted as u64));
        let help = "1 for each node of the cluster that does not answer: its queues are not told.";
        let mut family = out.family("node_away", Gauge, help);
        for node in self.away {
            family.add(&[("node", node)], 1.0);
        }
    }

    fn server(&self, out: &mut Exposition) {
        let looks = self.server.last_looks();
        let clients: Option<Vec<_>> = looks.map(|(_, look)| look.clients.get_ref()).collect();
        let help = "Clients that wait in a command which blocks, such as the consumers of target \
                    lists; absent where CLIENT LIST is refused.";
        let mut family = out.family("blocked_clients", Gauge, help);
        if let Some(clients) = clients.filter(|all| !all.is_empty()) {
            let blocked = clients.iter().map(|clients| clients.blocked);
            family.add(&[], whole(blocked.sum()));
        }
        let help = "Seconds by which the clock of this machine is ahead of the server's.";
        let mut family = out.family("clock_skew_seconds", Gauge, help);
        if let Some(clock) = self.link.clock {
            family.add(&[], seconds(clock.skew_ms()));
        }
        let help = "Commands that the server has refused since its start, by the error: its memory \
                    is full (OOM), its disk takes nothing (MISCONF), it is a replica (READONLY) or \
                    lacks its own (NOREPLICAS). Absent before Redis 6.2.";
        let mut family = out.family("refused_writes", Counter, help);
        for (node, look) in self.server.last_looks() {
            for code in REFUSALS {
                let count = look.info.get_ref().and_then(|info| info.errors(code));
                let Some(count) = count else { continue };
                // Each node counts for itself: a sum would fall when one is restarted.
                match node {
                    Some(node) => family.add(&[("node", node), ("error", code)], whole(count)),
                    None => family.add(&[("error", code)], whole(count)),
                }
            }
        }
    }

    /// Each queue that was read, with its labels.
    fn each(&self) -> impl Iterator<Item = (&Examination, &Diagnosis, [(&str, String); 2])> {
        self.queues.iter().map(|(one, said)| {
            let queue = one.queue();
            let name = text::printable_bytes(queue.name.as_bytes());
            let layout = queue.layout.word().to_owned();
            (*one, *said, [("queue", name), ("layout", layout)])
        })
    }

    fn entries(&self, out: &mut Exposition) {
        let help = "Entries by state. Late ones are counted as waiting too; delivered: in the \
                    target list; order: in the order list. A figure that cannot be read is absent.";
        let mut family = out.family("queue_entries", Gauge, help);
        for (one, _, labels) in self.each() {
            let Some(pulse) = one.pulse() else { continue };
            let quarantined = one.survey().and_then(|survey| survey.quarantined);
            let states = [
                ("waiting", pulse.waiting.get()),
                ("late", pulse.late.get()),
                ("delivered", pulse.target.get()),
                ("order", pulse.order.get()),
                ("quarantined", quarantined),
            ];
            for (state, count) in states {
                if let Some(count) = count {
                    family.add(&with(&labels, "state", state), whole(count));
                }
            }
        }
        let help = "Entries that fall due within this time, the shorter spans included.";
        let mut family = out.family("queue_due_within_entries", Gauge, help);
        for (one, _, labels) in self.each() {
            let Some(survey) = one.survey() else { continue };
            for (within, classes) in WITHIN {
                let count: u64 = survey.classes[..classes].iter().sum();
                family.add(&with(&labels, "within", within), whole(count));
            }
        }
    }

    fn times(&self, out: &mut Exposition) {
        let help = "Seconds by which the oldest late entry is late; 0 when none is.";
        let mut family = out.family("queue_late_seconds", Gauge, help);
        for (one, _, labels) in self.each() {
            let Some(pulse) = one.pulse().filter(|pulse| pulse.late.get().is_some()) else {
                continue;
            };
            let late = pulse
                .oldest_late
                .map_or(0, |due| pulse.at.since(due).max(0));
            family.add(&short(&labels), seconds(late));
        }
        let help = "When the next entry falls due, in seconds since the epoch; absent when none \
                    waits.";
        let mut family = out.family("queue_next_due_timestamp_seconds", Gauge, help);
        for (one, _, labels) in self.each() {
            let next = one.pulse().and_then(|pulse| pulse.next).and_then(Due::at);
            if let Some(next) = next {
                family.add(&short(&labels), seconds(next.get()));
            }
        }
    }

    fn lateness(&self, out: &mut Exposition) {
        let help = "Seconds after their due time at which entries left timeouts, as readings saw \
                    it: between two of them. bound=least: so late at least; bound=most: at most.";
        let mut family = out.family("delivery_lateness_seconds", Histogram, help);
        for (one, _, labels) in self.each() {
            let lateness = one.lateness();
            for (bound, counts) in [("least", &lateness.least), ("most", &lateness.most)] {
                let within = BUCKETS_MS.iter().zip(counts.within);
                let within: Vec<(f64, f64)> = within
                    .map(|(edge, count)| (seconds(*edge), whole(count)))
                    .collect();
                let all = (whole(counts.count), whole(counts.sum_ms) / 1_000.0);
                family.histogram(&with(&labels, "bound", bound), &within, all);
            }
        }
    }

    fn clients(&self, out: &mut Exposition) {
        let help = "Clients that transfer what is due; absent where the layout has none, or they \
                    cannot be counted.";
        let mut family = out.family("queue_transfer_clients", Gauge, help);
        for (one, _, labels) in self.each() {
            let count = one.pulse().map(|pulse| &pulse.transfer_clients);
            if let Some(count) = count.and_then(Known::get) {
                family.add(&short(&labels), whole(count));
            }
        }
    }

    fn drift(&self, out: &mut Exposition) {
        let help = "Entries that stand on one side only: in timeouts or in the order list. Absent \
                    until all entries have been compared; until then `doctor` tells.";
        let mut family = out.family("queue_drift_entries", Gauge, help);
        for (one, _, labels) in self.each() {
            let exact = one.exact().and_then(|exact| exact.drift.as_ref());
            if let Some(drift) = exact.filter(|drift| !drift.aside) {
                family.add(
                    &with(&labels, "side", "timeouts"),
                    whole(drift.lacking.count),
                );
                family.add(&with(&labels, "side", "order"), whole(drift.strays.count));
            }
        }
    }

    /// Entries that no client can read, as far as they were sampled.
    fn undecodable(&self, out: &mut Exposition) {
        let help = "Entries of the last sample (those due next and the newest) that are no frames, \
                    so that no client can read them; absent where entries have no frames.";
        let mut family = out.family("queue_payload_undecodable_entries", Gauge, help);
        for (one, _, labels) in self.each() {
            let sample = one.sample().filter(|_| one.queue().has_frames());
            if let Some(sample) = sample {
                let all = sample.next_due.iter().chain(&sample.newest);
                let foreign = all.filter(|member| member.form.is_none()).map(|one| one.id);
                let foreign: HashSet<EntryId> = foreign.collect();
                family.add(&short(&labels), whole(foreign.len() as u64));
            }
        }
    }

    fn findings(&self, out: &mut Exposition) {
        let help = "1 for each finding: a rule (id) that has found something wrong.";
        let mut family = out.family("finding", Gauge, help);
        for (_, said, labels) in self.each() {
            for found in &said.findings {
                let severity = found.severity.word();
                let labels = [
                    ("queue", &*labels[0].1),
                    ("id", found.id),
                    ("severity", severity),
                ];
                family.add(&labels, 1.0);
            }
        }
        let help = "The worst finding: 0 none, 1 note, 2 warning, 3 critical.";
        let mut family = out.family("queue_worst_severity", Gauge, help);
        for (_, said, labels) in self.each() {
            let worst = match said.worst() {
                None => 0,
                Some(Severity::Note) => 1,
                Some(Severity::Warning) => 2,
                Some(Severity::Critical) => 3,
            };
            family.add(&short(&labels), f64::from(worst));
        }
        let help = "1 for each rule (id) that cannot look, since the server refuses what it needs.";
        let mut family = out.family("finding_blind", Gauge, help);
        for (_, said, labels) in self.each() {
            for (id, _) in &said.blind {
                family.add(&[("queue", &*labels[0].1), ("id", id)], 1.0);
            }
        }
    }
}

/// The labels of a queue.
fn short<'a>(labels: &'a [(&'a str, String); 2]) -> [(&'a str, &'a str); 2] {
    [(labels[0].0, &labels[0].1), (labels[1].0, &labels[1].1)]
}

/// The same with one more.
fn with<'a>(
    labels: &'a [(&'a str, String); 2],
    name: &'a str,
    value: &'a str,
) -> [(&'a str, &'a str); 3] {
    let [queue, layout] = short(labels);
    [queue, layout, (name, value)]
}

/// Milliseconds in seconds.
#[expect(clippy::cast_precision_loss, reason = "times are far below 2^53 ms")]
fn seconds(ms: i64) -> f64 {
    ms as f64 / 1_000.0
}

#[expect(
    clippy::cast_precision_loss,
    reason = "the format has no other numbers"
)]
fn whole(count: u64) -> f64 {
    count as f64
}
