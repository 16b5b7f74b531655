//! A cluster: its queues found, counted and changed through any of its nodes, and followed from node
//! to node.

use std::collections::BTreeSet;
use std::fmt;
use std::time::Duration;

use delayscope::clock::instant;
use delayscope::ops::apply::{ChangeEvent, Limits, apply};
use delayscope::ops::discover::{DiscoveryEvent, discover_with};
use delayscope::ops::memory::Memory;
use delayscope::ops::refresh::{pulse, pulses, pulses_apart, survey};
use delayscope::queue::look::LookAsk;
use delayscope::queue::{Address, Endpoint, Known, LinkState, Outcome, Queue, ServerWatch};
use delayscope::store::{Access, Store, read, watch};
use futures_util::{Stream, StreamExt as _};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::time::timeout;

use crate::apply::bench::{Bench, Contents, lost};
use crate::cluster::{Cluster, MASTERS, NODE_TIMEOUT, queue_at, slot_of};
use crate::made::Made;
use crate::support::{PATIENCE, Server, room, until};

async fn opened(cluster: &Cluster, n: usize) -> Store {
    let store = Store::open(cluster.endpoint(n), Access::ReadWrite);
    store.ready(PATIENCE).await.unwrap();
    store
}

/// A queue at each master, with as many entries as its place says.
fn filled(cluster: &Cluster) -> Vec<Queue> {
    let queues: Vec<Queue> = (0..MASTERS).map(|master| queue_at(master, 0)).collect();
    for (master, queue) in queues.iter().enumerate() {
        let node = &cluster.nodes[master];
        let count = master as u64 + 1;
        node.fill(queue, count, node.now().plus(900_000), 1);
    }
    queues
}

#[tokio::test]
async fn queues_of_all_nodes_are_found_and_counted_through_any_node() {
    let cluster = Cluster::start();
    let queues = filled(&cluster);
    let channel = String::from_utf8(queues[1].keys().channel.unwrap()).unwrap();
    let mut client = cluster.nodes[1].connection();
    let mut listening = client.as_pubsub();
    listening.subscribe(&channel).unwrap();
    // A replica leads there too.
    for n in [0, 1, MASTERS + 1] {
        let store = opened(&cluster, n).await;
        let dir = room();
        let memory = Memory::at(&dir.path().join("queues"));
        let mut found = Box::pin(discover_with(&store, Vec::new(), memory));
        let mut seen = BTreeSet::new();
        let keys = loop {
            match found.next().await.expect("an end") {
                DiscoveryEvent::Queue(queue) => drop(seen.insert(queue.spec())),
                DiscoveryEvent::Progress { .. } => {}
                DiscoveryEvent::Failed(why) => panic!("{why}"),
                DiscoveryEvent::Away { nodes, .. } => panic!("{nodes:?}"),
                DiscoveryEvent::Done { looked } => break looked,
            }
        };
        assert_eq!(seen, queues.iter().map(Queue::spec).collect());
        assert_eq!(keys, 2 * MASTERS as u64);
        let seen = pulses(&store, &queues).await.unwrap();
        let waiting: Vec<_> = seen.iter().map(|pulse| pulse.waiting.clone()).collect();
        assert_eq!(waiting, [1, 2, 3].map(Known::Is));
        let clients: Vec<_> = seen.iter().map(|p| p.transfer_clients.clone()).collect();
        assert_eq!(clients, [0, 1, 0].map(Known::Is));
        for (queue, count) in queues.iter().zip(1..) {
            let seen = pulse(&store, queue, None).await.unwrap();
            assert_eq!(seen.waiting, Known::Is(count));
            let seen = survey(&store, queue, None, None).await.unwrap();
            assert!(
                seen.keys
                    .iter()
                    .all(|key| key.kind == key.wanted || key.kind == "none")
            );
        }
        let nodes = store.link().borrow().nodes.expect("a cluster");
        assert_eq!((nodes.masters, nodes.replicas, nodes.unowned), (3, 3, 0));
    }
}

