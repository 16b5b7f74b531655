//! A queue under examination, and those who serve it.

use std::time::Duration;

use delayscope::clock::instant;
use delayscope::ops::doctor::{Examination, look};
use delayscope::queue::finding::Diagnosis;
use delayscope::queue::{Era, Finding, Queue, ServerWatch, Severity};
use delayscope::store::{Access, Store};

use crate::findings::life::{Running, TICK};
use crate::redisson::Client;
use crate::support::{PATIENCE, Server, Value, double_frame, frame, wait_for};

/// From one round to the next.
const PAUSE: Duration = Duration::from_millis(50);

/// A queue on a server of its own, and what is known of it.
pub(crate) struct Patient {
    /// Who lives with it; gone before it is.
    life: Vec<Box<dyn std::any::Any>>,
    pub(crate) server: Server,
    pub(crate) store: Store,
    pub(crate) queue: Queue,
    pub(crate) watch: ServerWatch,
    pub(crate) examination: Examination,
    random: u64,
    home: tempfile::TempDir,
}

impl Patient {
    /// A queue without entries.
    pub(crate) async fn new(seed: u64) -> Self {
        Self::on(Server::start(), seed).await
    }

    /// The same on that server.
    pub(crate) async fn on(server: Server, seed: u64) -> Self {
        let names = ["orders", "{tenant}:mail", "a b"];
        let queue = Queue::redisson(names[usize::try_from(seed).unwrap() % names.len()]);
        Self::of(server, queue, seed).await
    }

    /// That queue on that server.
    pub(crate) async fn of(server: Server, queue: Queue, seed: u64) -> Self {
        let store = Store::open(server.endpoint(), Access::ReadOnly);
        let end = instant() + PATIENCE;
        // Whoever is greeted late, as on a busy machine, is greeted the next time.
        while let Err(why) = store.ready(PATIENCE).await {
            assert!(instant() < end, "{why}");
            tokio::time::sleep(PAUSE).await;
        }
        Self {
            server,
            store,
            examination: Examination::new(queue.clone()),
            queue,
            watch: ServerWatch::default(),
            random: seed,
            home: tempfile::tempdir().unwrap(),
            life: Vec::new(),
        }
    }

    /// Where the journal of its repairs is.
    pub(crate) fn home(&self) -> &std::path::Path {
        self.home.path()
    }

    /// With somebody who lives as long as it does.
    pub(crate) fn with(&mut self, somebody: impl std::any::Any) {
        self.life.push(Box::new(somebody));
    }

    /// All who lived with it are gone.
    pub(crate) fn without_all(&mut self) {
        self.life.clear();
    }

    /// The next number that the seed brings, below `limit`.
    pub(crate) fn random(&mut self, limit: u64) -> u64 {
        // Knuth's generator: its upper bits are random enough for scenes.
        let next = self.random.wrapping_mul(6_364_136_223_846_793_005);
        self.random = next.wrapping_add(1_442_695_040_888_963_407);
        (self.random >> 33) % limit
    }

    /// A member of that era with a random id, which the other era cannot unpack.
    pub(crate) fn member(&mut self, era: Era, payload: &str) -> Vec<u8> {
        let id = self.random(u64::MAX);
        match era {
            Era::Newer => frame(id, payload.as_bytes()),
            // Never a 7 at the front: that one both could unpack.
            Era::Older => double_frame(
                f64::from_bits(0x43d0_0000_0000_0008 | id << 8 >> 24),
                payload.as_bytes(),
            ),
        }
    }

    /// Offers an entry of that era, due so many ms from now; what was offered.
    pub(crate) fn offer(&mut self, era: Era, due_ms: i64, payload: &str) -> Vec<u8> {
        let member = self.member(era, payload);
        let due = self.server.now().plus(due_ms).get().to_string();
        self.server.put(&self.queue, &member, &due);
        member
    }

    /// So many elements are in target.
    pub(crate) fn heap(&self, count: u64) {
        let mut push = redis::cmd("RPUSH");
        push.arg(&self.queue.keys().target);
        for n in 0..count {
            push.arg(format!("before {n}"));
        }
        push.exec(&mut self.server.connection()).unwrap();
    }

    /// One look at everything.
    pub(crate) async fn round(&mut self) -> Diagnosis {
        let pressing = self.examination.presses_for_look();
        look(&self.store, &mut self.watch, pressing).await.unwrap();
        let said = self.examination.round(&self.store, &self.watch).await;
        said.unwrap()
    }

    /// Looks again and again until `condition` holds.
    pub(crate) async fn until(
        &mut self,
        what: &str,
        mut condition: impl FnMut(&Diagnosis) -> bool,
    ) -> Diagnosis {
        let end = instant() + PATIENCE;
        loop {
            let said = self.round().await;
            if condition(&said) {
                return said;
            }
            assert!(instant() < end, "waited too long for {what}: {said:#?}");
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Looks until the worst finding is that of this rule.
    pub(crate) async fn until_first(&mut self, id: &str) -> Finding {
        let said = self.until(id, |said| first(said) == Some(id)).await;
        said.findings.into_iter().next().unwrap()
    }

    /// Looks again and again for so many ms; nothing is a warning or worse.
    pub(crate) async fn well_for(&mut self, ms: u64) {
        let end = instant() + Duration::from_millis(ms);
        while instant() < end {
            let said = self.round().await;
            let bad = |found: &&Finding| found.severity >= Severity::Warning;
            assert_eq!(said.findings.iter().find(bad), None);
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// A client of that era, which transfers as Redisson does, by its own clock.
    /// It has transferred once.
    pub(crate) fn client(&self, era: Era, ahead_ms: i64) -> Running {
        let client = Running::start(&self.server, &self.queue, (era, ahead_ms), TICK);
        let sha1 = match era {
            Era::Older => "78d2ea980580b285865f2db54663f281dc326a78",
            Era::Newer => "a3a86b949561b56e14c274ad54368afeff259bc8",
        };
        wait_for("the client's first transfer", || {
            self.server.cmd(&["SCRIPT", "EXISTS", sha1]) == Value::Array(vec![Value::Int(1)])
        });
        client
    }
}

/// The rule that found the worst.
pub(crate) fn first(said: &Diagnosis) -> Option<&'static str> {
    said.findings.first().map(|found| found.id)
}

/// A client that offers as Redisson does.
pub(crate) fn offerer(patient: &Patient) -> Client {
    Client::new(patient.server.connection(), &patient.queue)
}
