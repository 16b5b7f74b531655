//! What is wrong with keys, names, scores and the server itself.

use delayscope::ops::doctor::{Examination, look_again};
use delayscope::queue::finding::Diagnosis;
use delayscope::queue::{Era, Finding, Queue, Severity};

use crate::findings::SEEDS;
use crate::findings::life::Subscriber;
use crate::findings::patient::Patient;
use crate::support::{Server, Value};

/// What the rule of that name has found.
fn found<'a>(said: &'a Diagnosis, id: &str) -> Option<&'a Finding> {
    said.findings.iter().find(|found| found.id == id)
}

impl Patient {
    /// Looks until the rule has found something.
    async fn until_found(&mut self, id: &str) -> Finding {
        let said = self.until(id, |said| found(said, id).is_some()).await;
        found(&said, id).unwrap().clone()
    }

    /// Looks until the rule finds nothing any more.
    async fn until_gone(&mut self, id: &str) {
        self.until("it to be gone", |said| found(said, id).is_none())
            .await;
    }

    /// A queue with somebody who listens and a few entries that are not due.
    async fn quiet(seed: u64) -> (Self, Subscriber) {
        Self::quiet_on(Server::start(), seed).await
    }

    async fn quiet_on(server: Server, seed: u64) -> (Self, Subscriber) {
        let mut patient = Self::on(server, seed).await;
        let subscriber = Subscriber::new(&patient.server, &patient.queue);
        for i in 0..=patient.random(5) {
            let due = 60_000 + i64::try_from(i).unwrap();
            patient.offer(Era::Newer, due, &format!("later {i}"));
        }
        (patient, subscriber)
    }
}

#[tokio::test]
async fn keys_of_ours_of_another_type_are_named_and_stop_nobody() {
    let (mut patient, _client) = Patient::quiet(1).await;
    let keys = patient.queue.keys();
    for key in [keys.aside.unwrap(), keys.quarantine] {
        patient.server.cmd_bytes(&[b"SET", &key, b"taken"]);
        patient.examination = Examination::new(patient.queue.clone());
        let told = patient.until_found("wrong-type").await;
        assert_eq!(told.severity, Severity::Warning);
        let name = String::from_utf8(key.clone()).unwrap();
        assert!(told.sentence().contains(&name), "{}", told.sentence());
        patient.server.cmd_bytes(&[b"DEL", &key]);
        patient.examination = Examination::new(patient.queue.clone());
        patient.until_gone("wrong-type").await;
    }
}

#[tokio::test]
async fn an_expiry_on_a_key_is_told_and_gone_once_it_is_taken_away() {
    for seed in SEEDS {
        let (mut patient, _client) = Patient::quiet(seed).await;
        patient.well_for(100).await;
        let keys = patient.queue.keys();
        let key = [keys.timeouts, keys.order.unwrap()][usize::from(seed == 1)].clone();
        patient.server.cmd_bytes(&[b"PEXPIRE", &key, b"3600000"]);
        patient.examination = delayscope::ops::doctor::Examination::new(patient.queue.clone());
        let told = patient.until_found("ttl").await;
        assert_eq!(told.severity, Severity::Critical);
        assert!(
            told.sentence().contains("in 59:") || told.sentence().contains("in 1h 00m"),
            "{}",
            told.sentence()
        );
        patient.server.cmd_bytes(&[b"PERSIST", &key]);
        patient.examination = delayscope::ops::doctor::Examination::new(patient.queue.clone());
        patient.well_for(100).await;
    }
}

#[tokio::test]
async fn what_was_lost_with_an_expired_key_is_told_after_it_has_gone() {
    let (mut patient, _client) = Patient::quiet(2).await;
    let keys = patient.queue.keys();
    let (timeouts, order) = (keys.timeouts, keys.order.unwrap());
    let waited = patient
        .server
        .int(&["ZCARD", std::str::from_utf8(&timeouts).unwrap()]);
    for key in [&timeouts, &order] {
        patient.server.cmd_bytes(&[b"PEXPIRE", key, b"6000"]);
    }
    // The first look of all sees it: the next one might come when they have expired.
    patient.until_found("ttl").await;
    let is_lost = |found: &Finding| found.headline.contains("lost: a key has expired");
    let said = patient.until("the loss", |said| found(said, "ttl").is_some_and(is_lost));
    let said = said.await;
    let told = found(&said, "ttl").unwrap();
    assert_eq!(told.severity, Severity::Critical);
    assert_eq!(told.evidence.figures["lost"], waited);
    assert!(told.details.contains(&String::from_utf8(timeouts).unwrap()));
}