/// A listener that takes no connection, and refuses none: its queue is full.
async fn deaf() -> (TcpListener, Vec<TcpStream>, (String, u16)) {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let listener = socket.listen(1).unwrap();
    let at = listener.local_addr().unwrap();
    let mut queue = Vec::new();
    // A busy machine may be late to take one.
    let mut untaken = 0;
    while untaken < 2 {
        match timeout(Duration::from_millis(100), TcpStream::connect(at)).await {
            Ok(stream) => queue.push(stream.unwrap()),
            Err(_) => untaken += 1,
        }
    }
    (listener, queue, (at.ip().to_string(), at.port()))
}

#[tokio::test]
async fn a_seed_that_does_not_answer_delays_nobody() {
    let cluster = Cluster::start();
    let queues = filled(&cluster);
    let (_listener, _queue, dead) = deaf().await;
    let (_other_listener, _other_queue, other_dead) = deaf().await;
    no_seed_is_waited_for(&cluster, vec![dead, other_dead], &queues).await;
}

/// A node of the cluster behind two seeds that do not answer is reached before they are given up.
async fn no_seed_is_waited_for(cluster: &Cluster, mut seeds: Vec<(String, u16)>, queues: &[Queue]) {
    seeds.push(("127.0.0.1".to_owned(), cluster.nodes[0].port()));
    let endpoint = Endpoint {
        address: Address::Cluster(seeds),
        ..cluster.endpoint(0)
    };
    let begun = instant();
    let store = Store::open(endpoint, Access::ReadOnly);
    store.ready(PATIENCE).await.unwrap();
    let took = instant() - begun;
    // Each is waited for 2 s: one after another they would take 4.
    assert!(took < Duration::from_secs(3), "{took:?}");
    assert_eq!(pulses(&store, queues).await.unwrap().len(), MASTERS);
}

/// A listener that takes every connection and never says anything.
async fn mute() -> (String, u16) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let at = listener.local_addr().unwrap();
    tokio::spawn(async move {
        let mut taken = Vec::new();
        while let Ok(stream) = listener.accept().await {
            taken.push(stream);
        }
    });
    (at.ip().to_string(), at.port())
}

#[tokio::test]
async fn a_seed_that_takes_connections_and_never_speaks_delays_nobody() {
    let cluster = Cluster::start();
    let queues = filled(&cluster);
    no_seed_is_waited_for(&cluster, vec![mute().await, mute().await], &queues).await;
}

#[tokio::test]
async fn seeds_none_of_which_speaks_are_told_to_be_silent() {
    let endpoint = Endpoint {
        address: Address::Cluster(vec![mute().await, mute().await]),
        ..Server::start_tcp(&[]).tcp_endpoint()
    };
    let store = Store::open(endpoint, Access::ReadOnly);
    let why = store.ready(PATIENCE).await.unwrap_err().to_string();
    assert!(why.contains("greet us"), "{why}");
}

#[tokio::test]
async fn another_node_answers_instead_of_the_named_one_that_hangs() {
    let mut cluster = incomplete();
    let queues = filled(&cluster);
    let store = opened(&cluster, 2).await;
    cluster.nodes[2].stop();
    store.leave();
    let seen = async {
        let mut link = store.link();
        let first = cluster.address(2);
        let elsewhere = |link: &delayscope::queue::Link| {
            link.state == LinkState::Live && link.leads_to.as_ref().is_some_and(|at| *at != first)
        };
        drop(link.wait_for(elsewhere).await.unwrap());
    };
    tokio::time::timeout(PATIENCE, seen)
        .await
        .expect("another node leads there");
    let seen = pulses_apart(&store, &queues).await.into_iter();
    let seen: Vec<bool> = seen.map(|pulse| pulse.is_ok()).collect();
    assert_eq!(seen, [true, true, false]);
    cluster.nodes[2].go_on();
    cluster.nodes[2].kill();
}

/// A cluster that goes on without those of its nodes that are away.
fn incomplete() -> Cluster {
    let mut args = vec![
        "--cluster-require-full-coverage",
        "no",
        "--cluster-replica-no-failover",
        "yes",
    ];
    // An older server does not know it, and reads from what is left of a cluster all the same as long
    // as that is most of it.
    if Server::start().version() >= (6, 0) {
        args.extend(["--cluster-allow-reads-when-down", "yes"]);
    }
    Cluster::start_with(&args)
}

