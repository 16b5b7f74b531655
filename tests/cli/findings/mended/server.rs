//! Clients, clocks, and the server itself.

use delayscope::queue::{Era, Queue};

use super::Case;
use crate::findings::at;
use crate::findings::life::{Slow, Subscriber, Timerless};
use crate::findings::patient::Patient;
use crate::support::{Server, wait_for};

/// A full memory, a replica, a snapshot that fails: clients are there, and nothing moves.
pub(super) async fn writes_are_refused(seed: u64) -> Case {
    let save: &[&str] = &["--save", "3600", "1", "--dbfilename", "snapshot"];
    let server = Server::start_with(if seed == 300 { save } else { &[] });
    let mut patient = Patient::on(server, seed).await;
    for n in 0..5 {
        patient.offer(Era::Newer, -20_000 + n, "late");
    }
    let in_the_way = patient.server.socket().with_file_name("snapshot");
    let (refuse, again): (&[&str], &[&str]) = match at(seed) {
        0 => (
            &["CONFIG", "SET", "maxmemory", "1kb"],
            &["CONFIG", "SET", "maxmemory", "0"],
        ),
        1 => (
            &["REPLICAOF", "127.0.0.1", "1"],
            &["REPLICAOF", "NO", "ONE"],
        ),
        _ => {
            // No file can take the place of a directory.
            std::fs::create_dir(&in_the_way).unwrap();
            (&["BGSAVE"], &["BGSAVE"])
        }
    };
    patient.server.cmd(refuse);
    wait_for("the snapshot to fail", || {
        let info = patient.server.cmd(&["INFO", "persistence"]);
        let info: String = redis::from_redis_value(info).unwrap();
        seed != 300 || info.contains("rdb_last_bgsave_status:err")
    });
    patient.with(patient.client(Era::Newer, 0));
    Case::outside(patient, move |patient| {
        let _ = std::fs::remove_dir(&in_the_way);
        patient.server.cmd(again);
    })
}

/// No client that is subscribed; in the plain layout no poller.
pub(super) async fn nobody_is_there(seed: u64) -> Case {
    if seed == 300 {
        let queue: Queue = "zset-list:delay_queue,ready_queue,s".parse().unwrap();
        let patient = Patient::of(Server::start(), queue, seed).await;
        let late = (patient.server.now().get() / 1_000 - 3_600).to_string();
        for message in ["first", "second", "third"] {
            let offer = ["ZADD", "delay_queue", &late, message];
            patient.server.cmd(&offer);
        }
        return Case::of(patient).within(4_500);
    }
    let mut patient = Patient::new(seed).await;
    let (late, count) = [(-11_000, 1), (-3_600_000, 30)][at(seed)];
    for n in 0..count {
        patient.offer(Era::BOTH[at(seed)], late + n, &format!("late {n}"));
    }
    Case::of(patient)
}

pub(super) async fn a_client_without_timer(seed: u64) -> Case {
    let mut patient = Patient::new(seed).await;
    patient.with(Timerless::start(&patient.server, &patient.queue));
    for n in 0..=patient.random(150) {
        let due = -10_000 + i64::try_from(n).unwrap();
        patient.offer(Era::Newer, due, &format!("late {n}"));
    }
    Case::of(patient).within(4_000)
}

/// What is due an hour ago takes it many minutes; from seed to seed more falls due meanwhile.
pub(super) async fn a_client_that_is_too_slow(seed: u64) -> Case {
    let (count, each_ms, more_ms) = [
        (3_000, 500, None),
        (400, 300, Some(200)),
        (90, 900, Some(400)),
    ][at(seed)];
    let mut patient = Patient::new(seed).await;
    for n in 0..count {
        patient.offer(Era::Newer, -3_600_000 + n, &format!("late {n}"));
    }
    patient.with(Slow::start(&patient.server, &patient.queue, each_ms));
    if let Some(more_ms) = more_ms {
        patient.with(patient.offering(more_ms, |_| 100));
    }
    Case::of(patient).within(5_000)
}

pub(super) async fn a_clock_that_is_off(seed: u64) -> Case {
    let ahead = [1_800, -2_300, 4_000][at(seed)];
    let mut patient = Patient::new(seed).await;
    let client = patient.client(Era::Newer, ahead);
    for n in 0..60 {
        patient.offer(Era::Newer, 3_000 + n * 700, &format!("tick {n}"));
    }
    let case = Case::outside(patient, |patient| {
        drop(client);
        patient.with(patient.client(Era::Newer, 0));
    });
    case.within(9_000)
}

pub(super) async fn a_policy_that_drops_keys(seed: u64) -> Case {
    let policy = ["allkeys-lru", "allkeys-lfu", "allkeys-random"][at(seed)];
    let mut patient = Patient::new(seed).await;
    patient.with(Subscriber::new(&patient.server, &patient.queue));
    patient.offer(Era::Newer, 60_000, "later");
    patient
        .server
        .cmd(&["CONFIG", "SET", "maxmemory-policy", policy]);
    patient.server.cmd(&["CONFIG", "SET", "maxmemory", "100mb"]);
    Case::outside(patient, |patient| {
        let mend = ["CONFIG", "SET", "maxmemory-policy", "noeviction"];
        patient.server.cmd(&mend);
    })
}
