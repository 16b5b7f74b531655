//! The bell: it rings when a problem becomes critical, for who asked for that in the configuration and
//! looks elsewhere.

use std::collections::HashSet;

use crate::queue::{Queue, Severity, text};
use crate::tui::effect::Effect;
use crate::tui::model::Model;
use crate::tui::queues::QueueRow;

/// The critical findings that have been rung for.
#[derive(Clone, Debug, Default)]
pub struct Bell {
    /// It rings at all.
    pub on: bool,
    rung: HashSet<(Queue, &'static str)>,
}

impl Bell {
    /// Tells the findings that are critical now and were not before, in one line; none when nothing
    /// is. Several at once ring once.
    fn told(&mut self, rows: &[QueueRow]) -> Option<String> {
        let critical = |row: &QueueRow| row.worst() == Some(Severity::Critical);
        if self.rung.is_empty() && !rows.iter().any(critical) {
            return None;
        }
        let mut now = HashSet::new();
        let mut first = None;
        for row in rows {
            let findings = row.findings.iter();
            for found in findings.filter(|found| found.severity == Severity::Critical) {
                let key = (row.queue.clone(), found.id);
                if first.is_none() && !self.rung.contains(&key) {
                    let queue = text::printable_bytes(row.queue.name.as_bytes());
                    let headline = text::printable(&found.headline).into_owned();
                    first = Some(format!("{queue}: {headline}"));
                }
                now.insert(key);
            }
        }
        self.rung = now;
        first
    }
}

/// Rings for what has become critical.
pub(crate) fn ring(model: &mut Model) -> Option<Effect> {
    if !model.bell.on {
        return None;
    }
    model.bell.told(&model.queues).map(Effect::Ring)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::Finding;

    fn row(name: &str, findings: &[(&'static str, Severity)]) -> QueueRow {
        let mut row = QueueRow::new(Queue::redisson(name));
        let all = findings.iter();
        row.findings = all
            .map(|(id, severity)| Finding::new(id, *severity, "It \u{1b}[5mstands."))
            .collect();
        row
    }

    #[test]
    fn it_rings_once_for_what_becomes_critical_and_again_when_that_comes_back() {
        use Severity::{Critical, Warning};
        let mut bell = Bell::default();
        let sick = || {
            vec![
                row("a", &[("ttl", Critical)]),
                row("b", &[("ttl", Critical)]),
            ]
        };
        let better = || {
            vec![
                row("a", &[("ttl", Warning)]),
                row("b", &[("ttl", Critical)]),
            ]
        };
        assert_eq!(bell.told(&[row("a", &[])]), None);
        let told = bell.told(&sick()).unwrap();
        assert!(
            told.starts_with("a: It ") && !told.contains('\u{1b}'),
            "{told}"
        );
        assert_eq!(bell.told(&sick()), None);
        assert_eq!(bell.told(&better()), None);
        assert!(
            bell.told(&sick())
                .is_some_and(|told| told.starts_with("a: "))
        );
        let worse = vec![
            row("a", &[("ttl", Critical)]),
            row("b", &[("no-clients", Critical)]),
        ];
        assert!(
            bell.told(&worse)
                .is_some_and(|told| told.starts_with("b: "))
        );
    }
}