/// What a search tells up to the next event of that kind: the names of queues; and that event.
async fn until_told(
    found: &mut (impl Stream<Item = DiscoveryEvent> + Unpin),
    is_it: impl Fn(&DiscoveryEvent) -> bool,
) -> (Vec<String>, DiscoveryEvent) {
    let mut names = Vec::new();
    let told = async {
        loop {
            match found.next().await.expect("an end") {
                event if is_it(&event) => {
                    if let DiscoveryEvent::Queue(queue) = &event {
                        names.push(queue.name.to_string());
                    }
                    return event;
                }
                DiscoveryEvent::Queue(queue) => names.push(queue.name.to_string()),
                DiscoveryEvent::Failed(why) => panic!("{why}"),
                _ => {}
            }
        }
    };
    let event = tokio::time::timeout(PATIENCE, told).await;
    let event = event.expect("told in time");
    (names, event)
}

fn is_done(event: &DiscoveryEvent) -> bool {
    matches!(event, DiscoveryEvent::Done { .. })
}

/// The event that says so of this node alone.
fn is_away(cluster: &Cluster, node: usize) -> impl Fn(&DiscoveryEvent) -> bool {
    let node = cluster.address(node).to_string();
    move |event| matches!(event, DiscoveryEvent::Away { nodes, .. } if *nodes == [node.clone()])
}

#[tokio::test]
async fn a_node_that_was_away_is_looked_through_alone_when_it_answers() {
    let mut cluster = incomplete();
    let queues = filled(&cluster);
    let store = opened(&cluster, 0).await;
    cluster.nodes[2].cmd(&["SAVE"]);
    cluster.nodes[2].kill();
    let mut found = Box::pin(discover_with(&store, Vec::new(), Memory::none()));
    let (names, _) = until_told(&mut found, is_away(&cluster, 2)).await;
    assert_eq!(names.len(), 2, "{names:?}");
    let looks = |cluster: &Cluster| {
        let calls = cluster.nodes[..2].iter().map(|node| {
            let stats = format!("{:?}", node.cmd(&["INFO", "commandstats"]));
            let calls = stats.split("cmdstat_scan:calls=").nth(1);
            calls.and_then(|rest| Some(rest.split_once(',')?.0.to_owned()))
        });
        calls.collect::<Vec<_>>()
    };
    let before = looks(&cluster);
    assert!(before.iter().all(Option::is_some), "{before:?}");
    cluster.nodes[2].restart();
    let (names, end) = until_told(&mut found, is_done).await;
    assert_eq!(names, [queues[2].name.to_string()]);
    assert!(matches!(end, DiscoveryEvent::Done { looked: 6 }), "{end:?}");
    assert_eq!(looks(&cluster), before);
    assert_eq!(found.next().await, None);
}

#[tokio::test]
async fn a_name_that_only_an_absent_node_could_tell_is_not_guessed() {
    let mut cluster = incomplete();
    let name = queue_at(2, 0).name.to_string();
    let braced = format!("{{{name}}}");
    cluster.nodes[2].cmd(&["RPUSH", &braced, "delivered"]);
    cluster.nodes[2].cmd(&["SAVE"]);
    let mut client = cluster.nodes[0].connection();
    let mut listening = client.as_pubsub();
    let channel = format!("redisson_delay_queue_channel:{braced}");
    listening.subscribe(&channel).unwrap();
    let store = opened(&cluster, 0).await;
    cluster.nodes[2].kill();
    let dir = room();
    let memory = Memory::at(&dir.path().join("queues"));
    let remembered = Memory::at(&dir.path().join("queues"));
    let mut found = Box::pin(discover_with(&store, Vec::new(), memory));
    let (names, _) = until_told(&mut found, is_away(&cluster, 2)).await;
    assert_eq!(names, [""; 0]);
    assert_eq!(remembered.all(), []);
    cluster.nodes[2].restart();
    let (names, _) = until_told(&mut found, is_done).await;
    assert_eq!(names, [braced]);
}

