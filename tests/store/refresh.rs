//! Pulse and survey.

use delayscope::clock::EpochMillis;
use delayscope::ops::refresh;
use delayscope::queue::{Due, Known, Optional, PageAsk, Pulse, Queue, Scale, Survey, Zoom};
use delayscope::store::read::places;

use crate::open;
use crate::support::{PATIENCE, Server, frame};

fn due(pulse: &Pulse) -> (Option<Due>, Option<Due>) {
    (pulse.head, pulse.next)
}

fn unknown<T>(figure: &Known<T>) -> &str {
    match figure {
        Known::Unknown(why) => why,
        _ => panic!("a figure that should be unknown"),
    }
}

#[tokio::test]
async fn a_pulse_tells_depths_head_next_and_page() {
    let server = Server::start();
    let store = open(&server).await;
    let queue = Queue::redisson("orders");
    let now = server.now();
    // Due 15.5, 10.5, 5.5 and 0.5 s ago, then in 4.5, 9.5, … s.
    server.fill(&queue, 10, now.plus(-15_500), 5_000);
    server.cmd(&["RPUSH", "orders", "a", "b"]);
    let ask = PageAsk { first: 2, count: 3 };
    let pulse = refresh::pulse(&store, &queue, Some(ask)).await.unwrap();
    assert_eq!((pulse.waiting, pulse.late), (Known::Is(10), Known::Is(4)));
    assert_eq!((pulse.order, pulse.target), (Known::Is(10), Known::Is(2)));
    assert_eq!(pulse.transfer_clients, Known::Is(0));
    assert_eq!(pulse.head, Some(Due::At(now.plus(-15_500))));
    assert_eq!(pulse.next, Some(Due::At(now.plus(4_500))));
    let page = pulse.page.unwrap();
    let members: Vec<_> = page.rows.iter().map(|row| row.0.clone()).collect();
    let wanted: Vec<_> = (3..6_u64)
        .map(|n| frame(n, format!("entry {n}").as_bytes()))
        .collect();
    assert_eq!((page.first, members), (2, wanted));
    assert!(pulse.at.since(now) >= 0 && pulse.at.since(server.now()) <= 0);
}

#[tokio::test]
async fn a_key_of_a_wrong_type_costs_its_own_figures_only() {
    let server = Server::start();
    let store = open(&server).await;
    let queue = Queue::redisson("orders");
    let keys = queue.keys();
    server.put(&queue, &frame(1, b"x"), "5");
    server.cmd_bytes(&[b"SET", &keys.target, b"no list"]);
    let pulse = refresh::pulse(&store, &queue, None).await.unwrap();
    assert!(unknown(&pulse.target).starts_with("WRONGTYPE"));
    assert_eq!((pulse.waiting, pulse.order), (Known::Is(1), Known::Is(1)));
    server.cmd_bytes(&[b"DEL", &keys.target, &keys.timeouts]);
    server.cmd_bytes(&[b"SET", &keys.timeouts, b"no zset"]);
    let ask = PageAsk { first: 0, count: 5 };
    let pulse = refresh::pulse(&store, &queue, Some(ask)).await.unwrap();
    assert!(unknown(&pulse.waiting).starts_with("WRONGTYPE"));
    assert!(unknown(&pulse.late).starts_with("WRONGTYPE"));
    assert_eq!((due(&pulse), pulse.target), ((None, None), Known::Is(0)));
    assert_eq!(pulse.page.unwrap().rows, []);
    let order = keys.order.unwrap();
    server.cmd_bytes(&[b"DEL", &order]);
    server.cmd_bytes(&[b"SADD", &order, b"no list"]);
    let pulse = refresh::pulse(&store, &queue, None).await.unwrap();
    assert!(unknown(&pulse.order).starts_with("WRONGTYPE"));
    let survey = refresh::survey(&store, &queue, Some(Zoom::Minute), None)
        .await
        .unwrap();
    let kinds: Vec<_> = survey
        .keys
        .iter()
        .map(|k| (k.wanted, k.kind.as_str()))
        .collect();
    assert_eq!(
        kinds,
        [("zset", "string"), ("list", "set"), ("list", "none")]
    );
}

