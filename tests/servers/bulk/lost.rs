//! Answers that never come: the script ran, and the connection broke before its answer.

use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use delayscope::ops::bulk::BulkStep;
use delayscope::ops::bulk::put_back::PutBack;
use delayscope::ops::bulk::realign::Realign;
use delayscope::ops::bulk::sweep::Sweep;
use delayscope::queue::Address;
use delayscope::store::change::{ChosenEntry, Fate, ListPlace};
use delayscope::store::write::Writer;
use delayscope::store::{Access, Store};

use crate::bulk::world::{Dice, World, member};
use crate::support::Server;
use crate::support::{PATIENCE, room};

/// Stands before the server; told to, it keeps the answer of the next script and hangs up.
struct Between {
    dir: tempfile::TempDir,
    cut: Arc<AtomicBool>,
}

impl Between {
    fn start(server: &Server) -> Self {
        let dir = room();
        let listener = UnixListener::bind(dir.path().join("s")).unwrap();
        let cut = Arc::new(AtomicBool::new(false));
        let (seen, socket) = (Arc::clone(&cut), server.socket());
        thread::spawn(move || {
            for client in listener.incoming() {
                pass(&client.unwrap(), &socket, &seen);
            }
        });
        Self { dir, cut }
    }

    async fn writer(&self, server: &Server) -> Writer {
        let address = Address::Unix(self.dir.path().join("s"));
        let store = Store::open(server.endpoint_at(address, 0), Access::ReadWrite);
        store.ready(PATIENCE).await.unwrap();
        store.writer().unwrap()
    }
}

/// Passes everything on, both ways.
fn pass(client: &UnixStream, socket: &Path, cut: &Arc<AtomicBool>) {
    let Ok(server) = UnixStream::connect(socket) else {
        return;
    };
    let script = Arc::new(AtomicBool::new(false));
    let copy =
        |from: &UnixStream, to: &UnixStream| (from.try_clone().unwrap(), to.try_clone().unwrap());
    let ((mut from, mut to), asked) = (copy(client, &server), Arc::clone(&script));
    let armed = Arc::clone(cut);
    thread::spawn(move || {
        let mut bytes = vec![0; 1 << 20];
        while let Ok(n @ 1..) = from.read(&mut bytes) {
            let is_script = bytes[..n].windows(7).any(|w| w == b"EVALSHA");
            if is_script && armed.swap(false, Ordering::SeqCst) {
                asked.store(true, Ordering::SeqCst);
            }
            if to.write_all(&bytes[..n]).is_err() {
                break;
            }
        }
    });
    let (mut from, mut to) = copy(&server, client);
    thread::spawn(move || {
        let mut bytes = vec![0; 1 << 20];
        while let Ok(n @ 1..) = from.read(&mut bytes) {
            if script.load(Ordering::SeqCst) || to.write_all(&bytes[..n]).is_err() {
                break;
            }
        }
        let _ = to.shutdown(std::net::Shutdown::Both);
        let _ = from.shutdown(std::net::Shutdown::Both);
    });
}

/// Three hundred that wait, due by their ids, in no order.
async fn shuffled(server: &Server, seed: u64) -> (World, Dice) {
    let mut dice = Dice::new(seed);
    let mut order: Vec<u64> = (1..=300).collect();
    dice.shuffle(&mut order);
    let due = |id| i64::try_from(id).unwrap();
    (World::new(server, &order, due).await, dice)
}

