//! Lives of messages, read off logs that are written here, and off a real one that is cut.

use std::collections::HashMap;
use std::fmt::Write as _;

use proptest::prelude::*;

use super::*;
use crate::queue::frame;
use crate::queue::{Form, QueueName};
use crate::trace::figures::ClientFigures;
use crate::trace::{ClientNames, Log, MessageFate};

const TIMEOUTS: &[u8] = b"redisson_delay_queue_timeout:{orders}";
const ORDER: &[u8] = b"redisson_delay_queue:{orders}";
const CHANNEL: &[u8] = b"redisson_delay_queue_channel:{orders}";
/// The moment at which the logs written here begin, in ms.
const START: i64 = 1_700_000_000_000;
const A: &str = "10.0.0.1:5001";
const B: &str = "10.0.0.2:5002";
const C: &str = "10.0.0.3:5003";
const LUA: &str = "lua";

/// A log of `MONITOR`, written command by command.
#[derive(Default)]
struct Written(String);

impl Written {
    /// Appends a command, so many ms after the start.
    fn at(&mut self, ms: i64, by: &str, words: &[&[u8]]) -> &mut Self {
        let ms = START + ms;
        let (s, ms) = (ms / 1_000, ms % 1_000);
        let _ = write!(self.0, "{s}.{ms:03}000 [0 {by}]");
        for word in words {
            self.0.push_str(" \"");
            for byte in *word {
                let _ = write!(self.0, "\\x{byte:02x}");
            }
            self.0.push('"');
        }
        self.0.push('\n');
        self
    }

    /// The same with words of text.
    fn say(&mut self, ms: i64, by: &str, line: &str) -> &mut Self {
        let words: Vec<&[u8]> = line.split(' ').map(str::as_bytes).collect();
        self.at(ms, by, &words)
    }

    /// An offer of Redisson's, due so many ms after the start.
    fn offer(&mut self, ms: i64, by: &str, member: &[u8], due: i64, is_head: bool) -> &mut Self {
        let due = (START + due).to_string();
        let due = due.as_bytes();
        self.at(ms, by, &[b"EVALSHA", b"c04f", b"4", b"orders", TIMEOUTS]);
        self.at(ms, LUA, &[b"zadd", TIMEOUTS, due, member]);
        self.at(ms, LUA, &[b"rpush", ORDER, member]);
        self.at(ms, LUA, &[b"zrange", TIMEOUTS, b"0", b"0"]);
        if is_head {
            self.at(ms, LUA, &[b"publish", CHANNEL, due]);
        }
        self
    }

    /// A transfer of Redisson's at what its clock says; `fails` before the members leave timeouts.
    fn transfer(
        &mut self,
        ms: i64,
        by: &str,
        clock: i64,
        members: &[&[u8]],
        fails: bool,
    ) -> &mut Self {
        let now = (START + clock).to_string();
        self.at(
            ms,
            by,
            &[b"EVALSHA", TRANSFERS[1], b"3", b"orders", TIMEOUTS, ORDER],
        );
        let due = [
            &b"zrangebyscore"[..],
            TIMEOUTS,
            b"0",
            now.as_bytes(),
            b"limit",
            b"0",
            b"100",
        ];
        self.at(ms, LUA, &due);
        for member in members {
            let payload = frame::decode(member).unwrap().payload;
            self.at(ms, LUA, &[b"rpush", b"orders", payload]);
            self.at(ms, LUA, &[b"lrem", ORDER, b"1", member]);
        }
        if fails {
            return self;
        }
        if !members.is_empty() {
            let all: Vec<&[u8]> = [&b"zrem"[..], TIMEOUTS]
                .iter()
                .chain(members)
                .copied()
                .collect();
            self.at(ms, LUA, &all);
        }
        self.at(ms, LUA, &[b"zrange", TIMEOUTS, b"0", b"0", b"WITHSCORES"])
    }

    /// The events that it tells.
    fn told(&self) -> LogAccount {
        LogAccount::of(self.0.as_bytes(), None)
    }
}

/// All that a log tells.
struct LogAccount {
    events: Vec<Event>,
    lives: Vec<Life>,
    figures: Figures,
    names: ClientNames,
}

impl LogAccount {
    fn of(log: &[u8], wanted: Option<Vec<Queue>>) -> Self {
        let mut log = Log::new(log).unwrap();
        let mut tracker = Tracker::new(wanted, usize::MAX);
        let mut record = Record::default();
        while log.read(&mut record).unwrap() {
            tracker.read(&record);
        }
        let lives = tracker.finish();
        Self {
            events: tracker.events().collect(),
            lives,
            figures: tracker.figures().clone(),
            names: tracker.names().clone(),
        }
    }

    /// The events of each message by their words, in order.
    fn words(&self) -> Vec<(String, &'static str)> {
        let of = |event: &Event| {
            let message = event.message.as_ref();
            let says =
                message.map_or_else(String::new, |m| String::from_utf8_lossy(m.payload()).into());
            (says, event.kind.word())
        };
        self.events.iter().map(of).collect()
    }

    /// The words of the one message there is.
    fn only(&self) -> Vec<&'static str> {
        self.words().into_iter().map(|(_, word)| word).collect()
    }

    fn fates(&self) -> Vec<MessageFate> {
        let end = self.figures.last_us;
        self.lives.iter().map(|life| life.fate(end)).collect()
    }

    /// The only client of a host.
    fn client(&self, host: &str) -> ClientFigures {
        let [(_, figures)] = &self.clients(host)[..] else {
            panic!("{:?}", self.figures.connections);
        };
        figures.clone()
    }

    /// The clients of a host, each with its name.
    fn clients(&self, host: &str) -> Vec<(Option<String>, ClientFigures)> {
        let all = self.figures.clients(&self.names).into_iter();
        let its = all.filter(|client| client.host == host.as_bytes());
        let text = |name: Vec<u8>| String::from_utf8_lossy(&name).into_owned();
        its.map(|client| (client.name.map(text), client.figures))
            .collect()
    }
}

fn framed(payload: &str) -> Vec<u8> {
    frame::encode(Form::ByteId, *b"12345678", payload.as_bytes())
}

fn by(moment: Option<&Moment>) -> String {
    let by = moment.and_then(|moment| moment.by.clone());
    by.map_or_else(String::new, |by| String::from_utf8_lossy(&by).into_owned())
}

#[test]
fn a_transfer_that_takes_members_by_their_places_is_of_those_that_wait_with_these_payloads() {
    let [first, second, later] = [1_u64, 2, 3].map(|n| {
        let payload: &[u8] = if n == 2 { b"other" } else { b"same" };
        frame::encode(Form::ByteId, n.to_be_bytes(), payload)
    });
    let mut log = Written::default();
    log.offer(0, A, &later, 900, true);
    log.offer(1, A, &first, 100, true);
    log.offer(2, A, &second, 200, false);
    log.at(
        300,
        B,
        &[b"EVALSHA", b"da2c", b"3", b"orders", TIMEOUTS, ORDER],
    );
    log.at(300, LUA, &[b"RPUSH", b"orders", b"same", b"other"]);
    log.at(300, LUA, &[b"LTRIM", ORDER, b"2", b"-1"]);
    log.at(300, LUA, &[b"ZREMRANGEBYRANK", TIMEOUTS, b"0", b"1"]);
    log.say(350, C, "LPOP orders");
    let told = log.told();
    let fates = [
        MessageFate::Waiting,
        MessageFate::Consumed,
        MessageFate::Delivered,
    ];
    assert_eq!(told.fates(), fates);
    assert_eq!(told.lives[2].late_us, Some(100_000));
}

