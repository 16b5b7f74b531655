//! Transfers: what is moved, what is left where it is, and in which order.

use delayscope::queue::{EntryId, Form, Queue, frame};
use delayscope::store::write::{DueCursor, Portion, TransferResult, Writer};

use crate::scripts::{PAST, orders, plain, writer};
use crate::support::{self, Server, double_frame};

async fn transfer(writer: &Writer, queue: &Queue, n: usize) -> TransferResult {
    let now = writer.store().clock().unwrap().now();
    writer
        .transfer(queue, now, n, &DueCursor::default())
        .await
        .unwrap()
        .done
}

/// Members of every form and length, and near misses of each.
fn members() -> Vec<Vec<u8>> {
    let mut all: Vec<Vec<u8>> = vec![Vec::new(), b"hello".to_vec(), vec![8; 17], vec![0; 12]];
    let ids = [
        [8, 1, 2, 3, 4, 5, 0xd0, 0xc3],
        [8, 0, 0, 0, 0, 0, 0xe1, 0x43],
        [7, 9, 2, 3, 4, 5, 6, 0x43],
        [8, 9, 2, 3, 4, 5, 6, 1],
        [8, 9, 2, 3, 4, 5, 6, 0],
    ];
    for form in Form::ALL {
        for (i, id) in ids.into_iter().enumerate() {
            for len in [0, 1, 2, 5, 255, 256, 70_000] {
                let payload = vec![u8::try_from(i).unwrap(); len];
                let good = frame::encode(form, id, &payload);
                all.push([&good[..], b"!"].concat());
                all.push(good[..good.len() - 1].to_vec());
                for at in 0..good.len().min(18) {
                    let mut bent = good.clone();
                    bent[at] ^= 0x80;
                    all.push(bent);
                }
                all.push(good);
            }
        }
    }
    all.sort();
    all.dedup();
    all
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_script_takes_for_a_frame_what_the_program_takes_for_one() {
    let server = Server::start();
    let (writer, queue) = (writer(&server).await, orders());
    let (mut payloads, mut moved, mut skipped) = (Vec::new(), Vec::new(), Vec::new());
    for member in members() {
        server.put(&queue, &member, "1600000000000");
        match frame::decode(&member) {
            Ok(f) => {
                payloads.push(f.payload.to_vec());
                moved.push(EntryId(f.id));
            }
            Err(_) => skipped.push(EntryId::of_bytes(&member)),
        }
    }
    assert!(moved.len() > 100 && skipped.len() > 100);
    let (mut ids, mut told) = (Vec::new(), Vec::new());
    let (mut more, mut cursor) = (true, DueCursor::default());
    while more {
        let sent = writer.transfer(&queue, PAST, 700, &cursor).await;
        let done = sent.unwrap().done;
        ids.extend(done.moved.iter().map(|m| m.id));
        told.extend(done.skipped);
        (more, cursor) = (done.more, done.cursor);
    }
    let mut delivered = server.list(&["LRANGE", "orders", "0", "-1"]);
    for list in [&mut ids, &mut moved, &mut told, &mut skipped] {
        list.sort();
    }
    delivered.sort();
    payloads.sort();
    assert!(ids == moved, "moved is what decodes");
    assert!(told == skipped, "skipped is what does not");
    assert!(
        delivered == payloads,
        "the payloads are what the frames hold"
    );
    let left = i64::try_from(skipped.len()).unwrap();
    assert_eq!(server.int(&["LLEN", "redisson_delay_queue:{orders}"]), left);
    assert_eq!(
        server.int(&["ZCARD", "redisson_delay_queue_timeout:{orders}"]),
        left
    );
}

/// Transfers from the cursor to the end, so many at a time; the scores of what was moved, how many were
/// skipped, and in how many calls.
async fn to_the_end(writer: &Writer, cursor: &mut DueCursor, n: usize) -> (Vec<f64>, usize, usize) {
    let (mut moved, mut skipped, mut calls) = (Vec::new(), 0, 0);
    loop {
        let sent = writer.transfer(&orders(), PAST, n, cursor).await;
        let done = sent.unwrap().done;
        moved.extend(done.moved.iter().map(|m| m.score));
        skipped += done.skipped.len();
        calls += 1;
        *cursor = done.cursor;
        if !done.more {
            return (moved, skipped, calls);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_no_frame_is_passed_once_and_never_fills_a_batch() {
    let server = Server::start();
    let (writer, queue) = (writer(&server).await, orders());
    server.put_strange(&queue, 1_200, |n| 5 + i64::try_from(n / 700).unwrap());
    for n in 0..8 {
        server.put(&queue, &double_frame(1e18, &[n]), &format!("{}", 6 + n));
    }
    let mut cursor = DueCursor::default();
    let (moved, skipped, calls) = to_the_end(&writer, &mut cursor, 5).await;
    assert_eq!(moved, (6..14).map(f64::from).collect::<Vec<_>>());
    assert_eq!(skipped, 1_200);
    assert!(calls < 8, "{calls} calls");
    server.put(&queue, &double_frame(1e18, b"new"), "14");
    let end = to_the_end(&writer, &mut cursor, 5).await;
    assert_eq!(end, (vec![14.0], 0, 1), "nothing is looked at again");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_good_is_passed_where_others_take_away_what_was_passed() {
    let server = Server::start();
    let (writer, queue) = (writer(&server).await, orders());
    let timeouts = queue.keys().timeouts;
    // All at one moment, and so long that the cursor has not the whole of it.
    let large = |n: u8| [vec![0; 600], vec![n; 600]].concat();
    for n in 1..=4 {
        server.put(&queue, &large(n), "5");
    }
    let mut cursor = DueCursor::default();
    assert_eq!(to_the_end(&writer, &mut cursor, 5).await, (vec![], 4, 1));
    for (gone, left) in [(1, 3), (4, 2)] {
        server.cmd_bytes(&[b"ZREM", &timeouts, &large(gone)]);
        server.put(&queue, &support::frame(gone.into(), b"good"), "5");
        let end = to_the_end(&writer, &mut cursor, 5).await;
        assert_eq!(end, (vec![5.0], left, 1));
    }
    // One that has a later score now does not stand for where it stood.
    server.cmd_bytes(&[b"ZADD", &timeouts, b"6", &large(3)]);
    assert_eq!(to_the_end(&writer, &mut cursor, 5).await, (vec![], 2, 1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_order_list_loses_one_copy_of_each_moved_entry_wherever_it_stands() {
    let server = Server::start();
    let (writer, queue) = (writer(&server).await, orders());
    let member = |n: u64| support::frame(n, b"x");
    // Order list: 3 1 1 9 2 4, of which 9 waits; 5 is missing from it.
    for (n, score) in [
        (3, "30"),
        (1, "10"),
        (9, "4000000000000"),
        (2, "20"),
        (4, "40"),
    ] {
        server.put(&queue, &member(n), score);
        if n == 1 {
            server.cmd_bytes(&[b"RPUSH", b"redisson_delay_queue:{orders}", &member(1)]);
        }
    }
    server.cmd_bytes(&[
        b"ZADD",
        b"redisson_delay_queue_timeout:{orders}",
        b"50",
        &member(5),
    ]);
    let done = transfer(&writer, &queue, 100).await;
    let scores: Vec<f64> = done.moved.iter().map(|m| m.score).collect();
    assert_eq!(scores, [10.0, 20.0, 30.0, 40.0, 50.0]);
    assert_eq!((done.more, done.next), (false, Some(4e12)));
    let order = server.list(&["LRANGE", "redisson_delay_queue:{orders}", "0", "-1"]);
    assert_eq!(order, [member(1), member(9)]);
    assert_eq!(server.int(&["LLEN", "orders"]), 5);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn scores_that_are_no_time_are_told_and_never_waited_for() {
    let server = Server::start();
    let writer = writer(&server).await;
    for queue in [orders(), plain("left")] {
        server.cmd(&["FLUSHALL"]);
        for (n, score) in [(1, "-5"), (2, "-inf"), (3, "1e17"), (4, "+inf"), (5, "0")] {
            server.put(&queue, &support::frame(n, b"x"), score);
        }
        let done = transfer(&writer, &queue, 100).await;
        let mut never: Vec<f64> = done.never.iter().map(|e| e.score).collect();
        never.sort_by(f64::total_cmp);
        assert_eq!(never, [f64::NEG_INFINITY, -5.0, 1e17, f64::INFINITY]);
        assert_eq!((done.moved.len(), done.next, done.more), (1, None, false));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_zset_list_is_served_in_due_order_at_either_end() {
    let server = Server::start();
    let writer = writer(&server).await;
    for (push, pop) in [("left", "RPOP"), ("right", "LPOP")] {
        let queue = plain(push);
        for (message, due) in [(&b"second"[..], "2"), (b"first", "1"), (b"third", "3")] {
            server.put(&queue, message, due);
        }
        server.put(&queue, b"later", "4000000000000");
        let done = transfer(&writer, &queue, 2).await;
        assert_eq!((done.moved.len(), done.more), (2, true));
        assert_eq!(done.moved[0].id, EntryId::of_bytes(b"first"));
        let done = transfer(&writer, &queue, 2).await;
        assert_eq!((done.moved.len(), done.next), (1, Some(4e12)));
        for wanted in ["first", "second", "third"] {
            let popped = server.cmd(&[pop, "ready"]);
            assert_eq!(popped, support::Value::BulkString(wanted.into()));
        }
        server.cmd(&["FLUSHALL"]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_transfer_that_finds_nothing_due_tries_no_command_that_writes() {
    let server = Server::start();
    let (writer, queue) = (writer(&server).await, orders());
    server.put(&queue, &support::frame(1, b"later"), "4000000000000");
    let monitor = server.monitor();
    assert_eq!(transfer(&writer, &queue, 100).await.next, Some(4e12));
    let commands = monitor.commands(&server);
    let name = |words: &Vec<String>| words[0].to_uppercase();
    let tried = |name: &String| ["RPUSH", "LTRIM", "LREM", "ZREM"].contains(&name.as_str());
    let tried: Vec<String> = commands.iter().map(name).filter(tried).collect();
    assert!(tried.is_empty(), "{tried:?}");
}

/// Transfers all, by scripts of 10,000 bytes: the scores of what was moved, how many were skipped, and
/// how many members each script looked at.
async fn by_bytes(writer: &Writer, queue: &Queue, telling: bool) -> (Vec<f64>, usize, Vec<usize>) {
    let portion = Portion {
        entries: 2_000,
        bytes: 10_000,
    };
    let (mut scores, mut skipped, mut looked) = (Vec::new(), 0, Vec::new());
    let mut cursor = DueCursor::default();
    loop {
        let (more, moved, passed): (bool, Vec<f64>, usize);
        if telling {
            let sent = writer.transfer_telling(queue, PAST, portion, &cursor, false);
            let done = sent.await.unwrap().done;
            moved = done.moved.iter().map(|m| m.score).collect();
            (more, passed, cursor) = (done.more, done.skipped.len(), done.cursor);
        } else {
            let sent = writer.transfer(queue, PAST, portion, &cursor);
            let done = sent.await.unwrap().done;
            moved = done.moved.iter().map(|m| m.score).collect();
            (more, passed, cursor) = (done.more, done.skipped.len(), done.cursor);
        }
        looked.push(moved.len() + passed);
        scores.extend(moved);
        skipped += passed;
        if !more {
            return (scores, skipped, looked);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_script_ends_at_its_bytes_and_the_next_one_goes_on() {
    let server = Server::start();
    let writer = writer(&server).await;
    // Small ones, then such as three fill a script, and one that is too large for any.
    let bytes = |n: u8| match n {
        0..100 => 10,
        149 => 30_000,
        _ => 2_950,
    };
    let queues = [(orders(), true), (orders(), false), (plain("left"), true)];
    for (queue, are_frames) in queues {
        for telling in [false, true] {
            server.cmd(&["FLUSHALL"]);
            for n in 0..150_u8 {
                let payload = vec![n; bytes(n)];
                let member = if are_frames || n % 2 == 0 {
                    support::frame(n.into(), &payload)
                } else {
                    [&[0; 17], &payload[..]].concat()
                };
                server.put(&queue, &member, &(1 + u32::from(n)).to_string());
            }
            let (scores, skipped, looked) = by_bytes(&writer, &queue, telling).await;
            assert!(scores.is_sorted_by(|a, b| a < b), "in due order, each once");
            let all = if are_frames { [150, 0] } else { [75, 75] };
            assert_eq!([scores.len(), skipped], all);
            assert_eq!(looked[0], 102, "as far as there is room");
            assert_eq!(looked[1..], [&[3; 15][..], &[2, 1]].concat());
            let keys = queue.keys();
            let counts = [(&b"ZCARD"[..], &keys.timeouts), (b"LLEN", &keys.target)];
            let counts = counts.map(|(count, key)| server.cmd_bytes(&[count, key]));
            let wanted = [skipped, scores.len()].map(|n| i64::try_from(n).unwrap());
            assert_eq!(counts, wanted.map(support::Value::Int));
        }
    }
}