/// Drives a stepper to its end; now and then an answer is lost. How many were.
macro_rules! run {
    ($way:expr, $writer:expr, $n:expr, $between:expr, $dice:expr) => {{
        let (mut steps, mut lost): (Vec<BulkStep>, usize) = (Vec::new(), 0);
        loop {
            if $dice.below(4) == 0 {
                $between.cut.store(true, Ordering::SeqCst);
            }
            match $way.next($writer, $n).await {
                Ok(Some(step)) => steps.push(step),
                Ok(None) => break,
                Err(error) => {
                    assert!(error.outcome_unknown(), "{error}");
                    lost += 1;
                }
            }
        }
        $between.cut.store(false, Ordering::SeqCst);
        (steps, lost)
    }};
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sweep_whose_answers_get_lost_takes_exactly_the_chosen_and_can_be_undone() {
    let server = Server::start();
    let between = Between::start(&server);
    let mut all_lost = 0;
    for seed in 0..6 {
        let quarantined = seed % 2 == 1;
        let (mut world, mut dice) = shuffled(&server, seed).await;
        let writer = between.writer(&server).await;
        let (list, timeouts) = (world.order(), world.timeouts());
        let chosen = world.chosen((1..=300).filter(|_| dice.below(3) > 0));
        let mut way = if quarantined {
            Sweep::quarantining(&world.queue, chosen.clone())
        } else {
            Sweep::new(&world.queue, chosen.clone())
        };
        let (steps, answers) = run!(way, &writer, 20, between, dice);
        all_lost += answers;
        let fates: Vec<_> = steps.into_iter().flat_map(|s| s.fates).collect();
        assert_eq!(fates.len(), chosen.len());
        assert!(fates.iter().all(|f| f.fate == Fate::Done || f.unsure));
        // What went into quarantine is seen there.
        let unsure = answers > 0 && !quarantined;
        assert_eq!(fates.iter().any(|f| f.unsure), unsure);
        let kept = |m: &&Vec<u8>| !chosen.iter().any(|c| &c.member == *m);
        let left: Vec<Vec<u8>> = list.iter().filter(kept).cloned().collect();
        assert_eq!(world.order(), left, "seed {seed}");
        // Entries without place go to the end; all of these have one.
        assert!(fates.iter().all(|f| f.stood.is_some()), "seed {seed}");
        let mut back: Vec<_> = (fates.into_iter())
            .map(|f| (chosen[f.index].clone(), f.stood))
            .collect();
        // In the order in which they stood, as a sweep meets them.
        back.sort_by_key(|(c, _): &(_, Option<ListPlace>)| {
            list.iter().position(|m| *m == c.member).unwrap()
        });
        let mut way = if quarantined {
            PutBack::restoring(&world.queue, back)
        } else {
            PutBack::new(&world.queue, back)
        };
        let (steps, answers) = run!(way, &writer, 20, between, dice);
        all_lost += answers;
        let done = steps.iter().flat_map(|s| &s.fates);
        assert!(done.clone().all(|f| f.fate == Fate::Done), "seed {seed}");
        assert_eq!(done.count(), chosen.len());
        assert_eq!(world.timeouts(), timeouts, "seed {seed}");
        let (mut now, mut then) = (world.order(), list);
        now.sort();
        then.sort();
        assert!(now == then, "seed {seed}: another set");
    }
    assert!(all_lost > 10, "{all_lost} answers lost");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn edits_whose_answers_get_lost_are_made_once_and_can_be_undone() {
    let server = Server::start();
    let between = Between::start(&server);
    let mut all_lost = 0;
    for seed in 0..6 {
        let (mut world, mut dice) = shuffled(&server, seed).await;
        let writer = between.writer(&server).await;
        let (list, timeouts) = (world.order(), world.timeouts());
        let chosen = world.chosen((1..=300).filter(|_| dice.below(3) > 0));
        // Two stand nowhere in the order list.
        let order = world.queue.keys().order.unwrap();
        for one in &chosen[..2] {
            let _: i64 = world.cmd("LREM", &[&order, b"1", &one.member]);
        }
        let lacking = world.order();
        let new = |member: &Vec<u8>| [&member[..], b" edited"].concat();
        let edits = chosen.iter().map(|c| (c.clone(), new(&c.member)));
        let mut way = Sweep::editing(&world.queue, edits.collect());
        let (steps, answers) = run!(way, &writer, 20, between, dice);
        all_lost += answers;
        let is_chosen = |m: &Vec<u8>| chosen.iter().any(|c| c.member == *m);
        let edited = |m: &Vec<u8>| if is_chosen(m) { new(m) } else { m.clone() };
        let fates = steps.iter().flat_map(|s| &s.fates);
        assert!(fates.clone().all(|f| f.fate == Fate::Done && !f.unsure));
        assert!(fates.clone().all(|f| f.stood.is_none()), "it has not left");
        assert_eq!(fates.count(), chosen.len(), "seed {seed}");
        let wanted: Vec<_> = lacking.iter().map(edited).collect();
        assert!(world.order() == wanted, "seed {seed}: another order");
        let wanted = timeouts.iter().map(|(m, score)| (edited(m), score.clone()));
        assert_eq!(world.timeouts(), wanted.collect(), "seed {seed}");
        let back = chosen.iter().map(|c| {
            let edited = ChosenEntry {
                member: new(&c.member),
                score: c.score,
            };
            (edited, c.member.clone())
        });
        let mut way = Sweep::editing(&world.queue, back.collect());
        let (_, answers) = run!(way, &writer, 20, between, dice);
        all_lost += answers;
        assert!(world.order() == lacking, "seed {seed}: another order");
        assert_eq!(world.timeouts(), timeouts, "seed {seed}");
        assert_eq!(list.len(), lacking.len() + 2);
    }
    assert!(all_lost > 10, "{all_lost} answers lost");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_realignment_whose_answers_get_lost_is_exact_in_the_end() {
    let server = Server::start();
    let between = Between::start(&server);
    let mut all_lost = 0;
    for seed in 0..4 {
        let (mut world, mut dice) = shuffled(&server, seed).await;
        let writer = between.writer(&server).await;
        let chosen: Vec<Vec<u8>> = (1..=200).map(member).collect();
        let mut way = Realign::new(&world.queue, chosen.clone());
        let (steps, answers) = run!(way, &writer, 60, between, dice);
        all_lost += answers;
        let fates = steps.iter().flat_map(|s| &s.fates);
        assert_eq!(fates.filter(|f| f.fate == Fate::Done).count(), 200);
        assert_eq!(world.order()[..200], chosen);
        world.holds("realigned");
    }
    assert!(all_lost > 2, "{all_lost} answers lost");
}