#[test]
fn a_message_lives_from_its_offer_to_the_consumer_that_waits_for_it() {
    let mut log = Written::default();
    log.say(0, C, "BLPOP orders 0")
        .offer(10, A, &framed("a"), 1_000, true)
        .transfer(1_020, B, 1_018, &[&framed("a")], false)
        .say(1_030, C, "BLPOP orders 0");
    let told = log.told();
    assert_eq!(
        told.only(),
        ["offered", "announced", "transferred", "consumed"]
    );
    let life = &told.lives[0];
    assert_eq!(told.fates(), [MessageFate::Consumed]);
    assert_eq!(
        (by(life.offered.as_ref()), by(life.transferred.as_ref())),
        (A.into(), B.into())
    );
    assert_eq!(by(life.consumed.as_ref()), C);
    assert_eq!((life.late_us, life.waited_us()), (Some(20_000), Some(0)));
    assert!(life.is_presumed, "{:?}", told.events);
}

#[test]
fn a_message_that_nobody_waits_for_lies_in_target_until_it_is_taken() {
    let mut log = Written::default();
    log.offer(0, A, &framed("a"), 100, true)
        .offer(1, A, &framed("b"), 100, false)
        .transfer(120, A, 120, &[&framed("a"), &framed("b")], false)
        .say(620, C, "LPOP orders");
    let told = log.told();
    assert_eq!(
        told.fates(),
        [MessageFate::Consumed, MessageFate::Delivered]
    );
    assert_eq!(told.lives[0].waited_us(), Some(500_000));
    let places = told.events.iter().filter_map(|event| match event.kind {
        EventKind::Transferred { place, of, .. } => Some((place, of)),
        _ => None,
    });
    assert_eq!(places.collect::<Vec<_>>(), [(1, 2), (2, 2)]);
}

#[test]
fn the_lives_of_all_four_forms_of_frames_are_told() {
    for form in Form::ALL {
        let member = frame::encode(form, [7, 1, 2, 3, 4, 5, 6, 0x43], b"hello");
        let mut log = Written::default();
        log.offer(0, A, &member, 100, true)
            .transfer(120, A, 120, &[&member], false);
        let told = log.told();
        assert_eq!(
            told.only(),
            ["offered", "announced", "transferred"],
            "{form:?}"
        );
        let message = &told.lives[0].message;
        assert_eq!(
            (message.form(), message.payload()),
            (Some(form), &b"hello"[..])
        );
    }
}

#[test]
fn what_a_failing_transfer_pushes_again_and_again_is_delivered_again() {
    let mut log = Written::default();
    log.offer(0, A, &framed("good"), 100, true);
    for again in 0..3 {
        let at = 120 + again * 5_000;
        log.transfer(at, A, at, &[&framed("good")], true);
        log.say(at + 1, C, "LPOP orders");
    }
    let told = log.told();
    let life = &told.lives[0];
    assert_eq!((life.transfers, life.deliveries), (3, 3));
    assert_eq!(told.fates(), [MessageFate::Late]);
    assert_eq!(told.figures.delivered_again, 1);
    assert_eq!(told.figures.transfers_again, 2);
    assert_eq!(told.figures.events["failed"], 3);
    assert_eq!(told.client("10.0.0.1").transfers_failed, 3);
}

#[test]
fn who_won_a_race_and_whose_clock_is_wrong_is_told() {
    let mut log = Written::default();
    log.offer(0, A, &framed("a"), 1_000, true)
        .transfer(1_010, B, 3_005, &[&framed("a")], false)
        .transfer(1_011, A, 1_008, &[], false)
        .transfer(1_012, C, -990, &[], false);
    let told = log.told();
    let figures = |host| {
        let client = told.client(host);
        (
            client.transfers_won,
            client.transfers_in_vain,
            client.clocks.told(),
        )
    };
    assert_eq!(figures("10.0.0.1"), (0, 1, vec![-3_000]));
    assert_eq!(figures("10.0.0.2"), (1, 0, vec![1_995_000]));
    assert_eq!(figures("10.0.0.3"), (0, 1, vec![-2_002_000]));
}

/// Transfers in vain of clients at these addresses, so far ahead of the server in ms, each five times.
fn ticking(clients: &[(&str, i64)]) -> Written {
    let mut log = Written::default();
    for round in 0..5 {
        for (place, (by, ahead)) in clients.iter().enumerate() {
            // What keeps a command back now and then.
            let late = (round * 7 + i64::try_from(place).unwrap() * 3) % 20;
            let at = round * 1_000 + 10 * i64::try_from(place).unwrap();
            log.transfer(at + late, by, at + ahead, &[], false);
        }
    }
    log
}

#[test]
fn a_clock_that_seems_to_be_behind_is_sure_once_it_was_seen_again() {
    let mut once = Written::default();
    once.transfer(1_000, A, 400, &[], false);
    let sure = |log: &Written| log.told().client("10.0.0.1").clocks.sure();
    assert!(sure(&once).is_empty());
    assert_eq!(sure(&ticking(&[(A, -2_000)])).len(), 1);
    // Nothing makes a command too early.
    let mut ahead = Written::default();
    ahead.transfer(1_000, A, 3_000, &[], false);
    assert_eq!(sure(&ahead), [2_000_000]);
}

#[test]
fn clocks_beyond_all_times_are_told_apart() {
    let mut log = Written::default();
    for now in [9_000_000_000_000_000, -9_000_000_000_000_000] {
        log.transfer(1_000, A, now, &[], false);
    }
    assert!(!log.told().client("10.0.0.1").clocks.told().is_empty());
}

/// The clocks of each client of a host, in ms, to 50 ms.
fn clocks(told: &LogAccount, host: &str) -> Vec<Vec<i64>> {
    let rounded = |us: i64| (us + 25_000).div_euclid(50_000) * 50;
    let all = told.clients(host).into_iter();
    all.map(|(_, client)| client.clocks.told().into_iter().map(rounded).collect())
        .collect()
}

#[test]
fn clients_of_one_host_whose_clocks_are_wrong_are_both_found_whether_they_have_names_or_not() {
    let (host, wrong) = ("10.0.0.7", [2_000, -2_000]);
    let two = [("10.0.0.7:1", 2_000), ("10.0.0.7:2", -2_000)];
    assert_eq!(clocks(&ticking(&two).told(), host), [wrong]);
    // One that is right hides none that is behind it.
    let right = [("10.0.0.7:1", 0), ("10.0.0.7:2", -2_000)];
    assert_eq!(clocks(&ticking(&right).told(), host), [[0, -2_000]]);
    // All clients of a unix socket have one address.
    let socket = [("unix:/s", 2_000), ("unix:/s", -2_000)];
    assert_eq!(clocks(&ticking(&socket).told(), "unix:/s"), [wrong]);
    let mut log = Written::default();
    log.say(0, "10.0.0.7:1", "CLIENT SETNAME mail");
    log.say(0, "10.0.0.7:2", "CLIENT SETNAME shop");
    log.0 += &ticking(&two).0;
    log.offer(9_000, "10.0.0.7:2", &framed("a"), 10_000, true);
    let told = log.told();
    assert_eq!(clocks(&told, host), [[2_000], [-2_000]]);
    let its = |(name, figures): (Option<String>, ClientFigures)| {
        (name.unwrap(), figures.offered, figures.transfers_in_vain)
    };
    let each: Vec<_> = told.clients(host).into_iter().map(its).collect();
    assert_eq!(each, [("mail".into(), 0, 5), ("shop".into(), 1, 5)]);
}

#[test]
fn the_many_connections_of_one_client_are_one_and_what_keeps_some_back_is_no_other_clock() {
    let ports: Vec<String> = (0..9).map(|port| format!("10.0.0.7:{port}")).collect();
    let mut log = Written::default();
    for port in &ports[..5] {
        log.say(0, port, "CLIENT SETNAME mail");
    }
    for (n, port) in (0_i64..).zip(ports.iter().cycle()).take(200) {
        // Some are kept for up to 3 s, and once three together.
        let late = match n {
            100..103 => 2_000,
            n if n % 3 == 0 => (n * 131) % 3_000,
            _ => 1,
        };
        let at = if late == 2_000 { 500_000 } else { n * 5_000 };
        log.transfer(at + late, port, at, &[], false);
    }
    let told = log.told();
    let clients = told.clients("10.0.0.7");
    assert_eq!(clients.len(), 1, "{clients:?}");
    assert_eq!(clients[0].1.clocks.told(), [0], "{clients:?}");
    assert_eq!(clients[0].1.transfers_in_vain, 200);
}