#[tokio::test]
async fn a_policy_that_drops_keys_is_told_until_it_is_another_one() {
    for (seed, policy) in SEEDS
        .into_iter()
        .zip(["allkeys-lru", "allkeys-lfu", "allkeys-random"])
    {
        let (mut patient, _client) = Patient::quiet(seed).await;
        let set = |name: &str, value: &str| {
            patient.server.cmd(&["CONFIG", "SET", name, value]);
        };
        set("maxmemory-policy", policy);
        set("maxmemory", "100mb");
        let told = patient.until_found("evictable").await;
        assert_eq!(told.severity, Severity::Warning);
        assert!(told.sentence().contains(policy), "{}", told.sentence());
        patient
            .server
            .cmd(&["CONFIG", "SET", "maxmemory-policy", "noeviction"]);
        look_again(&patient.store, &mut patient.watch)
            .await
            .unwrap();
        patient.well_for(100).await;
    }
}

#[tokio::test]
async fn a_negative_due_time_is_critical_and_an_overflowed_one_too() {
    for (seed, score) in SEEDS
        .into_iter()
        .zip(["-5", "-9223372036854775808", "-inf"])
    {
        let (mut patient, _client) = Patient::quiet(seed).await;
        let member = patient.member(Era::Newer, "never");
        patient.server.put(&patient.queue, &member, score);
        let told = patient.until_first("score-range").await;
        assert_eq!(told.severity, Severity::Critical, "{told:?}");
        let keys = patient.queue.keys();
        let due = patient.server.now().plus(60_000).get().to_string();
        patient
            .server
            .cmd_bytes(&[b"ZADD", &keys.timeouts, due.as_bytes(), &member]);
        patient.until_gone("score-range").await;
    }
}

#[tokio::test]
async fn seconds_for_milliseconds_and_due_times_beyond_all_are_warnings() {
    for seed in SEEDS {
        let (mut patient, _client) = Patient::quiet(seed).await;
        let member = patient.member(Era::Newer, "in seconds");
        let seconds = (patient.server.now().get() / 1_000 + 60).to_string();
        patient.server.put(&patient.queue, &member, &seconds);
        let told = patient.until_found("score-range").await;
        assert_eq!(told.severity, Severity::Warning);
        assert!(told.sentence().contains("seconds"), "{}", told.sentence());
        let keys = patient.queue.keys();
        patient
            .server
            .cmd_bytes(&[b"ZADD", &keys.timeouts, b"1e17", &member]);
        // Whoever has watched all along would take its next survey in ten seconds.
        patient.examination = Examination::new(patient.queue.clone());
        let said = patient.until("a due time beyond all", |said| {
            found(said, "score-range")
                .is_some_and(|found| found.sentence().contains("due after the year 3 million"))
        });
        said.await;
    }
}

#[tokio::test]
async fn microseconds_at_the_far_end_are_told_at_the_first_look_without_a_look_at_all() {
    for seed in SEEDS {
        let (mut patient, _client) = Patient::quiet(seed).await;
        let queue = patient.queue.clone();
        // Never, and meant.
        let never = patient.member(Era::Newer, "the year 9999");
        patient.server.put(&queue, &never, "253402300799000");
        let said = patient.round().await;
        assert!(found(&said, "score-range").is_none(), "{said:?}");
        for n in 0..40 {
            let due = patient.server.now().plus(86_400_000 * (n + 1)).get() * 1_000;
            let member = patient.member(Era::Newer, &format!("far {n}"));
            patient.server.put(&queue, &member, &due.to_string());
        }
        patient.examination = Examination::new(queue);
        let said = patient.round().await;
        let told = found(&said, "score-range").unwrap();
        assert_eq!((told.severity, told.figure), (Severity::Warning, Some(40)));
    }
}

