//! What the benchmarks share: tables that print each figure with its limit beside it.

#![expect(
    unreachable_pub,
    clippy::print_stdout,
    reason = "shared by benchmarks; a table is their purpose"
)]

/// What a claim says of one column of a row.
#[derive(Clone, Copy)]
pub enum Limit {
    /// Nothing is claimed.
    None,
    /// The figure in this column (from 0) is at most so much.
    Most(usize, f64),
}

/// Whether the claims are to be measured: `cargo test` runs benchmarks too, with other arguments.
pub fn asked_for() -> bool {
    std::env::args().any(|arg| arg == "--bench")
}

/// Prints the head of a table.
pub fn head(title: &str, columns: &[&str]) {
    print!("\n{title:<50}");
    for column in columns {
        print!("{column:>11}");
    }
    println!("   limit");
}

/// Prints a row of it, and whether its claim holds.
pub fn row(name: &str, figures: &[f64], limit: Limit) {
    let verdict = match limit {
        Limit::None => "-".to_owned(),
        Limit::Most(column, most) => {
            let holds = figures[column] <= most;
            format!("{most} {}", if holds { "ok" } else { "MISSED" })
        }
    };
    print!("  {name:<48}");
    for figure in figures {
        print!("{figure:>11.3}");
    }
    println!("   {verdict}");
}

/// Median, 99th percentile and largest of `values`, which it sorts.
pub fn spread(values: &mut [f64]) -> [f64; 3] {
    values.sort_by(f64::total_cmp);
    let last = values.len() - 1;
    [50, 99, 100].map(|part| values[(values.len() * part / 100).min(last)])
}