#[test]
fn what_is_due_and_nobody_asks_for_is_told_and_what_was_asked_for_late_says_when() {
    let mut log = Written::default();
    log.offer(0, A, &framed("a"), 1_000, true)
        .transfer(900, B, 900, &[], false)
        .transfer(3_000, B, 3_000, &[&framed("a")], false)
        .offer(3_500, A, &framed("b"), 4_000, true)
        .say(9_000, C, "PING");
    let told = log.told();
    let asked_at = |ms: i64| Some(FirstAsk::At((START + ms) * 1_000));
    let asked: Vec<_> = told.lives.iter().map(|life| life.asked).collect();
    assert_eq!(asked, [asked_at(3_000), Some(FirstAsk::Never)]);
    assert_eq!(told.figures.nobody_asked, 1);
    // It fails at what stands before it: somebody asks.
    log.transfer(9_500, B, 9_500, &[], true)
        .say(9_600, C, "PING");
    let told = log.told();
    assert_eq!(told.lives[1].asked, asked_at(9_500));
    assert_eq!(told.figures.nobody_asked, 0);
}

#[test]
fn what_falls_due_just_before_the_log_ends_is_not_told_as_asked_for_by_nobody() {
    let ending_at = |ms| {
        let mut log = Written::default();
        log.offer(0, A, &framed("a"), 1_000, true)
            .transfer(500, B, 500, &[], false)
            .say(ms, C, "PING");
        let told = log.told();
        (told.figures.nobody_asked, told.lives[0].asked)
    };
    assert_eq!(ending_at(1_050), (0, None));
    assert_eq!(ending_at(2_999), (0, None));
    assert_eq!(ending_at(3_000), (1, Some(FirstAsk::Never)));
    // Nor what was due long ago, and is offered just then.
    let mut log = Written::default();
    log.say(0, C, "PING")
        .offer(9_000, A, &framed("a"), 1_000, true)
        .say(9_050, C, "PING");
    assert_eq!(log.told().figures.nobody_asked, 0);
    // Somebody who asks does so, however soon it ends.
    let mut log = Written::default();
    log.offer(0, A, &framed("a"), 1_000, true)
        .transfer(1_020, B, 990, &[], false)
        .say(1_050, C, "PING");
    let asked = FirstAsk::At((START + 1_020) * 1_000);
    assert_eq!(log.told().lives[0].asked, Some(asked));
}

#[test]
fn who_asked_for_what_was_due_before_the_log_began_is_not_known() {
    let mut log = Written::default();
    log.offer(5_000, A, &framed("stays"), 1_000, true)
        .offer(5_001, A, &framed("leaves"), 1_000, false)
        .offer(5_002, A, &framed("later"), 6_000, false)
        .transfer(5_500, B, 5_500, &[&framed("leaves")], false)
        .say(20_000, C, "PING");
    let told = log.told();
    let asked: Vec<_> = told.lives.iter().map(|life| life.asked).collect();
    assert_eq!(asked, [None, None, Some(FirstAsk::Never)]);
    assert_eq!(told.figures.nobody_asked, 1);
}

#[test]
fn a_message_is_armed_by_the_first_client_whose_transfer_leaves_it_as_the_head() {
    let mut log = Written::default();
    log.offer(0, A, &framed("behind"), 9_000, false)
        .transfer(100, B, 100, &[], false)
        .offer(200, A, &framed("head"), 5_000, true)
        .transfer(300, B, 300, &[], false)
        .transfer(400, C, 400, &[], false)
        .transfer(5_000, C, 5_000, &[&framed("head")], false);
    let told = log.told();
    let armed = |life: &Life| by(life.armed.as_ref());
    // What was there before the log began may have stood before the first one.
    assert!(told.lives[0].armed.is_none());
    assert_eq!(armed(&told.lives[1]), B);
    assert_eq!(told.lives[1].listening, None);
}

#[test]
fn who_armed_a_message_is_told_with_the_time_since_which_it_listens() {
    let mut log = Written::default();
    log.at(0, "10.0.0.2:99", &[b"SUBSCRIBE", CHANNEL])
        .at(1, "10.0.0.3:99", &[b"SUBSCRIBE", CHANNEL])
        .offer(200, A, &framed("head"), 5_000, true)
        .transfer(300, B, 300, &[], false);
    let told = log.told();
    let listening = told.lives[0].listening.as_ref().unwrap();
    assert_eq!(by(Some(listening)), "10.0.0.2:99");
    assert_eq!(listening.at_us, Some(START * 1_000));
}

#[test]
fn a_client_that_does_not_repeat_a_failed_transfer_after_five_seconds_is_told() {
    let mut log = Written::default();
    log.offer(0, A, &framed("a"), 0, true)
        .transfer(1_000, B, 1_000, &[], true)
        .transfer(6_010, B, 6_010, &[], true)
        .transfer(16_010, B, 16_010, &[], true)
        .transfer(16_020, C, 16_020, &[], true)
        .transfer(21_030, C, 21_030, &[], false)
        .say(30_000, A, "PING");
    let told = log.told();
    let missed = |host| told.client(host).retries_missed;
    // Once between, and once at the end.
    assert_eq!((missed("10.0.0.2"), missed("10.0.0.3")), (2, 0));
}

#[test]
fn the_format_of_a_client_is_that_of_its_offers_and_of_its_transfers() {
    let mut log = Written::default();
    log.offer(0, A, &framed("a"), 1_000, true)
        .transfer(1_000, B, 1_000, &[&framed("a")], false)
        .say(2_000, C, "PING");
    let told = log.told();
    assert_eq!(told.client("10.0.0.1").eras, [Era::Newer]);
    assert_eq!(told.client("10.0.0.2").eras, [Era::Newer]);
    assert_eq!(era_of(TRANSFERS[0]), Some(Era::Older));
    assert_eq!(era_of(b"struct.unpack('dLc0', v)"), Some(Era::Older));
    assert_eq!(era_of(b"struct.unpack('Bc0Lc0', v)"), Some(Era::Newer));
}

/// Returns the client that transferred a message, and those that ran the same transfer in vain.
fn race(life: &Life) -> (String, Vec<String>) {
    let text = |by: &Arc<[u8]>| String::from_utf8_lossy(by).into_owned();
    let in_vain = life.in_vain_by.iter().map(text).collect();
    (by(life.transferred.as_ref()), in_vain)
}

#[test]
fn each_message_of_a_transfer_that_three_clients_run_knows_who_was_first_and_who_ran_in_vain() {
    let mut log = Written::default();
    log.offer(0, A, &framed("a"), 1_000, true)
        .offer(1, A, &framed("b"), 1_000, false)
        .offer(2, A, &framed("later"), 60_000, false)
        .transfer(1_010, B, 1_010, &[&framed("a"), &framed("b")], false)
        .transfer(1_011, A, 1_011, &[], false)
        .transfer(1_090, C, 1_090, &[], false);
    let told = log.told();
    let rivals = vec![A.to_owned(), C.to_owned()];
    for life in &told.lives[..2] {
        assert_eq!(race(life), (B.into(), rivals.clone()));
        assert_eq!(life.in_vain, 2);
    }
    assert_eq!(told.lives[2].in_vain, 0);
    // The first of the batch has the events.
    let in_vain = told.events.iter().filter_map(|event| match &event.kind {
        EventKind::InVain { won } => {
            let message = event.message.as_ref().unwrap();
            let after = event.at_us.unwrap() - won.at_us.unwrap();
            Some((message.payload(), by(Some(won)), after / 1_000))
        }
        _ => None,
    });
    let expected = [1, 80].map(|after| (&b"a"[..], B.to_owned(), after));
    assert_eq!(in_vain.collect::<Vec<_>>(), expected);
    let races = |host| {
        let client = told.client(host);
        (client.races_won, client.races_lost)
    };
    assert_eq!(races("10.0.0.1"), (0, 1));
    assert_eq!(races("10.0.0.2"), (1, 0));
    assert_eq!(races("10.0.0.3"), (0, 1));
}

