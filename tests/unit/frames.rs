//! Frames: as real Redisson clients wrote them, as a server's own `struct.pack` makes them, and as
//! nobody would.

use delayscope::queue::frame::{self, Form, Frame, FrameError};
use delayscope::queue::{Queue, name};
use proptest::prelude::*;

use crate::rows::{Golden, golden};
use crate::support::Server;

/// The form that the release of a row writes on 64-bit Linux.
fn form_of(row: &Golden) -> Form {
    if row.version < (3, 21, 1) {
        Form::DoubleId
    } else {
        Form::ByteId
    }
}

/// What the bytes say, if they read as `row` was written and writing them again gives the same.
fn explains(row: &Golden, member: &[u8]) -> Result<(), String> {
    let read = frame::decode(member).map_err(|e| e.to_string())?;
    if read.form != form_of(row) || read.payload != row.payload {
        return Err(format!("read as {read:?}"));
    }
    let again = frame::encode(read.form, read.id, &row.payload);
    if again != row.frame {
        return Err(format!("written as {again:02x?}"));
    }
    Ok(())
}

#[test]
fn every_frame_of_the_real_client_is_read_and_written_to_the_byte() {
    let rows = golden();
    assert!(rows.len() > 1900, "the fixture has shrunk: {}", rows.len());
    let wrong: Vec<String> = rows
        .iter()
        .filter_map(|row| {
            Some(format!(
                "{}: {}",
                row.label,
                explains(row, &row.frame).err()?
            ))
        })
        .collect();
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn a_frame_that_is_off_by_one_byte_is_caught() {
    // The same check, on frames that a slightly wrong writer would have made.
    for row in golden() {
        for at in 0..row.frame.len().min(40) {
            let mut broken = row.frame.clone();
            broken[at] ^= 0x40;
            assert!(explains(&row, &broken).is_err(), "{} byte {at}", row.label);
        }
        let longer = [&row.frame[..], &[0]].concat();
        assert!(explains(&row, &longer).is_err(), "{} longer", row.label);
        let shorter = &row.frame[..row.frame.len() - 1];
        assert!(explains(&row, shorter).is_err(), "{} shorter", row.label);
    }
}

#[test]
fn our_frames_are_those_of_the_servers_own_struct_pack() {
    let server = Server::start();
    let mut connection = server.connection();
    let payloads: [&[u8]; 6] = [
        b"",
        b"x",
        b"hello",
        &[0; 300],
        &[0xff; 10_000],
        b"\x08\0\r\n",
    ];
    // `L` is the server's own unsigned long; `I4` what that is on Windows and 32-bit machines.
    for (form, pack) in [
        (Form::ByteId, "'Bc0Lc0', 8, ARGV[1]"),
        (Form::ByteIdShort, "'Bc0I4c0', 8, ARGV[1]"),
        (Form::DoubleId, "'dLc0', tonumber(ARGV[1])"),
        (Form::DoubleIdShort, "'dI4c0', tonumber(ARGV[1])"),
    ] {
        let script = format!("return struct.pack({pack}, string.len(ARGV[2]), ARGV[2])");
        for (i, payload) in payloads.into_iter().enumerate() {
            let random = (0x9e37_79b9_7f4a_7c15_u64 << i).to_le_bytes();
            let sent = match form {
                Form::ByteId | Form::ByteIdShort => random.to_vec(),
                _ => i64::from_le_bytes(random).to_string().into_bytes(),
            };
            let packed: Vec<u8> = redis::cmd("EVAL")
                .arg(&script)
                .arg(0)
                .arg(sent)
                .arg(payload)
                .query(&mut connection)
                .unwrap();
            let ours = frame::encode(form, form.id_of(random), payload);
            assert_eq!(ours, packed, "{form} {i}");
        }
    }
}

#[test]
fn the_servers_own_struct_unpack_reads_our_frames() {
    let server = Server::start();
    let mut connection = server.connection();
    for (form, unpack) in [
        (
            Form::ByteId,
            "local _, v = struct.unpack('Bc0Lc0', ARGV[1]) return v",
        ),
        (
            Form::DoubleId,
            "local _, v = struct.unpack('dLc0', ARGV[1]) return v",
        ),
    ] {
        for payload in [&b""[..], b"hello", &[0; 500]] {
            let member = frame::encode(form, form.fresh_id().unwrap(), payload);
            let read: Vec<u8> = redis::cmd("EVAL")
                .arg(unpack)
                .arg(0)
                .arg(member)
                .query(&mut connection)
                .unwrap();
            assert_eq!(read, payload, "{form}");
        }
    }
}

fn forms() -> impl Strategy<Value = Form> {
    prop::sample::select(&Form::ALL[..])
}

proptest! {
    #[test]
    fn every_form_reads_back_as_written(
        form in forms(),
        random: [u8; 8],
        payload in prop::collection::vec(any::<u8>(), 0..300),
    ) {
        let id = form.id_of(random);
        let member = frame::encode(form, id, &payload);
        // 17 and 13 bytes are the lengths at which two forms can have the same bytes.
        if !matches!(member.len(), 13 | 17) {
            prop_assert_eq!(frame::decode(&member), Ok(Frame { form, id, payload: &payload }));
        }
    }

    #[test]
    fn what_reads_as_a_frame_is_written_back_to_the_same_bytes(
        form in forms(),
        head: [u8; 9],
        len in 0_u8..40,
        rest in prop::collection::vec(prop_oneof![Just(0), Just(1), Just(8), any::<u8>()], 0..40),
        good_length: bool,
    ) {
        let mut member = [&head[..], &[0; 8], &rest[..]].concat();
        if good_length {
            member = frame::encode(form, [head[0], head[1], head[2], 0, 0, 0, 0, head[8]], &rest);
        } else {
            member[9] = len;
        }
        if let Ok(read) = frame::decode(&member) {
            prop_assert_eq!(frame::encode(read.form, read.id, read.payload), member);
        }
    }

    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        match frame::decode(&bytes) {
            Ok(read) => prop_assert!(bytes.ends_with(read.payload)),
            Err(FrameError::TooShort(n) | FrameError::NoForm(n)) => prop_assert_eq!(n, bytes.len()),
        }
        let _ = name::names_of_key(&bytes);
        let keys = Queue::redisson(bytes).keys();
        let _ = name::cross_slot(&keys);
    }

    #[test]
    fn a_queue_is_among_those_its_own_keys_may_belong_to(
        bytes in prop::collection::vec(
            prop_oneof![Just(b'{'), Just(b'}'), Just(b':'), Just(b'q')], 1..8)
    ) {
        let queue = Queue::redisson(bytes);
        let keys = queue.keys();
        for key in [Some(keys.timeouts), keys.order, keys.channel].into_iter().flatten() {
            let names = name::names_of_key(&key);
            prop_assert!(names.contains(&queue.name), "{:?}: {:?}", key, names);
        }
    }
}