#[tokio::test]
async fn frames_in_target_are_told_until_they_are_taken_off() {
    for seed in SEEDS {
        let (mut patient, _client) = Patient::quiet(seed).await;
        let target = patient.queue.keys().target;
        let member = patient.member(Era::Newer, "copied");
        patient
            .server
            .cmd_bytes(&[b"RPUSH", &target, b"plain", &member]);
        let told = patient.until_found("framed-target").await;
        assert_eq!((told.severity, told.figure), (Severity::Warning, Some(1)));
        patient
            .server
            .cmd_bytes(&[b"LSET", &target, b"1", b"copied"]);
        patient.examination = delayscope::ops::doctor::Examination::new(patient.queue.clone());
        patient.well_for(100).await;
    }
}

#[tokio::test]
async fn odd_braces_and_a_second_queue_with_the_same_keys_are_told() {
    let (mut patient, _client) = Patient::quiet(0).await;
    assert_eq!(patient.queue, Queue::redisson("orders"));
    patient.well_for(100).await;
    patient
        .server
        .cmd(&["RPUSH", "{orders}", "of the other one"]);
    patient.examination = delayscope::ops::doctor::Examination::new(patient.queue.clone());
    let told = patient.until_found("name-collision").await;
    assert!(told.sentence().contains("{orders}"), "{}", told.sentence());
    patient.server.cmd(&["DEL", "{orders}"]);
    // A string of that name is no queue.
    patient.server.cmd(&["SET", "{orders}", "a string"]);
    patient.examination = delayscope::ops::doctor::Examination::new(patient.queue.clone());
    patient.well_for(100).await;

    let odd = Queue::redisson("a{b");
    let member = patient.member(Era::Newer, "later");
    patient.server.put(&odd, &member, "9000000000000");
    let _client = Subscriber::new(&patient.server, &odd);
    patient.queue = odd;
    patient.examination = delayscope::ops::doctor::Examination::new(patient.queue.clone());
    let told = patient.until_first("cross-slot").await;
    assert_eq!(told.severity, Severity::Warning);
}

/// Nothing ever stands in either target: what is delivered is taken at once.
#[tokio::test]
async fn a_second_queue_with_the_same_keys_is_told_though_its_consumers_leave_nothing_to_be_seen() {
    let (mut patient, _client) = Patient::quiet(0).await;
    let mut others = patient.server.connection();
    let mut deliver = |target: &str| {
        let mut taken = redis::pipe();
        taken
            .atomic()
            .cmd("RPUSH")
            .arg(target)
            .arg("a message")
            .ignore();
        taken.cmd("LPOP").arg(target).ignore();
        taken.exec(&mut others).unwrap();
    };
    let said = patient
        .until("the collision", |said| {
            ["orders", "{orders}"].into_iter().for_each(&mut deliver);
            found(said, "name-collision").is_some()
        })
        .await;
    let told = found(&said, "name-collision").unwrap().sentence();
    assert!(told.contains("where it is taken at once"), "{told}");
}

#[tokio::test]
async fn a_server_that_refuses_writes_is_named_before_what_that_causes() {
    for seed in SEEDS {
        let (mut patient, _client) = Patient::quiet(seed).await;
        let late = patient.member(Era::Newer, "late");
        let due = patient.server.now().plus(-60_000).get().to_string();
        patient.server.put(&patient.queue, &late, &due);
        patient.server.cmd(&["CONFIG", "SET", "maxmemory", "1kb"]);
        let told = patient.until_first("refused-writes").await;
        assert_eq!(told.severity, Severity::Critical);
        assert_eq!(told.evidence.figures["code"], "OOM");
        patient.server.cmd(&["CONFIG", "SET", "maxmemory", "0"]);
        look_again(&patient.store, &mut patient.watch)
            .await
            .unwrap();
        patient.until_gone("refused-writes").await;
    }
}

#[tokio::test]
async fn a_replica_that_clients_write_to_is_named() {
    let (mut patient, _client) = Patient::quiet(1).await;
    let late = patient.member(Era::Newer, "late");
    let due = patient.server.now().plus(-60_000).get().to_string();
    patient.server.put(&patient.queue, &late, &due);
    // Of a master that is not there: it keeps what it has.
    patient.server.cmd(&["REPLICAOF", "127.0.0.1", "1"]);
    let refused = redis::cmd("SET")
        .arg(&["x", "y"])
        .query::<Value>(&mut patient.server.connection());
    assert!(refused.is_err());
    let told = patient.until_first("refused-writes").await;
    assert_eq!(told.evidence.figures["code"], "READONLY");
}