#[test]
fn a_transfer_in_vain_that_no_other_was_before_is_no_race() {
    let a = framed("a");
    let begun = || {
        let mut log = Written::default();
        log.offer(0, A, &a, 1_000, true)
            .transfer(1_005, B, 1_005, &[&a], false);
        log
    };
    let mut raced = begun();
    raced.transfer(1_012, C, 1_012, &[], false);
    let mut of_its_own = begun();
    of_its_own.transfer(1_012, B, 1_012, &[], false);
    let mut long_after = begun();
    long_after.transfer(6_100, C, 6_100, &[], false);
    // It waits for what is due in 10 ms by asking again.
    let mut for_the_next = begun();
    for_the_next.offer(1_006, A, &framed("next"), 1_020, true);
    for_the_next.transfer(1_012, C, 1_012, &[], false);
    // It has just begun; what it runs next is a race again.
    let mut new = begun();
    new.at(1_007, "10.0.0.3:99", &[b"SUBSCRIBE", CHANNEL]);
    new.transfer(1_012, C, 1_012, &[], false);
    let mut once_more = begun();
    once_more.at(1_007, "10.0.0.3:99", &[b"SUBSCRIBE", CHANNEL]);
    once_more.transfer(1_012, C, 1_012, &[], false);
    once_more.transfer(1_013, C, 1_013, &[], false);
    for (log, races) in [
        (raced, 1),
        (of_its_own, 0),
        (long_after, 0),
        (for_the_next, 0),
        (new, 0),
        (once_more, 1),
    ] {
        let told = log.told();
        let in_vain = told.only().into_iter().filter(|word| *word == "in-vain");
        assert_eq!(in_vain.count(), races, "{}", log.0);
        assert_eq!(told.client("10.0.0.2").races_won, races as u64);
        assert_eq!(told.lives[0].in_vain, races as u64);
    }
}

#[test]
fn a_transfer_is_one_by_what_it_does_where_the_log_has_no_text_of_its_script() {
    let a = framed("a");
    let mut log = Written::default();
    log.offer(0, A, &a, 1_000, true)
        .transfer(1_005, B, 1_005, &[&a], false)
        .transfer(1_012, C, 1_012, &[], false)
        .transfer(1_020, C, 1_020, &[&a], true);
    let of_known = log.told();
    // The same by a release whose scripts nobody here knows.
    let hex = |bytes: &[u8]| {
        let hex = |all: String, byte: &u8| all + &format!("\\x{byte:02x}");
        bytes.iter().fold(String::new(), hex)
    };
    let unknown = b"0123456789012345678901234567890123456789";
    let mut log = Written(log.0.replace(&hex(TRANSFERS[1]), &hex(unknown)));
    assert_eq!(log.say(1_100, A, "PING").told().words(), of_known.words());
    let connections = log.told().figures.connections;
    assert_eq!(connections, of_known.figures.connections);
    assert_eq!(of_known.figures.events["failed"], 1);
}

#[test]
fn scripts_whose_commands_the_log_leaves_out_are_counted() {
    let mut log = Written::default();
    let keys: [&[u8]; 6] = [b"EVALSHA", TRANSFERS[1], b"3", b"orders", TIMEOUTS, ORDER];
    log.say(0, A, "EVALSHA abc 1 other")
        .at(10, B, &keys)
        .at(20, B, &keys);
    let figures = log.told().figures;
    assert_eq!((figures.scripts, figures.script_commands), (2, 0));
    log.transfer(30, B, 30, &[], false);
    assert_ne!(log.told().figures.script_commands, 0);
}

#[test]
fn a_script_that_the_server_does_not_know_is_no_transfer() {
    let mut log = Written::default();
    let keys: [&[u8]; 6] = [b"EVALSHA", TRANSFERS[1], b"3", b"orders", TIMEOUTS, ORDER];
    log.offer(0, A, &framed("a"), 1_000, true).at(10, B, &keys);
    let told = log.told();
    assert_eq!(told.only(), ["offered", "announced"]);
    assert!(told.clients("10.0.0.2").is_empty());
}

#[test]
fn what_ends_otherwise_is_told_as_what_it_was() {
    let member = framed("a");
    let offered = || {
        let mut log = Written::default();
        log.offer(0, A, &member, 100_000, true);
        log
    };
    let mut polled = offered();
    polled
        .say(10, B, "EVAL poll 2 orders")
        .at(10, LUA, &[b"lpop", ORDER])
        .at(10, LUA, &[b"zrem", TIMEOUTS, &member]);
    let mut removed = offered();
    removed
        .say(10, B, "EVAL remove 2 orders")
        .at(10, LUA, &[b"zrem", TIMEOUTS, &member])
        .at(10, LUA, &[b"lrem", ORDER, b"1", &member]);
    let mut deleted = offered();
    deleted.at(10, B, &[b"DEL", ORDER, TIMEOUTS]);
    let mut flushed = offered();
    flushed.say(10, B, "FLUSHALL");
    let mut expired = offered();
    expired
        .at(10, B, &[b"PEXPIRE", TIMEOUTS, b"500"])
        .say(600, B, "PING");
    let mut renamed = offered();
    renamed.at(10, B, &[b"RENAME", TIMEOUTS, b"elsewhere"]);
    for (log, fate) in [
        (polled, MessageFate::Polled),
        (removed, MessageFate::Removed),
        (deleted, MessageFate::Deleted),
        (flushed, MessageFate::Deleted),
        (expired, MessageFate::Expired),
        (renamed, MessageFate::Renamed),
    ] {
        let told = log.told();
        assert_eq!(told.fates(), [fate]);
        assert_eq!(told.only(), ["offered", "announced", fate.word()]);
    }
    let mut drained = offered();
    drained
        .transfer(120_000, B, 120_000, &[&member], false)
        .say(130_000, C, "EVAL drain 1 orders")
        .at(130_000, LUA, &[b"lrange", b"orders", b"0", b"-1"])
        .at(130_000, LUA, &[b"del", b"orders"]);
    assert_eq!(drained.told().fates(), [MessageFate::Consumed]);
    let mut kept = offered();
    kept.at(10, B, &[b"PEXPIRE", TIMEOUTS, b"500"])
        .at(20, B, &[b"PERSIST", TIMEOUTS])
        .say(600, B, "PING");
    assert_eq!(kept.told().fates(), [MessageFate::Waiting]);
}

#[test]
fn what_lies_in_a_target_list_that_expires_is_told_as_expired_with_its_key() {
    let member = framed("a");
    let delivered = || {
        let mut log = Written::default();
        log.offer(0, A, &member, 100, true)
            .transfer(120, A, 120, &[&member], false);
        log
    };
    let mut expired = delivered();
    expired
        .say(200, B, "PEXPIRE orders 500")
        .say(900, B, "PING");
    let told = expired.told();
    assert_eq!(told.fates(), [MessageFate::Expired]);
    let last = told.events.last().unwrap();
    assert_eq!(
        (last.kind.word(), last.at_us),
        ("expired", Some((START + 700) * 1_000))
    );
    let mut kept = delivered();
    kept.say(200, B, "PEXPIRE orders 500")
        .say(300, B, "PERSIST orders")
        .say(900, B, "PING");
    assert_eq!(kept.told().fates(), [MessageFate::Delivered]);
}

