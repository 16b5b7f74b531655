//! Those who live with a queue: clients that transfer, consumers, pollers, whoever offers.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use delayscope::clock::{EpochMillis, instant};
use delayscope::queue::{Era, Queue};
use redis::Connection;

use crate::redisson::{Client, TRANSFER};
use crate::support::Server;

/// How often a client looks at its timer, in ms.
pub(crate) const TICK: u64 = 20;
/// After an error, a tenth of what Redisson waits, in ms.
const AFTER_ERROR: u64 = 500;
/// Nobody sleeps longer than this without looking whether he is to end.
const NAP: Duration = Duration::from_millis(20);

/// Somebody who is subscribed to the channel, until it is dropped.
pub(crate) struct Subscriber {
    _stream: UnixStream,
}

impl Subscriber {
    pub(crate) fn new(server: &Server, queue: &Queue) -> Self {
        Self::in_db(server, queue, 0)
    }

    /// Of another database: channels have none.
    pub(crate) fn in_db(server: &Server, queue: &Queue, db: u32) -> Self {
        Self::at(&server.socket(), queue, db)
    }

    /// Through that socket.
    pub(crate) fn at(socket: &Path, queue: &Queue, db: u32) -> Self {
        let stream = subscribed(socket, queue, db);
        Self { _stream: stream }
    }
}

fn subscribed(socket: &Path, queue: &Queue, db: u32) -> UnixStream {
    let channel = queue.keys().channel.unwrap();
    let mut stream = UnixStream::connect(socket).unwrap();
    stream
        .write_all(format!("SELECT {db}\r\n").as_bytes())
        .unwrap();
    let mut ok = [0; 5];
    stream.read_exact(&mut ok).unwrap();
    let head = format!("*2\r\n$9\r\nSUBSCRIBE\r\n${}\r\n", channel.len());
    let line = [head.as_bytes(), &channel, b"\r\n"].concat();
    stream.write_all(&line).unwrap();
    let head = format!("*3\r\n$9\r\nsubscribe\r\n${}\r\n", channel.len());
    let wanted = [head.as_bytes(), &channel, b"\r\n:1\r\n"].concat();
    let mut answer = vec![0; wanted.len()];
    stream.read_exact(&mut answer).unwrap();
    assert_eq!(answer, wanted);
    stream
}

/// Something that is done again and again in a thread of its own, until it is dropped.
pub(crate) struct Each {
    stop: Arc<AtomicBool>,
    work: Option<JoinHandle<()>>,
}

impl Each {
    /// Each so many ms, with the number of the turn.
    pub(crate) fn ms(ms: u64, mut act: impl FnMut(u64) + Send + 'static) -> Self {
        let begin = instant();
        Self::paced(move |turn| {
            act(turn);
            let next = Duration::from_millis(ms * (turn + 1));
            next.saturating_sub(begin.elapsed())
        })
    }

    /// As `act` says, which returns for how long to rest.
    pub(crate) fn paced(mut act: impl FnMut(u64) -> Duration + Send + 'static) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let work = std::thread::spawn(move || {
            for turn in 0.. {
                let end = act(turn);
                let end = instant() + end;
                while instant() < end && !stopped.load(Ordering::Relaxed) {
                    std::thread::sleep(NAP.min(end.saturating_duration_since(instant())));
                }
                if stopped.load(Ordering::Relaxed) {
                    return;
                }
            }
        });
        Self {
            stop,
            work: Some(work),
        }
    }
}

impl Drop for Each {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(work) = self.work.take() {
            let ended = work.join();
            assert!(ended.is_ok() || std::thread::panicking());
        }
    }
}

/// Moves what is due, as a client of that era does by a clock that is so many ms ahead: after how
/// long it wants to look again.
fn transferring(
    mut connection: Connection,
    queue: &Queue,
    era: Era,
    ahead_ms: i64,
) -> impl FnMut(u64) -> Duration + Send + use<> {
    let keys = queue.keys();
    let keys = [keys.target, keys.timeouts, keys.order.unwrap()];
    let script = match era {
        Era::Newer => TRANSFER.to_owned(),
        Era::Older => TRANSFER.replace("Bc0Lc0", "dLc0"),
    };
    move |tick| {
        let now: (i64, i64) = redis::cmd("TIME").query(&mut connection).unwrap();
        let now = now.0 * 1000 + now.1 / 1000 + ahead_ms;
        let mut transfer = redis::cmd("EVAL");
        transfer.arg(&script).arg(3).arg(&keys).arg(now).arg(100);
        let head: Result<Option<f64>, _> = transfer.query(&mut connection);
        #[expect(clippy::cast_precision_loss, reason = "a time of our days")]
        let overdue = |head: f64| (0.0..=now as f64).contains(&head);
        Duration::from_millis(match head {
            // Behind a full batch there is more.
            Ok(Some(head)) if overdue(head) => 0,
            Ok(_) => tick,
            Err(_) => AFTER_ERROR,
        })
    }
}