#[tokio::test]
async fn channels_that_a_node_did_not_tell_are_asked_for_again() {
    let cluster = incomplete();
    let queues = filled(&cluster);
    let empty = queue_at(2, 1);
    let mut client = cluster.nodes[2].connection();
    let mut listening = client.as_pubsub();
    let channel = String::from_utf8(empty.keys().channel.unwrap()).unwrap();
    listening.subscribe(&channel).unwrap();
    let store = opened(&cluster, 0).await;
    // From now on there is a link to each node.
    let mut found = Box::pin(discover_with(&store, Vec::new(), Memory::none()));
    until_told(&mut found, is_done).await;
    cluster.nodes[2].stop();
    let mut found = Box::pin(discover_with(&store, Vec::new(), Memory::none()));
    let is_first = |event: &DiscoveryEvent| matches!(event, DiscoveryEvent::Queue(_));
    let (mut names, _) = until_told(&mut found, is_first).await;
    // Its channels have not come, and its keys are looked through last.
    cluster.nodes[2].go_on();
    names.extend(until_told(&mut found, is_done).await.0);
    let all = queues.iter().chain([&empty]).map(|q| q.name.to_string());
    let all: BTreeSet<String> = all.collect();
    assert_eq!(names.into_iter().collect::<BTreeSet<_>>(), all);
}

#[tokio::test]
async fn a_queue_is_judged_by_what_its_own_node_says() {
    let cluster = Cluster::start();
    let queues = filled(&cluster);
    let mut client = cluster.nodes[1].connection();
    redis::cmd("CLIENT")
        .arg("SETNAME")
        .arg("listener")
        .exec(&mut client)
        .unwrap();
    let mut listening = client.as_pubsub();
    listening.subscribe("anything").unwrap();
    let store = opened(&cluster, 0).await;
    let mut server = ServerWatch::default();
    server.looked(read::look(&store, LookAsk::Whole).await.unwrap());
    let sees = |queue: &Queue| {
        let clients = server.of(queue).last().unwrap().clients.get_ref().unwrap();
        clients
            .listed
            .iter()
            .any(|client| client.name == "listener")
    };
    assert_eq!([0, 1, 2].map(|n| sees(&queues[n])), [false, true, false]);
}

/// Waits until the link is at that node, and live there.
async fn leads_to(cluster: &Cluster, store: &Store, n: usize) {
    let wanted = Some(cluster.address(n));
    let mut link = store.link();
    let there = link.wait_for(|link| link.leads_to == wanted && link.state == LinkState::Live);
    let came = tokio::time::timeout(PATIENCE, there).await;
    came.expect("it leads there in time").unwrap();
}

#[tokio::test]
async fn a_link_goes_along_with_a_queue_through_moves_failovers_and_deaths() {
    let mut cluster = Cluster::start();
    let queues = filled(&cluster);
    let (queue, slot) = (&queues[1], slot_of(&queues[1]));
    let home = opened(&cluster, 0).await;
    let store = home.along_with(queue);
    leads_to(&cluster, &store, 1).await;
    cluster.begin_move(slot, 1, 0);
    while cluster.move_a_key(slot, 1, 0) {}
    cluster.end_move(slot, 1, 0);
    leads_to(&cluster, &store, 0).await;
    let replica = MASTERS;
    cluster.fail_over(replica, true);
    leads_to(&cluster, &store, replica).await;
    until("a cluster that agrees", || {
        cluster.owner_of(slot) == Some(replica) && cluster.is_whole()
    })
    .await;
    // The node that was named is a replica by now, and takes over when this one dies.
    cluster.nodes[replica].kill();
    leads_to(&cluster, &store, 0).await;
    let seen = pulse(&home, queue, None).await.unwrap();
    assert_eq!(seen.waiting, Known::Is(2));
}