#[test]
fn a_key_that_was_empty_meanwhile_expires_no_more() {
    let [first, second] = ["a", "b"].map(framed);
    let mut log = Written::default();
    log.at(0, A, &[b"DEL", TIMEOUTS])
        .say(0, A, "DEL orders")
        .offer(1, A, &first, 100, true)
        .at(2, B, &[b"PEXPIRE", TIMEOUTS, b"500"])
        .transfer(120, A, 120, &[&first], false)
        .say(130, B, "PEXPIRE orders 500")
        .say(140, C, "LPOP orders")
        .offer(150, A, &second, 160, true)
        .offer(151, A, &framed("later"), 90_000, true)
        .transfer(170, A, 170, &[&second], false)
        .say(2_000, B, "PING");
    let fates = [
        MessageFate::Consumed,
        MessageFate::Delivered,
        MessageFate::Waiting,
    ];
    assert_eq!(log.told().fates(), fates);
}

#[test]
fn messages_that_are_gone_before_a_consumer_had_them_are_counted() {
    let all = ["removed", "dropped", "taken", "polled", "deleted"].map(framed);
    let [removed, dropped, taken, polled, deleted] = &all;
    let mut log = Written::default();
    for member in &all {
        log.offer(0, A, member, 100_000, false);
    }
    log.at(10, B, &[b"ZREM", TIMEOUTS, removed])
        .say(20, B, "EVAL poll 2 orders")
        .at(20, LUA, &[b"lpop", ORDER])
        .at(20, LUA, &[b"zrem", TIMEOUTS, polled])
        .transfer(30, A, 100_000, &[dropped, taken], false)
        .say(40, C, "LREM orders 1 dropped")
        .say(50, C, "LPOP orders")
        .at(60, B, &[b"DEL", TIMEOUTS])
        .say(5_000, B, "PING");
    let told = log.told();
    assert_eq!(told.lives.len(), 5);
    assert!(
        told.lives
            .iter()
            .any(|life| life.message.member[..] == deleted[..])
    );
    assert_eq!(told.figures.never_delivered, 3, "{:?}", told.words());
}

#[test]
fn a_message_that_is_given_other_bytes_in_one_step_is_edited_and_what_it_becomes_begins_so() {
    let [old, new] = ["old", "new"].map(framed);
    let due = (START + 100_000).to_string();
    let due = due.as_bytes();
    let script = |log: &mut Written| {
        log.say(10, B, "EVAL edit 3 timeouts order aside")
            .at(10, LUA, &[b"ZADD", TIMEOUTS, b"NX", due, &new])
            .at(10, LUA, &[b"LINSERT", ORDER, b"BEFORE", &old, &new])
            .at(10, LUA, &[b"LREM", ORDER, b"0", &old])
            .at(10, LUA, &[b"ZREM", TIMEOUTS, &old]);
    };
    let by_script = |is_offered: bool| {
        let mut log = Written::default();
        if is_offered {
            log.offer(0, A, &old, 100_000, false);
        }
        script(&mut log);
        log
    };
    let mut by_transaction = Written::default();
    by_transaction
        .offer(0, A, &old, 100_000, false)
        .say(10, B, "MULTI")
        .at(10, B, &[b"ZREM", TIMEOUTS, &old])
        .at(10, B, &[b"ZADD", TIMEOUTS, due, &new])
        .say(10, B, "EXEC");
    for (mut log, begin) in [
        (by_script(true), &["offered"][..]),
        (by_transaction, &["offered"]),
        (by_script(false), &[]),
    ] {
        log.transfer(100_005, A, 100_005, &[&new], false);
        let told = log.told();
        let all = [begin, &["edited", "edited", "transferred"]].concat();
        assert_eq!(told.only(), all, "{}", log.0);
        let of = |member: &[u8]| {
            let mut all = told.lives.iter();
            all.find(|life| *life.message.member == *member).unwrap()
        };
        let id = |member: &[u8]| of(member).message.id();
        let (before, after) = (of(&old), of(&new));
        assert_eq!(before.fate(None), MessageFate::Edited);
        let (kind, moment) = before.ended.as_ref().unwrap();
        assert_eq!(*kind, EventKind::EditedInto { into: id(&new) });
        let (from, begun) = after.edited_from.as_ref().unwrap();
        assert_eq!(
            (*from, begun, by(Some(moment))),
            (id(&old), moment, B.into())
        );
        assert_eq!((after.late_us, &after.offered), (Some(5_000), &None));
        assert!(told.lives.iter().all(|life| !life.is_presumed));
    }
}

#[test]
fn what_is_offered_where_another_one_is_removed_is_no_edit() {
    let [old, new] = ["old", "new"].map(framed);
    let mut log = Written::default();
    log.offer(0, A, &old, 100_000, false)
        .say(10, B, "MULTI")
        .at(10, B, &[b"ZREM", TIMEOUTS, &old])
        .at(10, B, &[b"ZADD", TIMEOUTS, b"1700000200000", &new])
        .say(10, B, "EXEC");
    assert_eq!(log.told().only(), ["offered", "removed", "offered"]);
    // Each by a command of its own.
    let mut log = Written::default();
    log.say(0, A, "ZADD delay 1700000005 old")
        .say(10, B, "ZADD delay NX 1700000005 new")
        .say(10, B, "ZREM delay old")
        .say(5_000, B, "PING");
    assert_eq!(plainly(&log).only(), ["offered", "offered", "removed"]);
}

#[test]
fn what_a_script_does_whose_start_is_missing_is_not_told_of_the_client_before_it() {
    let due = (START + 5_000).to_string();
    let mut log = Written::default();
    log.say(0, C, "LPOP orders")
        .at(10, LUA, &[b"zadd", TIMEOUTS, due.as_bytes(), &framed("a")])
        .at(10, LUA, &[b"publish", CHANNEL, due.as_bytes()])
        .say(20, C, "PING");
    let told = log.told();
    assert_eq!(told.only(), ["offered", "announced"]);
    for event in &told.events {
        assert_eq!(
            (&event.by, event.at_us),
            (&None, Some((START + 10) * 1_000))
        );
    }
}

#[test]
fn what_left_just_before_the_log_ends_is_presumed_to_be_removed() {
    let ending_at = |ms| {
        let mut log = Written::default();
        log.say(0, A, "ZADD delay 1700000001 x")
            .say(1_500, B, "ZREM delay x")
            .say(ms, C, "PING");
        let told = plainly(&log);
        assert_eq!(told.fates(), [MessageFate::Removed]);
        (told.lives[0].is_presumed, told.events[1].is_presumed)
    };
    assert_eq!(ending_at(1_600), (true, true));
    assert_eq!(ending_at(2_501), (false, false));
}

#[test]
fn where_a_log_has_the_target_of_a_redisson_queue_alone_its_messages_are_known_by_their_payloads() {
    let alone = || {
        let mut log = Written::default();
        log.say(0, A, "RPUSH orders a")
            .say(10, A, "RPUSH orders b c")
            .say(20, C, "LPOP orders")
            .say(30, B, "LREM orders 1 before")
            .say(40, B, "LREM orders 1 c")
            .say(50, B, "PING");
        log
    };
    let wanted = || Some(vec![Queue::redisson(b"orders")]);
    let told = LogAccount::of(alone().0.as_bytes(), wanted());
    let words = told.words();
    let words: Vec<_> = words
        .iter()
        .map(|(says, word)| (says.as_str(), *word))
        .collect();
    let expected = [
        ("a", "transferred"),
        ("b", "transferred"),
        ("c", "transferred"),
        ("a", "consumed"),
        ("before", "removed"),
        ("c", "removed"),
    ];
    assert_eq!(words, expected);
    // Of one that was seen to come it is sure that it was removed.
    assert!(told.events[..5].iter().all(|event| event.is_presumed));
    assert!(told.lives.iter().all(|life| life.is_presumed));
    let fates = [
        MessageFate::Consumed,
        MessageFate::Delivered,
        MessageFate::Removed,
        MessageFate::Removed,
    ];
    assert_eq!((told.fates(), told.figures.messages), (fates.to_vec(), 4));
    // Where it shows the queue too, they were no delayed messages.
    let mut seen = alone();
    seen.offer(60, A, &framed("d"), 1_000, true)
        .say(70, A, "RPUSH orders e");
    let told = LogAccount::of(seen.0.as_bytes(), wanted());
    assert_eq!(told.only(), ["offered", "announced"]);
    assert_eq!((told.lives.len(), told.figures.messages), (1, 1));
    // Nor is anything lost where there are more than memory is taken for.
    let mut log = Written::default();
    for number in 0..100 {
        log.say(number, A, &format!("RPUSH orders m{number}"));
    }
    let mut monitor = Log::new(log.0.as_bytes()).unwrap();
    let mut tracker = Tracker::new(wanted(), 20_000);
    let mut record = Record::default();
    while monitor.read(&mut record).unwrap() {
        tracker.read(&record);
    }
    let lives = tracker.finish().len() + tracker.let_go().count();
    assert_eq!((lives, tracker.events().count()), (100, 100));
}