#[tokio::test]
async fn a_user_without_the_optional_commands_sees_the_rest() {
    let mut server = Server::start();
    let read = [
        "-@all", "+@read", "+time", "+multi", "+exec", "-scan", "-memory",
    ];
    if !server.set_user("guest", &read) {
        return;
    }
    server.put(&Queue::redisson("orders"), &frame(1, b"x"), "5");
    server.log_in(Some("guest"), Some("pw"));
    let store = open(&server).await;
    let queue = Queue::redisson("orders");
    let pulses = refresh::pulses(&store, &[queue.clone(), queue])
        .await
        .unwrap();
    assert_eq!(pulses[1].waiting, Known::Is(1));
    assert!(unknown(&pulses[1].transfer_clients).starts_with("NOPERM"));
    let mut link = store.link();
    let known = link.wait_for(|l| l.refused.why(Optional::Info).is_some());
    let refused = tokio::time::timeout(PATIENCE, known)
        .await
        .unwrap()
        .unwrap()
        .refused
        .clone();
    assert!(refused.why(Optional::NumSub).unwrap().starts_with("NOPERM"));
    assert!(refused.why(Optional::Scan).is_some() && refused.why(Optional::ClientList).is_some());
    let again = refresh::pulse(&store, &Queue::redisson("orders"), None)
        .await
        .unwrap();
    assert!(unknown(&again.transfer_clients).starts_with("NOPERM"));
}

#[tokio::test]
async fn scores_that_are_no_time_are_out_of_range_and_not_late() {
    let server = Server::start();
    let store = open(&server).await;
    let queue = Queue::redisson("odd");
    let rows = [
        ("a", "-5"),
        ("b", "1e17"),
        ("c", "inf"),
        ("d", "1700000000000.5"),
    ];
    for (member, score) in rows {
        server.put(&queue, member.as_bytes(), score);
    }
    let ask = PageAsk {
        first: 0,
        count: 10,
    };
    let pulse = refresh::pulse(&store, &queue, Some(ask)).await.unwrap();
    assert_eq!(pulse.late, Known::Is(1));
    assert_eq!(
        due(&pulse),
        (Some(Due::OutOfRange(-5.0)), Some(Due::OutOfRange(1e17)))
    );
    let scores: Vec<f64> = pulse.page.unwrap().rows.iter().map(|row| row.1).collect();
    assert_eq!(scores, [-5.0, 1_700_000_000_000.5, 1e17, f64::INFINITY]);
    let late = Some(EpochMillis::new(1_700_000_000_001));
    assert_eq!(pulse.oldest_late, late, "not hidden by a negative head");
    let figures = refresh::pulse(&store, &queue, None).await.unwrap();
    assert_eq!(
        (figures.head, figures.oldest_late),
        (pulse.head, late),
        "the same without rows"
    );
    server.cmd(&["DEL", "redisson_delay_queue_timeout:{odd}"]);
    server.put(&queue, b"low", "-inf");
    let pulse = refresh::pulse(&store, &queue, None).await.unwrap();
    assert_eq!(pulse.head, Some(Due::OutOfRange(f64::NEG_INFINITY)));
}

#[tokio::test]
async fn names_and_members_are_bytes() {
    let server = Server::start();
    let store = open(&server).await;
    let queue = Queue::redisson(b"\xff\x00 \r\n{".to_vec());
    server.put(&queue, b"\x00\xfe\r\n", "7");
    let ask = PageAsk { first: 0, count: 1 };
    let pulse = refresh::pulse(&store, &queue, Some(ask)).await.unwrap();
    assert_eq!(pulse.page.unwrap().rows, [(b"\x00\xfe\r\n".to_vec(), 7.0)]);
}