#[tokio::test]
async fn a_node_that_dies_takes_nobody_from_the_others() {
    let mut cluster = Cluster::start();
    let queues = filled(&cluster);
    let home = opened(&cluster, 0).await;
    pulses(&home, &queues).await.unwrap();
    cluster.nodes[0].kill();
    until("its replica to take over", || {
        cluster.owner(&queues[0]) == Some(MASTERS)
    })
    .await;
    let told = async {
        while pulses(&home, &queues).await.is_err() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let told = tokio::time::timeout(PATIENCE, told).await;
    told.expect("all three are seen again");
    // Whoever is named first in the map answers instead.
    let mut link = home.link();
    let live = link.wait_for(|link| link.state == LinkState::Live);
    let live = tokio::time::timeout(PATIENCE, live).await;
    drop(live.expect("another node leads there").unwrap());
}

#[tokio::test]
async fn announcements_are_heard_whichever_node_they_are_made_at() {
    let cluster = Cluster::start();
    let store = opened(&cluster, 0).await;
    let mut heard = Box::pin(watch::announcements(&store));
    for node in 0..MASTERS {
        let queue = queue_at(node, 0);
        let channel = String::from_utf8(queue.keys().channel.unwrap()).unwrap();
        let told = async {
            loop {
                cluster.nodes[node].cmd(&["PUBLISH", &channel, "5"]);
                let soon = Duration::from_millis(20);
                match tokio::time::timeout(soon, heard.next()).await {
                    Ok(Some(said)) if said.channel == channel.as_bytes() => return,
                    _ => {}
                }
            }
        };
        tokio::time::timeout(PATIENCE, told).await.expect("heard");
    }
}

/// What a change says while it cannot go on because of a move.
const MOVES: &str = "its slot is on the way to another node";

/// What befalls the owner of a queue amid a change.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Fate {
    FailsOver,
    IsTakenOver,
    Dies,
    /// It loses its replica, goes on, and dies: what it did meanwhile is lost.
    IsCutOff,
    /// The slot goes to another master, and the change meets it on its way.
    GivesItAway,
}

/// What a change through a failover or a move has shown.
struct SceneFigures {
    made: Made,
    fate: Fate,
    /// Entries that were told to be lost and done again.
    lost: u64,
    /// The longest time between two results.
    still: Duration,
}

impl fmt::Display for SceneFigures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            made,
            fate,
            lost,
            still,
        } = self;
        write!(
            f,
            "{made:?}, {fate:?}: {lost} told to be lost and done again; no result for {still:.1?} at most"
        )
    }
}

