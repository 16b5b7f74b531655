//! A backlog that is all due, worked off by each.

use std::time::Duration;

use delayscope::clock::instant;
use delayscope::queue::Queue;

use crate::data::{Data, list};
use crate::peer::{Client, RELEASES, Side};
use crate::program::Program;
use crate::support::{Server, wait_for};
use crate::watch::{Noticed, Watch};
use crate::{check, ms, rate};

const QUEUE: &str = "backlog";
/// For how long the real client is watched, where it does not end before.
const LONGEST: Duration = Duration::from_secs(25);
/// For how long the idle server is watched.
const IDLE: Duration = Duration::from_secs(3);
/// Our slowest script, in ms.
const MOST_SCRIPT: f64 = 20.0;
/// Longest PING of another client beyond the worst of an idle server, in ms.
const MOST_WAIT: f64 = 25.0;
/// Entries in one round of the bare commands.
const BARE: usize = 500;

/// A backlog.
pub struct Row {
    /// What it is called.
    pub name: &'static str,
    count: usize,
    shuffled: bool,
    /// How many times as fast as Redisson we are.
    claim: f64,
}

/// How one of the two did.
struct Drained {
    per_s: f64,
    noticed: Noticed,
    note: String,
}

impl Row {
    /// A row of the table.
    pub const fn new(name: &'static str, count: usize, shuffled: bool, claim: f64) -> Self {
        Self {
            name,
            count,
            shuffled,
            claim,
        }
    }

    fn data(&self) -> Data {
        let due = |n| 1_700_000_000_000 + i64::try_from(n).unwrap();
        let data = Data::new(self.count, due, |n| format!("order {n:018}"));
        if self.shuffled { data.shuffled() } else { data }
    }
}

/// Prints the table; what missed its claim.
pub fn compare(rows: &[&Row]) -> Vec<String> {
    let side = Side::start(&RELEASES[2], "4");
    let queue = Queue::redisson(QUEUE);
    let client = side.client(QUEUE);
    client.work(QUEUE, "string");
    check::wait_for_transfer_clients(&side.server, QUEUE, 1);
    // The first ones of a fresh JVM are slow.
    let warm = Row::new("", 100_000, false, 0.0).data();
    theirs(&side.server, &queue, &warm);
    client.leave();
    let watch = Watch::begin(&side.server);
    std::thread::sleep(IDLE);
    let idle = watch.end(&side.server);
    let limit = bare_us(&side.server, &queue, &warm);
    println!(
        "\nA due backlog worked off: entries/s; slowest script and longest PING of another client in ms \
         (idle server: {:.1}).",
        ms(idle.ping)
    );
    println!(
        "The commands that no way avoids (LPOP, RPUSH, ZREM) cost {limit:.2} µs an entry: {:.0}/s.\n",
        1e6 / limit
    );
    println!(
        "{:<20}{:>12}{:>9}{:>9}{:>12}{:>9}{:>9}{:>9}  claim",
        "", "Redisson/s", "script", "PING", "ours/s", "script", "PING", "times"
    );
    rows.iter()
        .flat_map(|row| one(row, &side, &queue, idle))
        .collect()
}

/// Prints a row.
fn one(row: &Row, side: &Side, queue: &Queue, idle: Noticed) -> Vec<String> {
    let data = row.data();
    let client = side.client(QUEUE);
    client.work(QUEUE, "string");
    check::wait_for_transfer_clients(&side.server, QUEUE, 1);
    let theirs = theirs(&side.server, queue, &data);
    leave(client, &side.server);
    let ours = ours(&side.server, queue, &data);
    let times = ours.per_s / theirs.per_s;
    println!(
        "{:<20}{:>12.0}{:>9.1}{:>9.1}{:>12.0}{:>9.1}{:>9.1}{times:>9.1}  >= {:.0}   {}; {}",
        row.name,
        theirs.per_s,
        ms(theirs.noticed.script),
        ms(theirs.noticed.ping),
        ours.per_s,
        ms(ours.noticed.script),
        ms(ours.noticed.ping),
        row.claim,
        theirs.note,
        ours.note
    );
    let mut missed = Vec::new();
    let mut claim = |holds: bool, what: String| {
        if !holds {
            missed.push(format!("{}: {what}", row.name));
        }
    };
    claim(times >= row.claim, format!("{times:.1} times as fast"));
    let script = ms(ours.noticed.script);
    claim(script <= MOST_SCRIPT, format!("a script of {script:.1} ms"));
    let wait = ms(ours.noticed.ping) - ms(idle.ping);
    claim(wait <= MOST_WAIT, format!("a PING {wait:.1} ms longer"));
    missed
}

