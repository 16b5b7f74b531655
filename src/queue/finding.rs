//! One diagnosed problem: what is wrong, the evidence, and what repairs it. And the rules that find
//! them: pure, over what pulses and surveys have seen. A rule is a file here and a line in [`RULES`].

mod no_transfer_client;
mod set_aside;
mod wrong_type;

use std::cmp::Reverse;

use super::{Known, Pulse, Queue, Survey, redis_cli};
use crate::clock::EpochMillis;

/// How bad it is.
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

/// One diagnosed problem of a queue.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Finding {
    /// Which rule found it, such as `wrong-type`.
    pub id: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, in one plain sentence.
    pub sentence: String,
    /// Figures and redis-cli commands that show it, a line each.
    pub evidence: Vec<String>,
    /// What repairs it, in one plain sentence.
    pub repair: String,
}

/// What is known of a queue when the rules are asked.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// Which queue.
    pub queue: &'a Queue,
    /// The last pulse.
    pub pulse: Option<&'a Pulse>,
    /// The last survey.
    pub survey: Option<&'a Survey>,
    /// What the pulses up to this one have shown.
    pub watch: Watch,
}

impl<'a> Seen<'a> {
    /// One pulse, and nothing before it.
    #[must_use]
    pub fn of(queue: &'a Queue, pulse: &'a Pulse) -> Self {
        let mut watch = Watch::default();
        watch.saw(pulse);
        Self {
            queue,
            pulse: Some(pulse),
            survey: None,
            watch,
        }
    }
}

/// What has to be remembered from one pulse to the next, since some rules need two looks.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Watch {
    /// The first and the last of the pulses in a row that saw nobody subscribed, by the server's
    /// clock.
    pub unattended: Option<(EpochMillis, EpochMillis)>,
    /// How much of the order list was aside in the last survey, and since when that is so, by the
    /// server's clock.
    pub aside: Option<(u64, EpochMillis)>,
    /// A change of this program is under way at this queue.
    pub changing: bool,
}

impl Watch {
    /// A pulse has been read.
    pub fn saw(&mut self, pulse: &Pulse) {
        self.unattended = match pulse.transfer_clients {
            Known::Is(0) => {
                let first = self.unattended.map_or(pulse.at, |(first, _)| first);
                // A clock that was set back begins anew.
                Some((first.min(pulse.at), pulse.at))
            }
            _ => None,
        };
    }

    /// A survey has been read.
    pub fn surveyed(&mut self, survey: &Survey) {
        self.aside = survey.aside.map(|length| match self.aside {
            // A clock that was set back begins anew.
            Some((before, since)) if before == length => (length, since.min(survey.at)),
            _ => (length, survey.at),
        });
    }
}

/// What a rule has to say.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Verdict {
    /// Nothing is wrong.
    Fine,
    /// This is wrong.
    Found(Finding),
    /// It cannot look: the server refuses what it needs, in these words.
    Blind(String),
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

/// All rules.
pub const RULES: &[Rule] = &[
    Rule {
        id: wrong_type::ID,
        look: wrong_type::look,
    },
    Rule {
        id: no_transfer_client::ID,
        look: no_transfer_client::look,
    },
    Rule {
        id: set_aside::ID,
        look: set_aside::look,
    },
];

/// What all rules together say of a queue.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Diagnosis {
    /// What is wrong, worst first.
    pub findings: Vec<Finding>,
    /// How many rules found nothing wrong.
    pub fine: usize,
    /// The rules that cannot look, and why.
    pub blind: Vec<(&'static str, String)>,
}

/// Asks all rules.
#[must_use]
pub fn look(seen: &Seen) -> Diagnosis {
    let mut all = Diagnosis::default();
    for rule in RULES {
        match (rule.look)(seen) {
            Verdict::Fine => all.fine += 1,
            Verdict::Found(finding) => all.findings.push(finding),
            Verdict::Blind(why) => all.blind.push((rule.id, why)),
            Verdict::Silent => {}
        }
    }
    all.findings.sort_by_key(|found| Reverse(found.severity));
    all
}

/// A line of evidence: a redis-cli command about `key`.
fn command(words: &[&str], key: &[u8]) -> String {
    let words = words.iter().map(|word| word.as_bytes());
    let args: Vec<&[u8]> = words.chain([key]).collect();
    redis_cli::line("redis-cli", &args)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::queue::Due;

    /// The server's time of the first pulse.
    pub(crate) const START: EpochMillis = EpochMillis::new(1_700_000_000_000);

    /// A pulse at `ms` after the start: so many entries, the oldest late by that, so many clients.
    pub(crate) fn pulse(ms: i64, waiting: u64, late_ms: Option<i64>, clients: u64) -> Pulse {
        let at = START.plus(ms);
        let oldest_late = late_ms.map(|late| at.plus(-late));
        Pulse {
            at,
            waiting: Known::Is(waiting),
            late: Known::Is(u64::from(late_ms.is_some())),
            head: oldest_late.map(Due::At),
            oldest_late,
            next: None,
            order: Known::Is(waiting),
            target: Known::Is(0),
            transfer_clients: Known::Is(clients),
            beside_bytes: 0,
            page: None,
            server_us: 0,
        }
    }

    /// A survey that saw nothing but so many members set aside.
    pub(crate) fn survey(aside: Option<u64>) -> Survey {
        Survey {
            at: START,
            zoom: None,
            scale: None,
            no_time: 0,
            bars: Vec::new(),
            beyond: 0,
            late: [0; 4],
            handing_over: 0,
            classes: [0; 7],
            keys: Vec::new(),
            aside,
            server_us: 0,
        }
    }

    /// What the rules say after these pulses and that survey.
    pub(crate) fn after(queue: &Queue, pulses: &[Pulse], survey: Option<&Survey>) -> Diagnosis {
        let mut watch = Watch::default();
        for pulse in pulses {
            watch.saw(pulse);
        }
        if let Some(survey) = survey {
            watch.surveyed(survey);
        }
        look(&Seen {
            queue,
            pulse: pulses.last(),
            survey,
            watch,
        })
    }

    #[test]
    fn a_healthy_queue_is_proven_to_be_so() {
        let pulses = [pulse(0, 5, None, 2), pulse(2_000, 5, None, 2)];
        let said = after(&Queue::redisson("q"), &pulses, Some(&survey(None)));
        assert_eq!((said.findings.len(), said.fine), (0, RULES.len()));
    }

    #[test]
    fn before_the_first_pulse_nothing_is_said() {
        let said = after(&Queue::redisson("q"), &[], None);
        assert_eq!(said, Diagnosis::default());
    }

    #[test]
    fn the_worst_finding_comes_first() {
        let mut last = pulse(40_000, 5, None, 0);
        last.order = Known::Unknown("WRONGTYPE Operation against a key".into());
        let said = after(&Queue::redisson("q"), &[pulse(0, 5, None, 0), last], None);
        let ids: Vec<_> = said.findings.iter().map(|f| f.id).collect();
        assert_eq!(ids, ["wrong-type", "no-transfer-client"]);
    }
}