/// Changes, and undoes it, 3,000 entries at 2,000 a second, while that befalls the queue's owner once
/// so many are done.
async fn changed_amid(made: Made, fate: Fate, at: usize) -> SceneFigures {
    let mut cluster = Cluster::start();
    let queue = queue_at(1, 0);
    let slot = slot_of(&queue);
    let endpoint = cluster.endpoint(0);
    let master = std::mem::replace(&mut cluster.nodes[1], Server::start());
    let mut bench = Bench::through(master, endpoint, &queue).await;
    let count = 3_000;
    made.fill(&bench.server, &bench.queue, count);
    let key = queue.keys().target;
    let mut both = redis::pipe();
    both.cmd("RPUSH").arg(&key).arg("delivered").ignore();
    both.cmd("WAIT").arg(1).arg(20_000);
    let [replicas]: [i64; 1] = both.query(&mut bench.server.connection()).unwrap();
    assert_eq!(replicas, 1);
    let before = bench.contents();
    std::mem::swap(&mut cluster.nodes[1], &mut bench.server);
    let (what, which) = made.asked();
    let prepared = bench.plan(what, which).await.unwrap();
    let limits = Limits {
        per_s: Some(2_000.0),
        ..Limits::default()
    };
    // A change that waits for more than another owner, or longer for it, has given up a replica.
    let longest = NODE_TIMEOUT + limits.patience;
    let mut applying = apply(&bench.writer, &bench.journal, prepared, limits);
    let (mut done, mut waits, mut befell) = (0, BTreeSet::new(), false);
    let mut failed = None;
    let mut lacked = None;
    let (mut heard, mut still) = (instant(), Duration::ZERO);
    let hearing = async {
        loop {
            match applying.next().await.expect("an end") {
                ChangeEvent::Results(some) => {
                    still = still.max(heard.elapsed());
                    heard = instant();
                    done += some.len();
                }
                ChangeEvent::Progress(progress) => {
                    let is_first = progress.waits.is_some_and(|why| waits.insert(why));
                    if is_first && waits.contains(MOVES) && fate == Fate::GivesItAway {
                        while cluster.move_a_key(slot, 1, 2) {}
                        cluster.end_move(slot, 1, 2);
                    }
                }
                ChangeEvent::Failed(why) => failed = Some(why),
                ChangeEvent::Ended(summary) => return summary,
                _ => {}
            }
            if made == Made::Realign && !befell {
                let now = Contents::read(&mut cluster.nodes[1].connection(), &queue);
                done = made.done_so_far(&before, &now);
            }
            if !befell && done >= at {
                befell = true;
                match fate {
                    Fate::FailsOver => cluster.fail_over(MASTERS + 1, false),
                    Fate::IsTakenOver => cluster.fail_over(MASTERS + 1, true),
                    Fate::Dies => cluster.nodes[1].kill(),
                    Fate::IsCutOff => cluster.cut_off(1, MASTERS + 1),
                    Fate::GivesItAway => {
                        cluster.begin_move(slot, 1, 2);
                        cluster.move_key(&made.key(&queue), 1, 2);
                    }
                }
            }
            let waits_for_it = |why: &String| why.starts_with("a replica has left");
            if fate == Fate::IsCutOff && lacked.is_none() && waits.iter().any(waits_for_it) {
                let here = Contents::read(&mut cluster.nodes[1].connection(), &queue);
                let mut replica = cluster.nodes[MASTERS + 1].connection();
                redis::cmd("READONLY").exec(&mut replica).unwrap();
                let there = Contents::read(&mut replica, &queue);
                lacked = Some(made.lacks(&before, &here, &there));
                cluster.nodes[1].kill();
            }
        }
    };
    let summary = tokio::time::timeout(PATIENCE, hearing)
        .await
        .expect("an end");
    assert_eq!(failed, None, "{summary:?}");
    let figures = SceneFigures {
        made,
        fate,
        lost: lost(&summary).unwrap_or(0),
        still,
    };
    // A realign tells of its entries in its end only.
    assert!(
        still < longest || made == Made::Realign,
        "{still:?} {waits:?}"
    );
    if fate == Fate::IsCutOff {
        assert_eq!(lost(&summary), lacked, "{:?}", summary.notes);
    }
    let anew = |note: &String| note.contains("started anew");
    assert!(!summary.notes.iter().any(anew), "{:?}", summary.notes);
    let may_be_unknown = fate == Fate::Dies && made.may_be_unknown();
    let unknown = summary.tally.get(Outcome::Unknown);
    assert_eq!(
        summary.tally.get(Outcome::Done) + unknown,
        count,
        "{summary:?}"
    );
    assert!(unknown == 0 || may_be_unknown, "{summary:?}");
    if fate == Fate::GivesItAway && !waits.contains(MOVES) {
        // The last entries were on their way to the owner before their slot was.
        assert!(at > 2_000, "{waits:?}");
        while cluster.move_a_key(slot, 1, 2) {}
        cluster.end_move(slot, 1, 2);
    }
    let wanted = match fate {
        Fate::GivesItAway => 2,
        _ => MASTERS + 1,
    };
    until("nodes that agree", || {
        cluster.owner_of(slot) == Some(wanted)
    })
    .await;
    std::mem::swap(&mut cluster.nodes[wanted], &mut bench.server);
    assert!(
        made.is_done(&before, &bench.contents()),
        "{made:?} {summary:?}"
    );
    if !made.can_be_undone() {
        return figures;
    }
    let (_, undone) = bench.undo(None).await;
    let after = bench.contents();
    if unknown > 0 {
        // What may be another's is left to it.
        let back = after.timeouts.len() as u64;
        assert!(
            back == count || back == count - unknown,
            "{:?}",
            undone.summary
        );
        let delivered = if made == Made::Transfer {
            count - back
        } else {
            0
        };
        let in_target = (after.target.len() - before.target.len()) as u64;
        assert_eq!(in_target, delivered, "{made:?} undone at the new owner");
        return figures;
    }
    assert!(undone.summary.tally.all_done(), "{:?}", undone.summary);
    assert!(
        made.is_undone(&before, &after),
        "{made:?} undone at the new owner"
    );
    figures
}