/// Ends the client; its last script may still be under way.
fn leave(client: Client, server: &Server) {
    client.leave();
    check::wait_for_transfer_clients(server, QUEUE, 0);
}

/// A Redisson client that knows nothing yet of what is loaded is told to look.
fn theirs(server: &Server, queue: &Queue, data: &Data) -> Drained {
    server.cmd(&["FLUSHALL"]);
    data.load(server, queue);
    let keys = queue.keys();
    let timeouts = String::from_utf8(keys.timeouts).unwrap();
    let channel = String::from_utf8(keys.channel.unwrap()).unwrap();
    let watch = Watch::begin(server);
    let began = instant();
    server.cmd(&["PUBLISH", &channel, "0"]);
    let count = data.entries.len();
    let (mut left, mut took) = (count, Duration::ZERO);
    while left > 0 && took < LONGEST {
        std::thread::sleep(Duration::from_millis(2));
        left = usize::try_from(server.int(&["ZCARD", &timeouts])).unwrap();
        took = began.elapsed();
    }
    let noticed = watch.end(server);
    let moved = count - left;
    Drained {
        per_s: rate(moved, took),
        noticed,
        note: format!("Redisson moved {moved} in {:.1} s", took.as_secs_f64()),
    }
}

fn ours(server: &Server, queue: &Queue, data: &Data) -> Drained {
    server.cmd(&["FLUSHALL"]);
    data.load(server, queue);
    let program = Program::new(server);
    let watch = Watch::begin(server);
    let run = program.change(&["transfer", QUEUE]);
    let noticed = watch.end(server);
    let count = data.entries.len();
    assert_eq!(
        check::depths(server, QUEUE),
        [0, 0, i64::try_from(count).unwrap()]
    );
    let delivered = list(server, &queue.keys().target);
    let all = delivered.iter().enumerate();
    assert!(
        { all }.all(|(at, element)| element == data.payload(at)),
        "each once, in due order"
    );
    Drained {
        per_s: rate(count, run.took),
        noticed,
        note: format!(
            "ours {:.2} s, {:.2} s by its own summary",
            run.took.as_secs_f64(),
            run.own().as_secs_f64()
        ),
    }
}

/// Server time per entry of the commands that no way avoids, sent bare, in µs.
#[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
fn bare_us(server: &Server, queue: &Queue, data: &Data) -> f64 {
    server.cmd(&["FLUSHALL"]);
    data.load(server, queue);
    server.cmd(&["CONFIG", "RESETSTAT"]);
    let keys = queue.keys();
    let mut connection = server.connection();
    let all: Vec<usize> = (0..data.entries.len()).collect();
    for some in all.chunks(BARE) {
        let members: Vec<&[u8]> = some.iter().map(|&at| &data.entries[at].1[..]).collect();
        let payloads: Vec<&[u8]> = some.iter().map(|&at| data.payload(at)).collect();
        let mut pipe = redis::pipe();
        pipe.cmd("LPOP").arg(&keys.order).arg(BARE);
        pipe.cmd("RPUSH").arg(&keys.target).arg(payloads);
        pipe.cmd("ZREM").arg(&keys.timeouts).arg(members);
        pipe.exec(&mut connection).unwrap();
    }
    wait_for("everything to be moved", || {
        check::depths(server, QUEUE)[0] == 0
    });
    let stats: String = redis::from_redis_value(server.cmd(&["INFO", "commandstats"])).unwrap();
    let spent = ["lpop", "rpush", "zrem"].map(|name| {
        let line = stats
            .lines()
            .find_map(|line| line.strip_prefix(&format!("cmdstat_{name}:")))
            .expect("a command that ran");
        let usec = line
            .split(',')
            .find_map(|field| field.strip_prefix("usec="));
        usec.unwrap().parse::<u64>().unwrap()
    });
    spent.iter().sum::<u64>() as f64 / data.entries.len() as f64
}