#[test]
fn a_message_with_another_due_time_is_requeued_and_late_by_that_one() {
    let mut log = Written::default();
    log.offer(0, A, &framed("a"), 100_000, true);
    let due = (START + 1_000).to_string();
    log.at(
        10,
        B,
        &[b"ZADD", TIMEOUTS, b"XX", due.as_bytes(), &framed("a")],
    )
    .transfer(1_004, A, 1_004, &[&framed("a")], false);
    let told = log.told();
    assert_eq!(
        told.only(),
        ["offered", "announced", "requeued", "transferred"]
    );
    assert_eq!(told.lives[0].late_us, Some(4_000));
}

#[test]
fn an_offer_before_the_log_begins_is_not_invented() {
    let mut log = Written::default();
    log.transfer(0, A, 0, &[&framed("a")], false);
    let told = log.told();
    assert_eq!(told.only(), ["transferred"]);
    let life = &told.lives[0];
    assert_eq!((&life.offered, life.due, life.late_us), (&None, None, None));
}

#[test]
fn what_target_held_is_known_once_a_consumer_has_waited_in_vain() {
    let mut log = Written::default();
    log.offer(0, A, &framed("a"), 5_000, true)
        .say(10, C, "BLPOP orders 1")
        .say(1_020, C, "BLPOP orders 60")
        .transfer(5_010, A, 5_010, &[&framed("a")], false)
        .say(5_020, A, "PING");
    let told = log.told();
    assert_eq!(told.fates(), [MessageFate::Consumed]);
    assert!(!told.lives[0].is_presumed);
}

#[test]
fn the_queue_has_the_name_that_its_scripts_say() {
    let mut log = Written::default();
    log.say(0, A, "PING")
        .at(0, LUA, &[b"zadd", TIMEOUTS, b"1700000001000", &framed("a")])
        .at(
            5,
            A,
            &[b"EVALSHA", TRANSFERS[1], b"3", b"{orders}", TIMEOUTS, ORDER],
        )
        .at(5, LUA, &[b"rpush", b"{orders}", b"a"])
        .at(5, LUA, &[b"lrem", ORDER, b"1", &framed("a")])
        .at(5, LUA, &[b"zrem", TIMEOUTS, &framed("a")]);
    let told = log.told();
    assert_eq!(told.only(), ["offered", "transferred"]);
    assert_eq!(told.events[1].queue.name, QueueName::from("{orders}"));
}

#[test]
fn a_plain_queue_is_moved_by_two_commands_and_holds_what_others_push() {
    let queue: Queue = "zset-list:delay,ready".parse().unwrap();
    let mut log = Written::default();
    log.say(0, A, "ZADD delay 1700000001 x 1700000001 gone")
        .say(10, A, "LPUSH ready direct")
        .say(1_500, B, "LPUSH ready x")
        .say(1_501, B, "ZREM delay x")
        .say(1_502, B, "LPUSH ready before")
        .say(1_503, B, "ZREM delay before")
        .say(1_504, B, "ZREM delay gone")
        .say(2_000, C, "RPOP ready")
        .say(2_000, C, "RPOP ready");
    let told = LogAccount::of(log.0.as_bytes(), Some(vec![queue]));
    let words = told.words();
    let of = |says: &str| -> Vec<_> {
        let its = words.iter().filter(|(message, _)| message == says);
        its.map(|(_, word)| *word).collect()
    };
    assert_eq!(of("x"), ["offered", "transferred", "consumed"]);
    assert_eq!(of("before"), ["transferred"]);
    assert_eq!(of("gone"), ["offered", "removed"]);
    assert_eq!(of("direct"), [""; 0]);
    assert_eq!(told.figures.messages, 3);
    assert_eq!(told.lives[0].late_us, Some(500_000));
    assert_eq!(
        told.fates(),
        [
            MessageFate::Consumed,
            MessageFate::Removed,
            MessageFate::Delivered
        ]
    );
}

/// The plain queue of the logs written here.
fn plain() -> Queue {
    "zset-list:delay,ready".parse().unwrap()
}

/// All that a log of the plain queue tells.
fn plainly(log: &Written) -> LogAccount {
    LogAccount::of(log.0.as_bytes(), Some(vec![plain()]))
}

#[test]
fn a_message_that_leaves_timeouts_before_it_is_pushed_is_transferred_and_not_removed() {
    let mut one_by_one = Written::default();
    one_by_one
        .say(0, A, "ZADD delay 1700000001 x")
        .say(1_500, B, "ZREM delay x")
        .say(1_500, C, "ZREM delay x")
        .say(1_501, B, "HGET jobs x")
        .say(1_502, C, "LPUSH ready x");
    let mut together = Written::default();
    together
        .say(0, A, "ZADD delay 1700000001 x")
        .say(1_500, B, "MULTI")
        .say(1_500, C, "PING")
        .say(1_500, B, "ZREM delay x")
        .say(1_500, B, "LPUSH ready x")
        .say(1_500, B, "EXEC");
    let mut script = Written::default();
    script
        .say(0, A, "ZADD delay 1700000001 x")
        .say(1_500, B, "EVAL move 2 delay ready")
        .say(1_500, LUA, "ZREMRANGEBYSCORE delay -inf 1700000001")
        .say(1_500, LUA, "RPUSH ready x");
    let mut popped = Written::default();
    popped
        .say(0, A, "ZADD delay 1700000001 x 1700000009 later")
        .say(1_500, B, "ZPOPMIN delay")
        .say(1_501, B, "LPUSH ready x");
    for log in [one_by_one, together, script, popped] {
        let told = plainly(&log);
        let words = told.words();
        let of_x = words.iter().filter(|(says, _)| says == "x");
        let of_x: Vec<_> = of_x.map(|(_, word)| *word).collect();
        assert_eq!(of_x, ["offered", "transferred"], "{}", log.0);
        assert_eq!(told.fates()[0], MessageFate::Delivered);
        assert!(!told.lives[0].is_presumed, "{}", log.0);
        assert_eq!(told.lives[0].transfers, 1);
    }
}

#[test]
fn a_message_that_nobody_pushes_soon_after_it_has_left_timeouts_is_removed() {
    let mut log = Written::default();
    log.say(0, A, "ZADD delay 1700000001 x 1700000001 y")
        .say(1_500, B, "ZREM delay x")
        .say(2_600, C, "PING")
        .say(2_601, B, "ZREM delay y");
    let told = plainly(&log);
    let removed = |ms: i64| Some((START + ms) * 1_000);
    let at: Vec<_> = told.events[2..].iter().map(|event| event.at_us).collect();
    assert_eq!(told.only(), ["offered", "offered", "removed", "removed"]);
    assert_eq!(at, [removed(1_500), removed(2_601)]);
    assert_eq!(told.fates(), [MessageFate::Removed; 2]);
}