#[tokio::test]
async fn a_plain_queue_in_seconds_is_late_by_the_same_clock() {
    let server = Server::start();
    let store = open(&server).await;
    let queue: Queue = "zset-list:delay_queue,ready_queue".parse().unwrap();
    let now = server.now();
    for (member, ms) in [("past", -700), ("soon", 700)] {
        let at = queue.score(now.plus(ms)).to_string();
        server.put(&queue, member.as_bytes(), &at);
    }
    let pulse = refresh::pulse(&store, &queue, None).await.unwrap();
    assert_eq!(pulse.waiting, Known::Is(2));
    assert_eq!(pulse.late, Known::Is(1));
    assert_eq!(
        due(&pulse),
        (Some(Due::At(now.plus(-700))), Some(Due::At(now.plus(700))))
    );
    assert_eq!(
        (pulse.order, pulse.transfer_clients),
        (Known::None, Known::None)
    );
}

#[tokio::test]
async fn a_survey_counts_every_entry_once() {
    let server = Server::start();
    let store = open(&server).await;
    let queue = Queue::redisson("orders");
    let now = server.now();
    // From 2 h ago to 2 days ahead, and one more at 30 days.
    server.fill(&queue, 1_000, now.plus(-7_210_000), 180_000);
    server.put(&queue, b"far", &now.plus(30 * 86_400_000).get().to_string());
    server.cmd(&["PEXPIRE", "redisson_delay_queue:{orders}", "60000"]);
    for zoom in Zoom::ALL {
        let s = refresh::survey(&store, &queue, Some(zoom), None)
            .await
            .unwrap();
        let late: u64 = s.late.iter().sum();
        let bars: u64 = s.bars.iter().map(|bar| bar.count).sum();
        assert_eq!(late, 41, "{zoom:?}");
        assert_eq!(
            (late + bars + s.beyond, s.bars.len()),
            (1_001, zoom.scale().map_or(60, |scale| scale.bars)),
            "{zoom:?}"
        );
        assert_eq!(late + s.classes.iter().sum::<u64>(), 1_001);
        assert_eq!((s.late, s.classes[5]), ([21, 16, 3, 1], 360));
        assert!(
            s.keys[1]
                .expires_in_ms
                .is_some_and(|ms| ms > 0 && ms <= 60_000)
        );
        assert_eq!(s.keys[0].expires_in_ms, None);
    }
    let s = refresh::survey(&store, &queue, None, None).await.unwrap();
    assert_eq!((s.bars.len(), s.beyond, s.late), (0, 0, [21, 16, 3, 1]));
}

#[tokio::test]
async fn all_is_shown_in_bars_that_reach_the_last_due_time_and_keep_still() {
    let server = Server::start();
    let store = open(&server).await;
    let queue = Queue::redisson("orders");
    let now = server.now();
    server.fill(&queue, 300, now.plus(60_000), 60_000);
    // Scores that are no time do not stretch it.
    server.put(&queue, b"never", "inf");
    server.put(&queue, b"odd", "1e17");
    let all = Some(Zoom::All);
    let first = refresh::survey(&store, &queue, all, None).await.unwrap();
    let scale = first.scale.unwrap();
    // 5 h in at most 60 bars, most of them in use.
    assert_eq!((scale.width().as_str(), first.bars.len()), ("10 min", 60));
    let counted = |s: &Survey| s.bars.iter().map(|bar| bar.count).sum::<u64>();
    assert_eq!((counted(&first), first.beyond, first.no_time), (300, 2, 2));
    // The tail moves a little: the same bars, in one round trip.
    let later = now.plus(7 * 3_600_000);
    server.put(&queue, b"later", &later.get().to_string());
    let monitor = server.monitor();
    let second = refresh::survey(&store, &queue, all, Some(scale))
        .await
        .unwrap();
    assert_eq!((second.scale, counted(&second)), (Some(scale), 301));
    let sent = monitor.commands(&server);
    assert!(!sent.iter().any(|words| words[0] == "ZREVRANGEBYSCORE"));
    // Now it moves out of them, and comes back near.
    let far = now.plus(400 * 86_400_000);
    server.put(&queue, b"far", &far.get().to_string());
    let third = refresh::survey(&store, &queue, all, Some(scale))
        .await
        .unwrap();
    assert_eq!(
        (third.scale.unwrap().width().as_str(), counted(&third)),
        ("7 d", 302)
    );
    server.cmd(&[
        "ZREM",
        "redisson_delay_queue_timeout:{orders}",
        "far",
        "later",
    ]);
    let last = refresh::survey(&store, &queue, all, third.scale)
        .await
        .unwrap();
    assert_eq!(last.scale, Some(scale));
}

