//! `nodes`: the servers behind the address: a master and its replicas, sentinels, a cluster.

use std::io::Write;

use anyhow::Context as _;
use serde_json::json;

use super::output::{Column, Output};
use super::session::Session;
use super::{CommandOutcome, say};
use crate::config::Config;
use crate::queue::node::{Node, NodeState};
use crate::queue::text;
use crate::store::read;

const COLUMNS: [Column; 8] = [
    Column::left("NODE", 14),
    Column::left("ROLE", 8),
    Column::left("OF", 4),
    Column::left("STATE", 5),
    Column::right("LAG", 3),
    Column::right("SKEW", 4),
    Column::left("VERSION", 7).optional(),
    Column::left("SLOTS", 5),
];

/// Prints them: a line each, masters with their replicas behind them.
pub(super) async fn run<W: Write>(
    config: &Config,
    out: &mut Output<W>,
) -> anyhow::Result<CommandOutcome> {
    let session = Session::open(config).await?;
    let nodes = read::nodes(&session.store).await;
    let nodes = nodes.context("could not see which servers there are")?;
    if out.is_json() {
        for node in &nodes {
            out.json(&object(node))?;
        }
        return Ok(CommandOutcome::Done);
    }
    let rows: Vec<Vec<String>> = nodes.iter().map(row).collect();
    out.table(&COLUMNS, &rows)?;
    out.flush()?;
    for node in &nodes {
        if let Some(why) = &node.why {
            let doubt = match node.state {
                NodeState::Ok => ", though its master hears of it",
                _ => "",
            };
            say::note(&format!(
                "{} cannot be reached from here{doubt}: {why}",
                node.address
            ));
        }
    }
    Ok(CommandOutcome::Done)
}

fn row(node: &Node) -> Vec<String> {
    vec![
        node.address.clone(),
        node.role.word().to_owned(),
        node.of.clone().unwrap_or_default(),
        node.state.words().to_owned(),
        node.lag_words(),
        node.skew_words(),
        node.version.clone().unwrap_or_default(),
        node.slot_words(),
    ]
}

fn object(node: &Node) -> serde_json::Value {
    let shares = node
        .slots
        .iter()
        .map(|(first, last)| format!("{first}-{last}"));
    let shares: Vec<_> = shares.collect();
    let moving = node.moving.iter().map(|moving| {
        json!({
            "slot": moving.slot,
            "leaves": moving.leaves,
            "other": text::printable(&moving.other),
        })
    });
    let moving: Vec<_> = moving.collect();
    json!({
        "node": node.address,
        "id": node.id,
        "role": node.role.word(),
        "of": node.of,
        "state": node.state.words(),
        "reached": node.heard,
        "reason": node.why,
        "slots": shares,
        "slot_count": node.slot_count(),
        "moving": moving,
        "lag_bytes": node.lag_bytes,
        "lag_s": node.lag_s,
        "clock_skew_ms": node.skew_ms,
        "version": node.version,
    })
}