#[test]
fn two_commands_of_one_client_transfer_a_message_of_redisson_too() {
    let member = framed("a");
    let mut log = Written::default();
    log.offer(0, A, &member, 1_000, true)
        .at(1_500, B, &[b"ZREM", TIMEOUTS, &member])
        .at(1_501, B, &[b"LREM", ORDER, b"1", &member])
        .at(1_502, B, &[b"RPUSH", b"orders", b"a"]);
    let told = log.told();
    assert_eq!(told.only(), ["offered", "announced", "transferred"]);
    let mut other = Written::default();
    other
        .offer(0, A, &member, 1_000, true)
        .at(1_500, B, &[b"ZREM", TIMEOUTS, &member])
        .at(1_502, C, &[b"RPUSH", b"orders", b"a"]);
    let told = other.told();
    assert_eq!(told.only(), ["offered", "announced", "removed"]);
}

#[test]
fn what_the_end_of_timeouts_gives_is_polled_and_presumed_where_timeouts_may_hold_more() {
    let offers = "ZADD delay 1700000002 b 1700000001 a 1700000001 A 1700000009 z";
    for (taken, fates) in [
        ("ZPOPMIN delay", "A"),
        ("ZPOPMIN delay 2", "A a"),
        ("ZPOPMAX delay 2", "z b"),
        ("ZMPOP 2 none delay MIN COUNT 3", "A a b"),
        ("BZPOPMAX delay 5", "z"),
        ("ZREMRANGEBYRANK delay 1 2", "a b"),
        ("ZREMRANGEBYRANK delay -2 -1", "b z"),
    ] {
        for is_whole in [true, false] {
            let mut log = Written::default();
            if is_whole {
                log.say(0, A, "DEL delay");
            }
            log.say(1, A, offers)
                .say(10, B, taken)
                .say(5_000, C, "PING");
            let told = plainly(&log);
            let mut gone: Vec<(i64, String)> = Vec::new();
            for event in &told.events[4..] {
                assert_eq!(event.is_presumed, !is_whole, "{taken}");
                let payload = event.message.as_ref().unwrap().payload();
                gone.push((0, String::from_utf8_lossy(payload).into_owned()));
            }
            let gone: Vec<String> = gone.into_iter().map(|(_, says)| says).collect();
            assert_eq!(gone.join(" "), fates, "{taken}");
            let is_gone = |life: &&Life| life.fate(None) != MessageFate::Waiting;
            let ends = told.lives.iter().filter(is_gone);
            assert!(ends.clone().all(|life| life.is_presumed != is_whole));
            assert_eq!(ends.count(), gone.len(), "{taken}");
        }
    }
}

#[test]
fn what_a_client_pushes_is_what_it_took_from_the_end_where_that_waits_and_else_nothing_of_the_queue()
 {
    let begun = |pushes: &str| {
        let mut log = Written::default();
        log.say(0, A, "ZADD delay 1700000002 x 1700000001 y")
            .say(10, B, "ZPOPMIN delay")
            .say(11, B, pushes);
        plainly(&log)
    };
    // Timeouts may have held it at a lower score than the log shows.
    let told = begun("LPUSH ready x");
    assert_eq!(told.only(), ["offered", "offered", "transferred"]);
    assert_eq!(told.fates(), [MessageFate::Delivered, MessageFate::Waiting]);
    assert!(!told.lives[1].is_presumed);
    // A command that names its member took no other.
    let mut log = Written::default();
    log.say(0, A, "ZADD delay 1700000002 x")
        .say(10, B, "ZREM delay absent")
        .say(11, B, "LPUSH ready x");
    assert_eq!(plainly(&log).only(), ["offered", "transferred", "removed"]);
    let told = begun("LPUSH ready direct");
    assert_eq!(told.only(), ["offered", "offered", "polled"]);
    assert_eq!(told.lives.len(), 2);
}

#[test]
fn who_waits_at_timeouts_gets_what_is_offered_next() {
    let mut log = Written::default();
    log.say(0, A, "DEL delay")
        .say(1, B, "BZPOPMIN delay 0")
        .say(10, A, "ZADD delay 1700000001 x")
        .say(11, A, "ZADD delay 1700000001 y");
    let told = plainly(&log);
    assert_eq!(
        told.fates(),
        [MessageFate::Polled, MessageFate::Waiting],
        "{:?}",
        told.words()
    );
    assert_eq!(by(told.lives[0].ended.as_ref().map(|(_, by)| by)), B);
}

#[test]
fn who_waits_for_a_list_where_a_sorted_set_is_gets_nothing_of_it_and_the_other_way_round() {
    let mut log = Written::default();
    log.say(0, B, "BLPOP delay 0")
        .say(1, C, "BZPOPMIN ready 0")
        .say(10, A, "ZADD delay 1700000001 x")
        .say(1_000, A, "LPUSH ready x")
        .say(1_001, A, "ZREM delay x")
        .say(5_000, A, "PING");
    assert_eq!(plainly(&log).only(), ["offered", "transferred"]);
}

#[test]
fn what_timeouts_holds_is_known_once_somebody_has_waited_there_in_vain() {
    for (waits, is_presumed) in [("BZPOPMIN delay 1", false), ("ZCARD delay", true)] {
        let mut log = Written::default();
        log.say(0, B, waits)
            .say(1_020, B, "PING")
            .say(1_030, A, "ZADD delay 1700000009 x")
            .say(1_040, B, "ZPOPMIN delay")
            .say(5_000, C, "PING");
        let told = plainly(&log);
        assert_eq!(told.fates(), [MessageFate::Polled]);
        assert_eq!(told.lives[0].is_presumed, is_presumed, "{waits}");
    }
}

#[test]
fn the_options_of_zadd_say_whether_a_due_time_changes() {
    for (command, due) in [
        ("ZADD delay XX 1700000009 x", Some(9)),
        ("ZADD delay NX 1700000009 x", None),
        ("ZADD delay GT 1700000009 x", Some(9)),
        ("ZADD delay GT 1700000003 x", None),
        ("ZADD delay LT 1700000009 x", None),
        ("ZADD delay LT CH 1700000003 x", Some(3)),
        ("ZADD delay INCR 4 x", Some(9)),
        ("ZINCRBY delay -2 x", Some(3)),
        ("ZADD delay XX 1700000009 absent", None),
    ] {
        let mut log = Written::default();
        log.say(0, A, "DEL delay")
            .say(1, A, "ZADD delay 1700000005 x")
            .say(2, B, command);
        let told = plainly(&log);
        let expected = Due::At(EpochMillis::new(START + due.unwrap_or(5) * 1_000));
        assert_eq!(told.lives.len(), 1, "{command}");
        assert_eq!(told.lives[0].due, Some(expected), "{command}");
        let changes = told.only().iter().filter(|w| **w == "requeued").count();
        assert_eq!(changes, usize::from(due.is_some()), "{command}");
    }
}

#[test]
fn what_is_only_requeued_in_a_log_was_offered_before_it_and_that_is_presumed() {
    let mut log = Written::default();
    log.say(0, A, "ZADD delay XX 1700000009 x");
    let told = plainly(&log);
    assert_eq!(told.only(), ["requeued"]);
    assert!(told.events[0].is_presumed && told.lives[0].is_presumed);
    let mut log = Written::default();
    log.say(0, A, "ZREM delay gone").say(5_000, A, "PING");
    let told = plainly(&log);
    assert_eq!(told.only(), ["removed"]);
    assert!(told.events[0].is_presumed && told.lives[0].is_presumed);
}

#[test]
fn an_element_that_goes_round_in_its_list_is_not_taken() {
    let mut log = Written::default();
    log.say(0, A, "DEL ready")
        .say(1, A, "ZADD delay 1700000001 x 1700000001 y")
        .say(1_500, B, "LPUSH ready x y")
        .say(1_500, B, "ZREM delay x y")
        .say(1_600, C, "RPOPLPUSH ready ready")
        .say(1_601, C, "LMOVE ready ready LEFT LEFT")
        .say(1_602, C, "LMOVE ready busy LEFT RIGHT")
        .say(1_603, C, "LMOVE busy ready LEFT RIGHT");
    let told = plainly(&log);
    let fates = [MessageFate::Consumed, MessageFate::Delivered];
    assert_eq!(told.fates(), fates, "{:?}", told.words());
    log.say(1_700, C, "RPOP ready");
    // It came back, and whatever it is, it is nearer than y.
    assert_eq!(plainly(&log).fates(), fates);
}

