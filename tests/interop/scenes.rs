//! What is played with each release. Every scene plays all codecs at once, a queue each.

use std::thread;

use delayscope::payload::{self, Codec};
use delayscope::queue::{Form, Queue, frame};

use crate::check::{self, assert_empty, assert_exactly, wait_for_transfer_clients};
use crate::ours::{self, Due};
use crate::peer::{Answers, RELEASES, Side};
use crate::support::wait_for;
use crate::typed;
use crate::values::{self, CODECS};

/// The last element of every queue: whoever takes it has taken all before it.
const MARK: &str = "the mark";

/// One of the two consumers.
enum Taker {
    Theirs(Answers),
    Ours(ours::Consumer),
}

impl Taker {
    fn take(&self) -> Option<(i64, String)> {
        match self {
            Self::Theirs(answers) => answers.took(),
            Self::Ours(consumer) => consumer.took(),
        }
    }

    /// Takes `count` elements, fewer if no more come, and then all that is still there.
    fn take_all(&self, side: &Side, queue: &str, codec: Codec, count: usize) -> Vec<String> {
        let mut got: Vec<String> = (0..count).map_while(|_| Some(self.take()?.1)).collect();
        if got.len() == count {
            wait_for("timeouts to be empty", || {
                check::depths(&side.server, queue)[0] == 0
            });
            let mark = payload::encode(codec, MARK).unwrap();
            side.server.cmd_bytes(&[b"RPUSH", queue.as_bytes(), &mark]);
            got.extend(
                (0..).map_while(|_| self.take().map(|(_, text)| text).filter(|t| t != MARK)),
            );
        }
        got
    }
}

/// Plays `scene` with each codec at once: our name of it, the Java side's, and the queue.
fn each_codec(name: &str, scene: impl Fn(Codec, &str, &str) + Sync) {
    thread::scope(|scope| {
        for (ours, theirs) in CODECS {
            let codec = Codec::from_name(ours).expect("one of ours");
            let queue = format!("{name}-{theirs}");
            let scene = &scene;
            thread::Builder::new()
                .name(queue.clone())
                .spawn_scoped(scope, move || scene(codec, theirs, &queue))
                .unwrap();
        }
    });
}

/// Whether a text is offered as that text, and not as the scalar that it spells.
fn is_written_as_text(codec: Codec, text: &str) -> bool {
    let spells = matches!(
        codec,
        Codec::Kryo5 | Codec::Marshalling | Codec::Serialization
    );
    let written = payload::encode(codec, text).unwrap();
    !spells || payload::decode_as(codec, &written).is_some_and(|read| read.value == text)
}

/// We offer; Redisson transfers and consumes.
pub fn our_offers_through_redisson(release: usize) {
    let side = Side::of(release);
    each_codec("ours", |codec, theirs, queue| {
        let client = side.client(queue);
        client.work(queue, theirs);
        let taker = Taker::Theirs(client.consume(queue, theirs));
        let mut values = values::awkward();
        values.retain(|text| is_written_as_text(codec, text));
        // Later and earlier ones in turn, so that some become the head and some do not.
        for (values, delay) in values.chunks(10).zip([700, 500, 900, 300, 600]) {
            ours::offer(&side, queue, codec.name(), &Due::In(delay), values);
        }
        let got = taker.take_all(&side, queue, codec, values.len());
        assert_exactly(queue, &values, &got);
        assert_empty(&side.server, queue);
    });
}

/// We offer, edit and duplicate values with types; Redisson transfers and consumes.
pub fn our_values_through_redisson(release: usize) {
    let side = Side::of(release);
    thread::scope(|scope| {
        for (ours, theirs) in typed::codecs(side.release.version) {
            let (side, queue) = (&side, format!("typed-{theirs}"));
            thread::Builder::new()
                .name(queue.clone())
                .spawn_scoped(scope, move || our_values(side, ours, theirs, &queue))
                .unwrap();
        }
    });
}

