//! Prometheus's text format: families of samples, each with its help and type once.

use std::fmt::Write as _;

/// The kind of a family.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum MetricKind {
    /// Goes up and down.
    Gauge,
    /// Only goes up.
    Counter,
    /// Counts up to edges, which only go up.
    Histogram,
}

/// A text in the making.
#[derive(Debug, Default)]
pub(super) struct Exposition {
    text: String,
}

impl Exposition {
    /// Begins a family; its samples follow. Names are without `delayscope_`.
    pub(super) fn family(
        &mut self,
        name: &'static str,
        kind: MetricKind,
        help: &str,
    ) -> Family<'_> {
        let kind = match kind {
            MetricKind::Gauge => "gauge",
            MetricKind::Counter => "counter",
            MetricKind::Histogram => "histogram",
        };
        // Writing into a String cannot fail.
        let _ = writeln!(
            self.text,
            "# HELP delayscope_{name} {help}\n# TYPE delayscope_{name} {kind}"
        );
        Family {
            text: &mut self.text,
            name,
        }
    }

    /// The whole text.
    pub(super) fn text(self) -> String {
        self.text
    }
}

/// A family, to which samples are added.
pub(super) struct Family<'a> {
    text: &'a mut String,
    name: &'static str,
}

impl Family<'_> {
    /// Adds a sample with these labels.
    pub(super) fn add(&mut self, labels: &[(&str, &str)], value: f64) {
        self.part("", labels, value);
    }

    /// Adds a histogram with these labels: counts up to each edge, of all, and their sum.
    pub(super) fn histogram(
        &mut self,
        labels: &[(&str, &str)],
        within: &[(f64, f64)],
        (count, sum): (f64, f64),
    ) {
        for (edge, count) in within {
            let edge = edge.to_string();
            self.part("_bucket", &[labels, &[("le", &edge)]].concat(), *count);
        }
        self.part("_bucket", &[labels, &[("le", "+Inf")]].concat(), count);
        self.part("_sum", labels, sum);
        self.part("_count", labels, count);
    }

    fn part(&mut self, part: &str, labels: &[(&str, &str)], value: f64) {
        let _ = write!(self.text, "delayscope_{}{part}", self.name);
        for (n, (label, value)) in labels.iter().enumerate() {
            let before = if n == 0 { '{' } else { ',' };
            let _ = write!(self.text, "{before}{label}=\"{}\"", escaped(value));
        }
        let after = if labels.is_empty() { "" } else { "}" };
        let _ = writeln!(self.text, "{after} {value}");
    }
}

/// A label's value as it stands in quotes, control characters as they are shown everywhere.
fn escaped(value: &str) -> String {
    let printable = crate::queue::text::printable(value);
    let mut out = String::with_capacity(printable.len());
    for c in printable.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '"' => out.push_str("\\\""),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_family_tells_its_help_and_type_once_and_labels_are_escaped() {
        let mut all = Exposition::default();
        let mut family = all.family("up", MetricKind::Gauge, "Whether it answers.");
        family.add(&[], 1.0);
        family.add(&[("queue", "a\"b\\c\nd"), ("id", "x")], 0.25);
        assert_eq!(
            all.text(),
            "# HELP delayscope_up Whether it answers.\n# TYPE delayscope_up gauge\n\
             delayscope_up 1\n\
             delayscope_up{queue=\"a\\\"b\\\\c\\\\nd\",id=\"x\"} 0.25\n"
        );
    }
}
