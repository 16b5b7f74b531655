//! A soak: a cluster that takes a thousand offers a second from a real client, of which a node is
//! killed each five minutes, and the screen open all the while.
//!
//! What must hold is asserted; what it took is printed. `SOAK_MINUTES` makes it shorter.

use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::{Duration, Instant};

use delayscope::clock::instant;
use delayscope::queue::Queue;

use crate::cluster::{Cluster, MASTERS, queue_at, slot_of};
use crate::ours;
use crate::peer::{Client, RELEASES, Side};
use crate::sentinel::info;
use crate::support::{Server, wait_for};
use crate::terminal::Terminal;

const PROGRAM: &str = env!("CARGO_BIN_EXE_delayscope");
const SIZE: (u16, u16) = (160, 50);
/// Queues that are offered to; each master has as many.
const QUEUES: usize = 9;
/// From one offer to a queue to the next, beside what the offer itself takes, in ms.
const EVERY_MS: u64 = 7;
/// After how long an offer falls due, in ms.
const DELAYS_MS: RangeInclusive<u64> = 2_000..=20_000;
/// From one death to the next.
const BETWEEN_DEATHS: Duration = Duration::from_secs(300);
/// From a node's death to its start again.
const AWAY: Duration = Duration::from_secs(30);
/// From one look at the memory to the next.
const STEP: Duration = Duration::from_secs(10);

/// Plays it.
pub fn play() {
    let minutes = std::env::var("SOAK_MINUTES").map_or(60, |n| n.parse().expect("a number"));
    let end = instant() + Duration::from_secs(60 * minutes);
    let mut cluster = Cluster::start();
    let places = (0..MASTERS).map(|n| format!("127.0.0.1:{}", cluster.nodes[n].port()));
    let theirs = format!("cluster://{}", places.collect::<Vec<_>>().join(","));
    let queues: Vec<Queue> = (0..QUEUES)
        .map(|n| queue_at(n % MASTERS, n / MASTERS))
        .collect();
    // No side of these is at one server.
    let nowhere = Arc::new(Server::start());
    let led = (theirs.as_str(), cluster.url(0));
    let side = Side::led_for_an_evening(nowhere, &RELEASES[2], led);
    let clients: Vec<Client<'_>> = (0..MASTERS)
        .map(|n| side.named_client(&format!("service-{n}")))
        .collect();
    for (n, queue) in queues.iter().enumerate() {
        let (client, name) = (&clients[n / MASTERS], queue.name.text());
        client.handle(&name);
        client.stream(&name, EVERY_MS, DELAYS_MS);
    }
    let screen = Screen(Terminal::start(&[PROGRAM, &side.url], SIZE, &[]));
    screen.0.wait_text(&format!("Queues {QUEUES} "));
    wait_for("a screen on which all is well", || screen.is_well());
    let mut memory = Memory::default();
    let mut offers = Offers::count(&cluster);
    let mut next_death = instant() + BETWEEN_DEATHS;
    let mut deaths = 0;
    while instant() < end {
        memory.look(&screen);
        std::thread::sleep(STEP);
        if memory.looks.len() % 6 == 0 {
            let (now, rate) = offers.since(&cluster);
            offers = now;
            println!("{} {rate:>6.0} offers/s", memory.last());
        }
        if instant() >= next_death && instant() + AWAY * 2 < end {
            next_death += BETWEEN_DEATHS;
            death(&mut cluster, &screen, &queues[deaths % QUEUES]);
            deaths += 1;
        }
    }
    for client in clients {
        client.leave();
    }
    for queue in &queues {
        is_right(&cluster, &side, &screen, queue);
    }
    memory.is_flat();
    println!("{deaths} deaths, and the figures are right");
}

/// Kills the node that has that queue, and waits until the screen is live again and the node is back.
fn death(cluster: &mut Cluster, screen: &Screen, queue: &Queue) {
    let slot = slot_of(queue);
    let victim = cluster.owner_of(slot).expect("a whole cluster");
    let began = instant();
    cluster.nodes[victim].kill();
    let (mut told, mut taken_over) = (None, None);
    let mut waits = || {
        if told.is_none() && !screen.is_well() {
            told = Some(began.elapsed());
        }
        let other = || cluster.owner_of(slot).is_some_and(|node| node != victim);
        if taken_over.is_none() && other() {
            taken_over = Some(began.elapsed());
        }
        told.is_some() && taken_over.is_some() && screen.is_well()
    };
    wait_for("a screen that is live again", &mut waits);
    let live = began.elapsed();
    let name = queue.name.text();
    let owner = cluster.owner_of(slot).expect("a whole cluster");
    let waiting = || {
        let key = queue.keys().timeouts;
        cluster.nodes[owner].cmd_bytes(&[b"ZCARD", &key])
    };
    let before = (waiting(), screen.waiting(&name));
    wait_for("clients that are back", || waiting() != before.0);
    let back = began.elapsed();
    wait_for("figures that move", || screen.waiting(&name) != before.1);
    let moved = began.elapsed();

    std::thread::sleep(AWAY.saturating_sub(began.elapsed()));
    cluster.nodes[victim].restart();
    wait_for("a whole cluster", || cluster.is_whole());
    let seconds = |span: Option<Duration>| span.unwrap_or_default().as_secs_f64();
    println!(
        "{name} (node {victim}): told {:.2} s, taken over {:.2} s, live {:.2} s, its clients back \
         {:.2} s, shown {:.2} s",
        seconds(told),
        seconds(taken_over),
        live.as_secs_f64(),
        back.as_secs_f64(),
        moved.as_secs_f64(),
    );
}

