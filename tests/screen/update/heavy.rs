//! The filter over payloads that say far more than their bytes: no key waits for them.

use allocation_counter::measure;
use delayscope::clock::instant;
use delayscope::payload::{self, Codec};
use delayscope::queue::frame::{Form, encode};
use delayscope::tui::keys::Code;

use crate::desk::{Desk, World, member};

/// So long are texts that fit into a few bytes when they are packed.
const LARGE: usize = 1 << 18;

fn hits(desk: &Desk) -> Vec<Vec<u8>> {
    let filtered = desk.model.filtered.as_ref().unwrap();
    filtered.hits.iter().map(|hit| hit.member.clone()).collect()
}

/// `Lz4Codec` around a string that is far longer than its bytes, and holds that word.
fn bomb(word: &str, size: usize) -> Vec<u8> {
    let says = format!("{word} {}", "x".repeat(size));
    let inside = payload::encode(Codec::Kryo5, &says).unwrap();
    let size = u32::try_from(inside.len()).unwrap().to_be_bytes();
    let packed = [&size[..], &lz4_flex::block::compress(&inside)].concat();
    assert!(packed.len() < 32 << 10, "{}", packed.len());
    packed
}

#[test]
fn a_key_waits_for_no_pattern_in_what_is_compressed_to_a_few_bytes() {
    let mut world = World::new("orders", 5, 60_000, 1000);
    world.entries[1].0 = encode(Form::ByteId, [7; 8], &bomb("entry 9", LARGE));
    let large = world.entries[1].0.clone();
    let mut desk = Desk::of(vec![world]);
    let shown = desk
        .model
        .entries
        .rows
        .iter()
        .find(|row| row.member == large);
    let shown = shown.unwrap();
    assert!(shown.weight(usize::MAX) > 1 << 18);
    desk.char('/');
    desk.type_in("re:/entry [0-9]/");
    let small: Vec<_> = [0, 2, 3, 4].map(member).into();
    assert_eq!(hits(&desk), small);
    desk.press(Code::Enter);
    desk.answer_all();
    assert!(hits(&desk).contains(&large), "the search finds it");
}

#[test]
fn what_is_in_sight_is_not_decoded_again_with_each_key() {
    let mut world = World::new("orders", 6, 60_000, 1000);
    for (n, entry) in (0_u8..).zip(&mut world.entries) {
        entry.0 = encode(Form::ByteId, [n; 8], &bomb("entry 9", LARGE));
    }
    let begun = instant();
    let mut desk = Desk::of(vec![world]);
    desk.char('/');
    desk.type_in("due>+1s");
    let decoded = begun.elapsed();
    let begun = instant();
    for n in '2'..'6' {
        desk.press(Code::Backspace);
        desk.press(Code::Backspace);
        desk.type_in(&format!("{n}s"));
        assert_eq!(hits(&desk).len(), 6);
        assert_eq!(desk.model.entries.rows.len(), 6);
    }
    let again = begun.elapsed();
    assert!(
        again < decoded / 2,
        "four filters took {again:?}, to decode them {decoded:?}"
    );
}

#[test]
fn a_key_unpacks_no_more_of_what_was_found_before_than_would_be_felt() {
    let mut world = World::new("orders", 106, 60_000, 1000);
    for (n, entry) in world.entries.iter_mut().enumerate().skip(100) {
        let id = (n as u64).to_be_bytes();
        entry.0 = encode(Form::ByteId, id, &bomb("entry 9", 2 * LARGE));
    }
    let mut desk = Desk::of(vec![world]);
    desk.char('/');
    desk.type_in("ent");
    desk.press(Code::Enter);
    desk.answer_all();
    assert_eq!(hits(&desk).len(), 106);
    desk.char('/');
    let memory = measure(|| drop(desk.char('r')));
    assert!(memory.bytes_total < 24 << 20, "{memory:?}");
    assert_eq!(hits(&desk).len(), 100);
    desk.press(Code::Enter);
    desk.answer_all();
    assert_eq!(hits(&desk).len(), 106, "the search finds the others");
}