fn our_values(side: &Side, ours: &str, theirs: &str, queue: &str) {
    let (typed, arrive): (Vec<String>, Vec<_>) = typed::values(theirs).into_iter().unzip();
    let later = Due::In(3_600_000);
    ours::offer_typed(side, queue, ours, &later, &typed);
    // The codec of what is edited is that of the entry. A document stays of its kind, but for null.
    let before = |typed: &String| match theirs {
        "long" => "1",
        _ if theirs.contains("json") && typed != "null" => "null",
        _ => "before",
    };
    let before: Vec<String> = typed.iter().map(before).map(str::to_owned).collect();
    let ids = ours::offer_typed(side, queue, ours, &later, &before);
    for (id, typed) in ids.iter().zip(&typed) {
        let words = ["--id", id, "--file", "-"];
        ours::change(side, "edit", queue, &words, typed);
    }
    ours::change(side, "duplicate", queue, &["--all", "--yes"], "");
    let client = side.client(queue);
    client.work(queue, theirs);
    let now = ["--all", "--in", "0ms", "--yes"];
    ours::change(side, "requeue", queue, &now, "");
    let all = 4 * typed.len();
    wait_for("all to be transferred", || {
        check::depths(&side.server, queue) == [0, 0, i64::try_from(all).unwrap()]
    });
    let told = |(class, text): (String, String)| format!("{class} {text}");
    let offered: Vec<String> = vec![arrive; 4].concat().into_iter().map(told).collect();
    let got = client.take_all(queue, theirs, all);
    let got: Vec<String> = got.into_iter().map(told).collect();
    assert_exactly(queue, &offered, &got);
    assert_empty(&side.server, queue);
}

/// Redisson offers; we transfer and consume.
pub fn its_offers_through_us(release: usize) {
    let side = Side::of(release);
    each_codec("its", |codec, theirs, queue| {
        let values: Vec<String> = values::awkward()
            .into_iter()
            .filter(|text| codec != Codec::Text || !values::is_json_of_one(text))
            .collect();
        offer_and_leave(&side, queue, theirs, &values);
        let consumer = ours::Consumer::start(&side, queue);
        let worker = ours::Worker::start(&side, queue, None);
        let got = Taker::Ours(consumer).take_all(&side, queue, codec, values.len());
        assert_exactly(queue, &values, &got);
        let all = values.len() as u64;
        assert_eq!(worker.end_after(all), (all, 0), "moved and skipped");
        assert_empty(&side.server, queue);
    });
}

/// Offers as Redisson does, and ends that client before anything falls due: whoever offers
/// transfers too.
fn offer_and_leave(side: &Side, queue: &str, codec: &str, values: &[String]) {
    let client = side.client(queue);
    let delays = (3_000..).step_by(20);
    client.offer(queue, codec, delays.zip(values.iter().map(String::as_str)));
    client.leave();
    wait_for_transfer_clients(&side.server, queue, 0);
    let all = i64::try_from(values.len()).unwrap();
    assert_eq!(
        check::depths(&side.server, queue),
        [all, all, 0],
        "{queue}: Redisson itself has transferred nothing"
    );
}

/// Both offer, both transfer, one consumes; ours comes later and takes small batches, so that
/// each has its share.
pub fn both_at_once(release: usize) {
    const EACH: usize = 150;
    let side = Side::of(release);
    each_codec("both", |codec, theirs, queue| {
        let client = side.client(queue);
        client.work(queue, theirs);
        let taker = if codec == Codec::Json {
            Taker::Ours(ours::Consumer::start(&side, queue))
        } else {
            Taker::Theirs(client.consume(queue, theirs))
        };
        let ours = values::numbered("from us", EACH);
        let its = values::numbered("from Redisson", EACH);
        let (got, moved) = thread::scope(|scope| {
            scope.spawn(|| {
                // Four at a time fall due at one moment.
                let delays = (0..).map(|n: u64| 300 + n / 4 * 311 % 2_400);
                client.offer(queue, theirs, delays.zip(its.iter().map(String::as_str)));
            });
            scope.spawn(|| {
                for (n, values) in ours.chunks(EACH / 10).enumerate() {
                    let delay = 300 + n as u64 * 700 % 2_400;
                    ours::offer(&side, queue, codec.name(), &Due::In(delay), values);
                }
            });
            let mut got: Vec<String> = (0..10).map_while(|_| Some(taker.take()?.1)).collect();
            let worker = ours::Worker::start(&side, queue, Some(5));
            let rest = 2 * EACH - got.len();
            got.extend(taker.take_all(&side, queue, codec, rest));
            (got, worker.end_after(1))
        });
        assert_exactly(queue, &[ours, its].concat(), &got);
        assert!((1..290).contains(&moved.0), "both had a share: {moved:?}");
        assert_eq!(moved.1, 0, "skipped");
        assert_empty(&side.server, queue);
    });
}