/// Holds the figures of a queue, of which nothing changes any more, beside what its node has.
fn is_right(cluster: &Cluster, side: &Side, screen: &Screen, queue: &Queue) {
    let node = &cluster.nodes[cluster.owner(queue).expect("a whole cluster")];
    let keys = queue.keys();
    let count = |command: &[u8], key: &[u8]| -> u64 {
        redis::from_redis_value(node.cmd_bytes(&[command, key])).unwrap()
    };
    let waiting = count(b"ZCARD", &keys.timeouts);
    let order = count(b"LLEN", &keys.order.expect("a list"));
    let target = count(b"LLEN", &keys.target);
    let name = queue.name.text();
    let shown = ours::look(side, "show", &name).remove(0);
    for (field, figure) in [("waiting", waiting), ("order", order), ("target", target)] {
        assert_eq!(shown[field], figure, "{name}: {field} of {shown}");
    }
    wait_for(&format!("{waiting} of {name} on the screen"), || {
        screen.waiting(&name) == Some(waiting)
    });
    println!("{name}: {waiting} wait, {order} in the order list, {target} in target");
}

/// The dashboard.
struct Screen(Terminal);

impl Screen {
    /// It has its server, all masters, and every queue.
    fn is_well(&self) -> bool {
        let text = self.0.shown().text();
        text.contains("● live") && text.contains("cluster 3/3") && !text.contains("cannot ")
    }

    /// The number of entries that wait in that queue, by its row.
    fn waiting(&self, queue: &str) -> Option<u64> {
        let text = self.0.shown().text();
        let mut rows = text.lines().map(str::split_whitespace);
        let figure = rows.find_map(|mut words| {
            words.find(|word| *word == queue)?;
            words.next()
        });
        figure?.replace(',', "").parse().ok()
    }
}

/// What the program takes, look by look.
#[derive(Default)]
struct Memory {
    /// When, the resident memory in KiB, and the CPU time so far in ms.
    looks: Vec<(Instant, u64, f64)>,
}

impl Memory {
    fn look(&mut self, screen: &Screen) {
        let process = format!("/proc/{}", screen.0.pid());
        let read = |file: &str| std::fs::read_to_string(format!("{process}/{file}")).unwrap();
        let status = read("status");
        let line = status.lines().find(|line| line.starts_with("VmRSS:"));
        let figure = line.and_then(|line| line.split_whitespace().nth(1));
        let stat = read("stat");
        let (_, fields) = stat.rsplit_once(')').unwrap();
        // The clock of these ticks a hundred times a second.
        let ticks = fields.split_whitespace().skip(11).take(2);
        let ticks: f64 = ticks.map(|ticks| ticks.parse::<f64>().unwrap()).sum();
        let look = (instant(), figure.unwrap().parse().unwrap(), ticks * 10.0);
        self.looks.push(look);
    }

    /// A line of the last minute.
    fn last(&self) -> String {
        let [.., (before, _, cpu_before), _, _, _, _, (now, rss, cpu)] = self.looks[..] else {
            return "the first looks:".to_owned();
        };
        let minute = now.duration_since(self.looks[0].0).as_secs() / 60;
        let spent = (cpu - cpu_before) / now.duration_since(before).as_secs_f64();
        format!("minute {minute:>2}: {rss:>6} KiB, own CPU {spent:>5.1} ms/s,")
    }

    /// Its last third took no more than a tenth above what the one before took.
    fn is_flat(&self) {
        let third = self.looks.len() / 3;
        let most = |looks: &[(Instant, u64, f64)]| looks.iter().map(|look| look.1).max();
        let (middle, last) = (
            most(&self.looks[third..2 * third]),
            most(&self.looks[2 * third..]),
        );
        println!("most memory of the middle third {middle:?} KiB, of the last {last:?} KiB");
        let limit = middle.map(|most| most + most / 10);
        assert!(last <= limit, "memory grows: {:?}", self.looks);
    }
}

/// The offers that each master has run so far; none: it is not one.
struct Offers {
    at: Instant,
    of_nodes: Vec<Option<u64>>,
}

impl Offers {
    fn count(cluster: &Cluster) -> Self {
        let of_node = |node: &Server| {
            let is_master = node.is_up() && info(node, "replication").contains("role:master");
            is_master.then(|| {
                let stats = info(node, "commandstats");
                let calls = stats.lines().find_map(|line| {
                    let (calls, _) = line.strip_prefix("cmdstat_zadd:calls=")?.split_once(',')?;
                    calls.parse().ok()
                });
                calls.unwrap_or(0)
            })
        };
        Self {
            at: instant(),
            of_nodes: cluster.nodes.iter().map(of_node).collect(),
        }
    }

    /// The count of now, and how many there were a second since this one.
    fn since(&self, cluster: &Cluster) -> (Self, f64) {
        let now = Self::count(cluster);
        let both = now.of_nodes.iter().zip(&self.of_nodes);
        let more = both.map(|(now, then)| match (now, then) {
            (Some(now), Some(then)) => now.saturating_sub(*then),
            _ => 0,
        });
        let more = u32::try_from(more.sum::<u64>()).unwrap();
        let rate = f64::from(more) / now.at.duration_since(self.at).as_secs_f64();
        (now, rate)
    }
}