#[tokio::test]
async fn a_change_is_whole_when_the_owner_hands_over_amid_it() {
    println!(
        "{}",
        changed_amid(Made::Requeue, Fate::FailsOver, 1_000).await
    );
}

#[tokio::test]
async fn a_change_is_whole_when_the_owner_is_taken_over_amid_it() {
    println!(
        "{}",
        changed_amid(Made::Delete, Fate::IsTakenOver, 1_000).await
    );
}

#[tokio::test]
async fn a_change_is_whole_when_the_owner_dies_amid_it() {
    println!("{}", changed_amid(Made::Transfer, Fate::Dies, 1_000).await);
}

#[tokio::test]
async fn a_change_is_whole_and_tells_the_loss_when_an_owner_that_was_cut_off_dies() {
    for n in 0..10 {
        let scene = changed_amid(Made::Requeue, Fate::IsCutOff, 700 + 200 * n).await;
        println!("{scene}");
        // One that is seen before the next script takes nothing back: it is one of some.
        if scene.lost > 0 {
            return;
        }
    }
    panic!("no failover took anything back");
}

#[tokio::test]
async fn edits_are_whole_when_the_owner_hands_over_amid_them() {
    println!("{}", changed_amid(Made::Edit, Fate::FailsOver, 1_000).await);
}

#[tokio::test]
async fn the_order_list_is_in_order_when_the_owner_is_taken_over_amid_a_realign() {
    println!(
        "{}",
        changed_amid(Made::Realign, Fate::IsTakenOver, 1_000).await
    );
}

#[tokio::test]
async fn what_consumers_held_is_put_back_when_the_owner_dies_amid_it() {
    println!("{}", changed_amid(Made::PutBack, Fate::Dies, 1_000).await);
}

#[tokio::test]
async fn a_change_is_whole_when_the_slot_goes_to_another_node_amid_it() {
    println!(
        "{}",
        changed_amid(Made::Transfer, Fate::GivesItAway, 1_000).await
    );
}

#[tokio::test]
#[ignore = "thirty scenes, MOVES=N times each: cargo test --test servers through_many -- --ignored --nocapture"]
async fn changes_are_whole_through_many_failovers_and_moves() {
    let said = std::env::var("MOVES").ok();
    let times = said.map_or(10, |n| n.parse().expect("MOVES is a number"));
    let fates = [
        Fate::FailsOver,
        Fate::IsTakenOver,
        Fate::Dies,
        Fate::IsCutOff,
        Fate::GivesItAway,
    ];
    let scenes = fates
        .into_iter()
        .flat_map(|fate| Made::ALL.map(|made| (made, fate)));
    for (made, fate) in scenes {
        let (mut lost, mut longest, mut all) = (0, Duration::ZERO, Duration::ZERO);
        for n in 0..times {
            let scene = changed_amid(made, fate, 300 + 397 * n % 2_400).await;
            lost += scene.lost;
            longest = longest.max(scene.still);
            all += scene.still;
        }
        let mean = all / u32::try_from(times).unwrap();
        println!(
            "{made:?}, {fate:?}: {times} times, every entry once, undone at the new owner; {lost} told to be lost and done again; no result for {mean:.1?} in the mean, {longest:.1?} at most"
        );
    }
}

#[tokio::test]
async fn a_node_that_is_lost_takes_nothing_from_the_queues_of_the_others() {
    let mut cluster = Cluster::start_with(&["--cluster-require-full-coverage", "no"]);
    let queues = filled(&cluster);
    let store = opened(&cluster, 0).await;
    let read = async || {
        let seen = pulses_apart(&store, &queues).await.into_iter();
        let waiting = seen.map(|pulse| pulse.ok().and_then(|pulse| pulse.waiting.get()));
        waiting.collect::<Vec<_>>()
    };
    assert_eq!(read().await, [Some(1), Some(2), Some(3)]);
    // One that hangs is not waited for once that is known.
    cluster.nodes[2 + MASTERS].kill();
    cluster.nodes[2].stop();
    let missed = async { while read().await[2].is_some() {} };
    tokio::time::timeout(PATIENCE, missed).await.unwrap();
    assert_eq!(read().await, [Some(1), Some(2), None]);
}
