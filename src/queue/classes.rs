//! Classes that entries are counted by: of how late they are, and of when they fall due.

/// A class of due times, by how far they are from now.
#[derive(Clone, Copy, Debug)]
pub struct TimeClass {
    /// The edge that lies further from now, in ms; of lateness the nearer one.
    pub edge_ms: i64,
    /// Its name in lists.
    pub name: &'static str,
    /// Its name above a column of four.
    pub head: &'static str,
}

const fn class(edge_ms: i64, name: &'static str, head: &'static str) -> TimeClass {
    TimeClass {
        edge_ms,
        name,
        head,
    }
}

/// Classes of what is late, the longest ago first: by this edge and more.
pub const LATE: [TimeClass; 4] = [
    class(3_600_000, "> 1 h", ">1h"),
    class(600_000, "10–60 min", "1h"),
    class(60_000, "1–10 min", "10m"),
    class(0, "< 1 min", "1m"),
];

/// Classes of what is to come, the next first: up to this edge.
pub const DUE: [TimeClass; 7] = [
    class(10_000, "< 10 s", "<10s"),
    class(60_000, "< 1 min", "<1m"),
    class(600_000, "< 10 min", "10m"),
    class(3_600_000, "< 1 h", "1h"),
    class(21_600_000, "< 6 h", "6h"),
    class(86_400_000, "< 24 h", "24h"),
    class(i64::MAX, "later", "later"),
];