#[test]
fn a_removal_is_told_though_its_life_is_let_go_before_somebody_pushes_the_value() {
    let mut log = Written::default();
    log.say(0, B, "ZREM delay x");
    for number in 0..100 {
        log.say(1, B, &format!("ZREM delay gone-{number}"));
    }
    log.say(2, B, "LPUSH ready x");
    let mut monitor = Log::new(log.0.as_bytes()).unwrap();
    let mut tracker = Tracker::new(Some(vec![plain()]), 20_000);
    let mut record = Record::default();
    while monitor.read(&mut record).unwrap() {
        tracker.read(&record);
    }
    tracker.finish();
    let is_x = |event: &Event| event.message.as_ref().unwrap().payload() == b"x";
    let of_x = tracker.events().filter(is_x).map(|event| event.kind.word());
    assert_eq!(of_x.collect::<Vec<_>>(), ["removed"]);
}

#[test]
fn what_is_over_is_let_go_before_what_is_under_way() {
    let mut log = Written::default();
    log.say(0, A, "ZADD delay 1700009999 waits");
    for number in 0..100 {
        log.say(number, B, &format!("ZREM delay gone-{number}"));
    }
    let mut monitor = Log::new(log.0.as_bytes()).unwrap();
    let mut tracker = Tracker::new(Some(vec![plain()]), 20_000);
    let mut record = Record::default();
    while monitor.read(&mut record).unwrap() {
        tracker.read(&record);
    }
    let rest = tracker.finish();
    let waits = rest
        .iter()
        .filter(|life| life.message.payload() == b"waits");
    assert_eq!(waits.count(), 1);
    assert_eq!(tracker.figures().forgotten, 0);
}

/// The span that a log takes to be read.
fn read_in(log: &Written) -> std::time::Duration {
    let began = crate::clock::instant();
    plainly(log);
    began.elapsed()
}

#[test]
fn many_lives_take_no_longer_each_than_few() {
    let offered = |n: i64| {
        let mut log = Written::default();
        for number in 0..n {
            log.say(
                0,
                A,
                &format!("ZADD delay {} m{number}", 1_700_000_000 + number),
            );
        }
        log
    };
    let by_score = |n: i64| {
        let mut log = offered(n);
        for number in 0..n {
            let score = 1_700_000_000 + number;
            log.say(
                number,
                B,
                &format!("ZREMRANGEBYSCORE delay {score} {score}"),
            );
        }
        log
    };
    let by_value = |n: i64| {
        let mut log = offered(n);
        for number in 0..n {
            log.say(0, B, &format!("RPUSH ready m{number}"));
        }
        for number in 0..n {
            // The middle one of those that are left.
            let middle = if number % 2 == 0 {
                n / 2 + number / 2
            } else {
                n / 2 - number / 2 - 1
            };
            log.say(0, B, &format!("LREM ready 1 m{middle}"));
            log.say(0, B, &format!("LREM ready 1 absent{number}"));
        }
        log
    };
    let together = |n: i64| {
        let mut log = offered(n);
        log.say(0, B, "MULTI");
        for number in 0..n {
            log.say(0, B, &format!("ZREM delay m{number}"));
        }
        log.say(0, B, "EXEC");
        log
    };
    for (name, make) in [
        ("by score", &by_score as &dyn Fn(i64) -> Written),
        ("by value", &by_value),
        ("together", &together),
    ] {
        let few = read_in(&make(1_000));
        let many = read_in(&make(10_000));
        // Ten times as many, and as much again for a busy machine.
        assert!(many < few * 40, "{name}: {few:?} {many:?}");
    }
}

#[test]
fn a_transaction_of_an_append_only_file_is_told_together_and_only_when_it_is_whole() {
    let mut file = Vec::new();
    let mut add = |words: &[&[u8]]| {
        file.extend_from_slice(format!("*{}\r\n", words.len()).as_bytes());
        for word in words {
            file.extend_from_slice(format!("${}\r\n", word.len()).as_bytes());
            file.extend_from_slice(word);
            file.extend_from_slice(b"\r\n");
        }
    };
    let member = framed("a");
    add(&[b"MULTI"]);
    add(&[b"SELECT", b"0"]);
    add(&[b"zadd", TIMEOUTS, b"1700000000000", &member]);
    add(&[b"rpush", ORDER, &member]);
    add(&[b"EXEC"]);
    add(&[b"MULTI"]);
    add(&[b"rpush", b"orders", b"a"]);
    add(&[b"lrem", ORDER, b"1", &member]);
    add(&[b"zrem", TIMEOUTS, &member]);
    add(&[b"EXEC"]);
    let whole = LogAccount::of(&file, None);
    assert_eq!(whole.only(), ["offered", "transferred"]);
    let cut = LogAccount::of(&file[..file.len() - b"*1\r\n$4\r\nEXEC\r\n".len()], None);
    assert_eq!(cut.only(), ["offered"]);
}

#[test]
fn lives_that_are_over_are_let_go_when_memory_is_full_and_none_is_lost() {
    let mut log = Written::default();
    for number in 0..500_i64 {
        let at = number * 10;
        let member = frame::encode(Form::ByteId, number.to_le_bytes(), b"x");
        log.offer(at, A, &member, at + 2, true)
            .transfer(at + 3, A, at + 3, &[&member], false)
            .say(at + 4, C, "LPOP orders");
    }
    let mut monitor = Log::new(log.0.as_bytes()).unwrap();
    let mut tracker = Tracker::new(None, 20_000);
    let mut record = Record::default();
    let mut early = 0;
    while monitor.read(&mut record).unwrap() {
        tracker.read(&record);
        early += tracker.let_go().count();
    }
    let rest = tracker.finish().len();
    assert_eq!(early + rest, 500);
    assert!(early > 470, "{early}");
    assert_eq!(tracker.figures().forgotten, 0);
}

const REAL: &[u8] = include_bytes!("../../../tests/fixtures/trace/4.7.0/monitor.log");

/// The fate of each message and the number of its deliveries, by its id.
fn fates_by_id(told: &LogAccount) -> HashMap<String, (MessageFate, u64)> {
    let end = told.figures.last_us;
    let fate = |life: &Life| {
        (
            life.message.id().to_string(),
            (life.fate(end), life.deliveries),
        )
    };
    told.lives.iter().map(fate).collect()
}

proptest! {
    #[test]
    fn no_life_is_invented_by_a_cut(from in 0..REAL.len(), length in 0..REAL.len()) {
        let cut = &REAL[from..REAL.len().min(from + length)];
        let whole = fates_by_id(&LogAccount::of(REAL, None));
        for (id, (fate, deliveries)) in fates_by_id(&LogAccount::of(cut, None)) {
            let Some((end, all)) = whole.get(&id) else {
                return Err(TestCaseError::fail(format!("{id} is no message")));
            };
            prop_assert!(deliveries <= *all, "{id} {fate:?}");
            let is_on_its_way = matches!(fate, MessageFate::Waiting | MessageFate::Late | MessageFate::Delivered);
            prop_assert!(is_on_its_way || fate == *end, "{id} {fate:?} {end:?}");
        }
    }

    #[test]
    fn no_message_is_invented_by_damage(
        at in 0..REAL.len(),
        byte: u8,
        drops in proptest::collection::vec(0..200_usize, 0..20),
    ) {
        let mut log = REAL.to_vec();
        log[at] = byte;
        let lines = log.split(|byte| *byte == b'\n').enumerate();
        let kept: Vec<&[u8]> = lines.filter(|(n, _)| !drops.contains(n)).map(|(_, line)| line).collect();
        let told = LogAccount::of(&kept.join(&b'\n'), None);
        // The damaged byte may make one message another one.
        prop_assert!(told.lives.len() <= 17, "{}", told.lives.len());
    }
}
