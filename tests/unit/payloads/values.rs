//! Values of Java of every kind: each is said as its codec wrote it. The snapshot tells how many
//! are named right, alone and beside the others of a queue.

#![expect(clippy::unwrap_used, reason = "a failure here is a failed test")]

use std::collections::BTreeMap;
use std::fmt::Write as _;

use delayscope::payload::{self, Codec, Habit};
use serde_json::Value;

use crate::rows::{rows, unhex};

struct Row {
    label: String,
    codec: Codec,
    value: Value,
    payload: Vec<u8>,
}

fn values() -> Vec<Row> {
    rows(include_str!("../../fixtures/java-values.tsv"))
        .map(|row| {
            let [version, codec, name, value, hex] = row[..] else {
                panic!("not five columns: {row:?}")
            };
            Row {
                label: format!("{version} {codec} {name}"),
                codec: Codec::from_name(codec).unwrap(),
                value: serde_json::from_str(value).unwrap(),
                payload: unhex(hex),
            }
        })
        .collect()
}

#[test]
fn values_of_every_kind_are_said_as_their_codec_wrote_them() {
    let mut wrong = String::new();
    let values = values();
    for row in &values {
        let read = payload::read(&row.payload, Some(row.codec));
        let said = read.filter(|read| read.codec == row.codec);
        let said = said.map(|read| read.tree.json());
        if said.as_ref() != Some(&row.value) {
            writeln!(wrong, "{}: {} was read as {said:?}", row.label, row.value).unwrap();
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(values.len() > 4000);
}

#[test]
fn values_of_every_kind_are_named_as_the_snapshot_says() {
    let mut by_codec: BTreeMap<&str, Vec<Row>> = BTreeMap::new();
    for row in values() {
        by_codec.entry(row.codec.name()).or_default().push(row);
    }
    let mut table = String::new();
    for (codec, rows) in &by_codec {
        // A queue's vote asks the first of its payloads: some of each kind.
        let payloads = rows.iter().step_by(rows.len() / 64 + 1);
        let payloads = payloads.map(|row| row.payload.as_slice());
        let habit = Habit::default().after(payloads);
        let mut others: BTreeMap<&str, u32> = BTreeMap::new();
        let mut in_queue = 0;
        for row in rows {
            let alone = payload::decode(&row.payload).codec;
            if alone != row.codec {
                *others.entry(alone.name()).or_default() += 1;
            }
            in_queue += u32::from(habit.decode(&row.payload).codec == row.codec);
        }
        let all = rows.len();
        let alone = all - others.values().sum::<u32>() as usize;
        let others: Vec<_> = others
            .iter()
            .map(|(name, n)| format!("{name} {n}"))
            .collect();
        writeln!(
            table,
            "{codec:14}{all:4} values {alone:4} named alone {in_queue:4} in a queue | {}",
            others.join(", ")
        )
        .unwrap();
    }
    insta::assert_snapshot!(table);
}

#[test]
fn what_is_too_deep_or_too_much_says_where_it_is_cut() {
    let one = "00000001770400000001";
    let deep = format!(
        "aced0005737200136a6176612e7574696c2e41727261794c6973747881d21d99c7619d03000149000473697a657870\
         {one}{}{}",
        format!("7371007e0000{one}").repeat(299),
        "78".repeat(300)
    );
    let wide = format!("dd00007530{}", "a161".repeat(30_000));
    for (codec, hex) in [(Codec::Serialization, deep), (Codec::MsgPack, wide)] {
        let read = payload::read(&unhex(&hex), Some(codec)).unwrap();
        let said = read.tree.json().to_string();
        assert!(said.contains("cut"), "{codec:?}: {said}");
    }
}