#[tokio::test]
async fn nothing_to_come_and_a_wrong_type_have_bars_too() {
    let server = Server::start();
    let store = open(&server).await;
    let all = Some(Zoom::All);
    let empty = Queue::redisson("empty");
    let seen = refresh::survey(&store, &empty, all, None).await.unwrap();
    assert_eq!((seen.bars.len(), seen.scale), (60, Some(Scale::default())));
    let held = Scale {
        bar_ms: 3_600_000,
        bars: 60,
    };
    let seen = refresh::survey(&store, &empty, all, Some(held))
        .await
        .unwrap();
    assert_eq!(seen.scale, Some(held));
    server.cmd(&["SET", "z", "no zset"]);
    let plain: Queue = "zset-list:z,r".parse().unwrap();
    let seen = refresh::survey(&store, &plain, all, None).await.unwrap();
    assert_eq!((seen.keys[0].kind.as_str(), seen.beyond), ("string", 0));
    // In seconds too.
    let due = plain.score(server.now().plus(90 * 60_000)).to_string();
    server.cmd(&["DEL", "z"]);
    server.cmd(&["ZADD", "z", &due, "m"]);
    let seen = refresh::survey(&store, &plain, all, None).await.unwrap();
    assert_eq!(
        (seen.scale.unwrap().width().as_str(), seen.beyond),
        ("2 min", 0)
    );
}

#[tokio::test]
async fn every_pulse_is_one_round_trip_of_ten_commands() {
    let server = Server::start();
    let store = open(&server).await;
    let queue = Queue::redisson("orders");
    server.fill(&queue, 10, server.now(), 1_000);
    refresh::pulse(&store, &queue, None).await.unwrap();
    let before = store.link().borrow().cost;
    let ask = PageAsk {
        first: 0,
        count: 40,
    };
    let pulse = refresh::pulse(&store, &queue, Some(ask)).await.unwrap();
    let after = store.link().borrow().cost;
    assert!(
        after.commands - before.commands <= 13,
        "ten, MULTI and EXEC, and perhaps a beat"
    );
    assert!(after.server_us - before.server_us >= pulse.server_us);
    assert!(after.bytes - before.bytes > 300);
}

#[tokio::test]
async fn an_entry_that_has_left_since_it_was_read_stands_nowhere_in_the_order_list() {
    let server = Server::start();
    if !server.is_from((6, 0), "it has no LPOS") {
        return;
    }
    let store = open(&server).await;
    let queue = Queue::redisson("orders");
    server.fill(&queue, 4, server.now(), 1_000);
    let keys = queue.keys();
    let order = keys.order.unwrap();
    let members: Vec<_> = (0..4_u64)
        .map(|n| frame(n, format!("entry {n}").as_bytes()))
        .collect();
    // Transferred; half of it; and one that waits although the order list lacks it.
    server.cmd_bytes(&[b"ZREM", &keys.timeouts, &members[0], &members[1]]);
    server.cmd_bytes(&[b"LREM", &order, b"1", &members[0]]);
    server.cmd_bytes(&[b"LREM", &order, b"1", &members[2]]);
    let sought: Vec<&[u8]> = members.iter().map(Vec::as_slice).collect();
    let found = places(&store, (&keys.timeouts, &order), &sought);
    assert_eq!(
        found.await.unwrap().0,
        Known::Is(vec![(2, None), (3, Some(1))])
    );
}