/// A client at work: it is subscribed, transfers what is due at each tick, and after an error waits
/// as long as Redisson does, less patiently.
pub(crate) struct Running {
    _subscriber: Subscriber,
    work: Each,
}

impl Running {
    pub(crate) fn start(
        server: &Server,
        queue: &Queue,
        (era, ahead_ms): (Era, i64),
        tick: u64,
    ) -> Self {
        let subscriber = Subscriber::new(server, queue);
        let mut look = transferring(server.connection(), queue, era, ahead_ms);
        Self {
            _subscriber: subscriber,
            work: Each::paced(move |_| look(tick)),
        }
    }

    /// Without its subscription, its timer goes on.
    pub(crate) fn unsubscribed(self) -> Each {
        self.work
    }
}

/// A client that transfers one entry each so many ms, and hears nothing.
pub(crate) struct Slow {
    _subscriber: Subscriber,
    _work: Each,
}

impl Slow {
    pub(crate) fn start(server: &Server, queue: &Queue, ms: u64) -> Self {
        let mut clock = server.connection();
        let mut client = Client::new(server.connection(), queue);
        let work = Each::ms(ms, move |_| {
            let now: (i64, i64) = redis::cmd("TIME").query(&mut clock).unwrap();
            let now = EpochMillis::new(now.0 * 1000 + now.1 / 1000);
            client.transfer(now, 1).unwrap();
        });
        Self {
            _subscriber: Subscriber::new(server, queue),
            _work: work,
        }
    }
}

/// A client that has lost its timer: it looks only when something is published.
pub(crate) struct Timerless {
    _work: Each,
}

impl Timerless {
    pub(crate) fn start(server: &Server, queue: &Queue) -> Self {
        let mut stream = subscribed(&server.socket(), queue, 0);
        stream.set_read_timeout(Some(NAP)).unwrap();
        let mut look = transferring(server.connection(), queue, Era::Newer, 0);
        let work = Each::paced(move |_| {
            let mut message = [0; 512];
            if stream.read(&mut message).is_ok_and(|bytes| bytes > 0) {
                while look(1).is_zero() {}
            }
            Duration::ZERO
        });
        Self { _work: work }
    }
}

/// A consumer at work: takes what is delivered, one element after the other.
pub(crate) struct Consumer {
    _work: Each,
}

impl Consumer {
    /// As fast as it can.
    pub(crate) fn start(server: &Server, queue: &Queue) -> Self {
        Self::resting(server, queue, 0)
    }

    /// One that rests so many ms after each element.
    pub(crate) fn resting(server: &Server, queue: &Queue, rest_ms: u64) -> Self {
        let mut connection = server.connection();
        let target = queue.keys().target;
        let work = Each::paced(move |_| {
            let mut take = redis::cmd("BLPOP");
            take.arg(&target).arg("0.1");
            let taken: Option<(Vec<u8>, Vec<u8>)> = take.query(&mut connection).unwrap();
            Duration::from_millis(taken.map_or(0, |_| rest_ms))
        });
        Self { _work: work }
    }
}

/// A poller of the plain layout, which looks once a second.
pub(crate) fn poller(server: &Server, queue: &Queue, ms: u64) -> Each {
    let mut connection = server.connection();
    let (keys, queue) = (queue.keys(), queue.clone());
    Each::ms(ms, move |_| {
        let now: (i64, i64) = redis::cmd("TIME").query(&mut connection).unwrap();
        let now = delayscope::clock::EpochMillis::new(now.0 * 1000 + now.1 / 1000);
        let mut due = redis::cmd("ZRANGEBYSCORE");
        due.arg(&keys.timeouts).arg(0).arg(queue.score(now));
        let due: Vec<Vec<u8>> = due.query(&mut connection).unwrap();
        for message in due {
            let mut moved = redis::pipe();
            moved.cmd("LPUSH").arg(&keys.target).arg(&message);
            moved.cmd("ZREM").arg(&keys.timeouts).arg(&message);
            moved.exec(&mut connection).unwrap();
        }
    })
}