/// The check of the scenes above, given frames of which one byte is wrong, finds it out.
pub fn broken_frames(release: usize) {
    let offered = ["hello, world".to_owned()];
    // A side of its own: every failed script counts.
    let side = Side::start(&RELEASES[release], "1");
    let client = side.client("broken");
    let form = side.release.form;
    let good = frame::encode(form, form.fresh_id().unwrap(), offered[0].as_bytes());
    let shorter = broken(&good, length_at(form), -1);
    let mut unreadable: Vec<Vec<u8>> = (0..8)
        .map(|byte| broken(&good, length_at(form) + byte, 1))
        .collect();
    if form == Form::ByteId {
        unreadable.push(broken(&good, 0, 1));
    }
    let through = |queue: &str, member: &[u8]| {
        client.work(queue, "string");
        let taken = client.consume(queue, "string");
        offer_raw(&side, queue, member);
        taken
    };
    let stuck: Vec<Answers> = unreadable
        .iter()
        .enumerate()
        .map(|(n, member)| through(&format!("unreadable-{n}"), member))
        .collect();
    let shortened = through("shorter", &shorter);
    let control = through("good", &good);

    let got = |taken: &Answers| vec![taken.took().expect("an element").1];
    check::exactly(&offered, &got(&control)).expect("the same way with all bytes right");
    check::exactly(&offered, &got(&shortened)).expect_err("one byte less arrives");
    wait_for(
        "a script to fail for each frame that cannot be read",
        || check::errors(&side.server) >= stuck.len(),
    );
    for taken in &stuck {
        check::exactly(&offered, &taken.took_so_far()).expect_err("nothing arrives");
    }
}

/// Where the length field of a frame begins.
fn length_at(form: Form) -> usize {
    match form {
        Form::ByteId | Form::ByteIdShort => 9,
        Form::DoubleId | Form::DoubleIdShort => 8,
    }
}

/// The frame with one byte changed.
fn broken(frame: &[u8], at: usize, by: i8) -> Vec<u8> {
    let mut frame = frame.to_vec();
    frame[at] = frame[at].wrapping_add_signed(by);
    frame
}

/// Puts a member where an offer puts it, due now.
fn offer_raw(side: &Side, queue: &str, member: &[u8]) {
    let queue = Queue::redisson(queue);
    let due = side.server.now().get().to_string();
    side.server.put(&queue, member, &due);
    let channel = queue.keys().channel.unwrap();
    side.server
        .cmd_bytes(&[b"PUBLISH", &channel, due.as_bytes()]);
}

/// An entry that keeps every timer of the queue at a minute from now.
fn far_head(side: &Side, queue: &str) {
    let far = ["far".to_owned()];
    ours::offer(side, queue, "text", &Due::In(60_000), &far);
}

/// Our offers that become the head are announced as Redisson understands it: it is on time.
pub fn our_earlier_head(release: usize) {
    let side = Side::of(release);
    let queue = "our-earlier-head";
    let client = side.client(queue);
    client.work(queue, "string");
    let taken = client.consume(queue, "string");
    far_head(&side, queue);
    let late = (0..5).map(|n| {
        let due = side.server.now().get() + 500;
        let text = format!("now {n}");
        ours::offer(
            &side,
            queue,
            "text",
            &Due::At(due),
            std::slice::from_ref(&text),
        );
        let (at, got) = taken.took().expect("an element");
        assert_eq!(got, text);
        at - due
    });
    assert_on_time(late.collect());
}

/// Redisson's offers that become the head wake our worker.
pub fn its_earlier_head(release: usize) {
    let side = Side::of(release);
    let queue = "its-earlier-head";
    let worker = ours::Worker::start(&side, queue, None);
    let consumer = ours::Consumer::start(&side, queue);
    wait_for_transfer_clients(&side.server, queue, 1);
    far_head(&side, queue);
    let client = side.client(queue);
    // Each earlier than the one before.
    let offered = [(3_200, "third"), (2_900, "second"), (2_600, "first")];
    client.offer(queue, "string", offered);
    client.leave();
    let due = side.due_times(queue);
    let late = ["first", "second", "third"]
        .iter()
        .zip(due)
        .map(|(text, due)| {
            let (at, got) = consumer.took().expect("an element");
            assert_eq!(&got, text);
            at - due
        });
    assert_on_time(late.collect());
    assert_eq!(worker.end_after(3), (3, 0), "moved and skipped");
}

/// Ms from due to taken: never early, at the median within 200 ms (older Redisson clients look
/// at their timers every 100 ms).
fn assert_on_time(mut late: Vec<i64>) {
    late.sort_unstable();
    assert!(late[0] >= 0, "early: {late:?} ms late");
    assert!(late[late.len() / 2] <= 200, "{late:?} ms late");
}
