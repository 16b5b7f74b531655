//! The memory that a tracker takes, whatever a log is full of: by counting allocations.

use allocation_counter::measure;
use delayscope::queue::{Form, frame};
use delayscope::trace::{Record, Sender, Tracker};

const TIMEOUTS: &str = "redisson_delay_queue_timeout:{orders}";
const ORDER: &str = "redisson_delay_queue:{orders}";

/// Reads records that are made one by one, and drops whatever becomes known.
struct Reader {
    tracker: Tracker,
    record: Record,
    /// The address of the client.
    by: String,
    at_us: i64,
}

impl Reader {
    fn new(memory: usize) -> Self {
        Self {
            tracker: Tracker::new(None, memory),
            record: Record::default(),
            by: "10.0.0.1:5001".to_owned(),
            at_us: 1_700_000_000_000_000,
        }
    }

    /// Reads a command of a client, or of the script that it has started.
    fn reads(&mut self, is_script: bool, words: &[&[u8]]) {
        self.at_us += 10;
        let record = &mut self.record;
        record.clear();
        record.at_us = Some(self.at_us);
        if is_script {
            record.sender = Sender::Script;
        } else {
            record.set_client(self.by.as_bytes());
        }
        for word in words {
            record.push(word);
            record.end_word();
        }
        self.tracker.read(record);
        self.tracker.events().for_each(drop);
        self.tracker.let_go().for_each(drop);
    }

    fn says(&mut self, is_script: bool, line: &str) {
        let words: Vec<&[u8]> = line.split(' ').map(str::as_bytes).collect();
        self.reads(is_script, &words);
    }
}

/// The most bytes that a tracker which is given so many has taken by the end of these records, and how
/// many messages it told of before their end.
fn most(memory: usize, read: impl Fn(&mut Reader)) -> (usize, u64) {
    let mut forgotten = 0;
    let taken = measure(|| {
        let mut reader = Reader::new(memory);
        read(&mut reader);
        forgotten = reader.tracker.figures().forgotten;
    });
    let bytes = usize::try_from(taken.bytes_max).unwrap_or(usize::MAX);
    (bytes, forgotten)
}

/// Bytes that a record and the step of it take beside what is remembered.
const ROOM_TO_READ: usize = 128 << 10;

#[test]
fn messages_that_are_delivered_and_never_taken_take_no_more_memory_than_is_given() {
    let memory = 2 << 20;
    let (taken, forgotten) = most(memory, |reader| {
        let (timeouts, order) = (TIMEOUTS.as_bytes(), ORDER.as_bytes());
        for n in 0..40_000_u64 {
            let payload = format!("message-{n:08}");
            let payload = payload.as_bytes();
            let member = frame::encode(Form::ByteId, n.to_be_bytes(), payload);
            reader.says(false, "EVALSHA x 2 orders");
            reader.reads(true, &[b"RPUSH", b"orders", payload]);
            reader.reads(true, &[b"LREM", order, b"1", &member]);
            reader.reads(true, &[b"ZREM", timeouts, &member]);
        }
    });
    assert!(taken < memory * 3 / 2 + ROOM_TO_READ, "{taken}");
    assert!((30_000..40_000).contains(&forgotten), "{forgotten}");
}

#[test]
fn large_payloads_that_are_removed_take_no_more_memory_than_is_given() {
    let memory = 4 << 20;
    let payload = vec![b'x'; 100 << 10];
    let (taken, forgotten) = most(memory, |reader| {
        for n in 0..200 {
            let member = [&payload[..], format!("{n}").as_bytes()].concat();
            let timeouts = TIMEOUTS.as_bytes();
            reader.reads(false, &[b"ZADD", timeouts, b"1700000001000", &member]);
            reader.reads(false, &[b"ZREM", timeouts, &member]);
        }
    });
    assert!(taken < memory * 5 / 4 + ROOM_TO_READ * 8, "{taken}");
    assert_eq!(forgotten, 0);
}

#[test]
fn the_transfers_of_many_queues_take_no_more_memory_than_is_given() {
    let memory = 512 << 10;
    let (taken, _) = most(memory, |reader| {
        for n in 0..100_000 {
            let timeouts = format!("redisson_delay_queue_timeout:{{orders-{}}}", n % 50);
            reader.says(false, "EVAL zrangebyscore-struct.unpack 2 orders");
            reader.says(
                true,
                &format!("zrangebyscore {timeouts} 0 1700000000000 limit 0 100"),
            );
            reader.says(true, &format!("zrange {timeouts} 0 0 WITHSCORES"));
        }
    });
    assert!(taken < memory + ROOM_TO_READ, "{taken}");
}

#[test]
fn consumers_that_wait_elsewhere_take_no_more_memory_than_is_given() {
    let memory = 1 << 20;
    let (taken, _) = most(memory, |reader| {
        for n in 0..20_000 {
            reader.by = format!("10.0.0.2:{n}");
            reader.says(false, &format!("BLPOP list-{n} other-{n} third-{n} 0"));
        }
    });
    assert!(taken < memory + ROOM_TO_READ, "{taken}");
}

#[test]
fn more_queues_than_there_is_memory_for_are_not_followed_and_that_is_said() {
    let memory = 1 << 20;
    let (taken, _) = most(memory, |reader| {
        for n in 0..10_000 {
            let key = format!("redisson_delay_queue_timeout:{{orders-{n}}}");
            reader.says(false, &format!("ZREM {key} x"));
        }
    });
    assert!(taken < memory * 5 / 4 + ROOM_TO_READ, "{taken}");
    let told = |count: u64| {
        let mut reader = Reader::new(memory);
        for n in 0..count {
            let key = format!("redisson_delay_queue_timeout:{{orders-{n}}}");
            reader.says(false, &format!("ZADD {key} 5 x"));
        }
        reader.tracker.finish();
        let figures = reader.tracker.figures();
        (figures.has_more_queues, figures.messages < count)
    };
    assert_eq!(told(50), (false, false));
    assert_eq!(told(1_000), (true, true));
}
