//! A server with a user of the rules, and what that user was denied and has used.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use delayscope::clock::EpochMillis;
use delayscope::queue::acl::{QueueSite, Rules};
use delayscope::queue::{Change, Endpoint, Queue};
use delayscope::store::write::Writer;
use delayscope::store::{Access, Store};

use crate::support::{PATIENCE, Server, Value, frame, until};

/// A server with late and waiting entries in one queue, and the program logged in.
pub(crate) struct Stage {
    pub(crate) server: Arc<Server>,
    pub(crate) queue: Queue,
    pub(crate) store: Store,
    named: bool,
    /// What was used before something was done by hand.
    before: Mutex<BTreeSet<String>>,
}

/// Tried once after connecting, or by a script where a server does not say what a user may do; left
/// out of the rules on purpose, and not missed.
const TRIED: &[&str] = &["delayscope:probe", "zmscore"];
/// The same where the queue is named.
const TRIED_NAMED: &[&str] = &["scan", "pubsub|channels"];

/// Whether the server means one of these. Before Redis 7 it tells no subcommands.
fn is_one_of(object: &str, commands: &[&str], old: bool) -> bool {
    commands.iter().any(|command| {
        let container = command.split('|').next();
        *command == object || (old && container == Some(object))
    })
}

impl Stage {
    /// On a server that nobody else uses meanwhile; what it held and knew is gone. `named`: the
    /// rules are for this queue alone.
    pub(crate) async fn set(
        server: &Arc<Server>,
        queue: &Queue,
        named: bool,
        changes: &[Change],
    ) -> Self {
        server.cmd(&["FLUSHALL"]);
        server.cmd(&["SCRIPT", "FLUSH"]);
        server.cmd(&["ACL", "LOG", "RESET"]);
        let past = server.now().plus(-60_000);
        server.fill(queue, 4, past, 1);
        // The first that is due was offered last.
        let first = past.plus(-1).get().to_string();
        server.put(queue, &frame(5, b"entry 5"), &first);
        let queues = if named {
            std::slice::from_ref(queue)
        } else {
            &[]
        };
        let rules = Rules::of(changes, queues, QueueSite::Db0);
        let mut endpoint = server.endpoint();
        log_in(server, &mut endpoint, &rules);
        server.cmd(&["CONFIG", "RESETSTAT"]);
        let store = Store::open(endpoint, Access::ReadWrite);
        store.ready(PATIENCE).await.unwrap();
        until("the link to know the server", || {
            store.link().borrow().facts.is_some()
        })
        .await;
        Self {
            server: Arc::clone(server),
            queue: queue.clone(),
            store,
            named,
            before: Mutex::default(),
        }
    }

    pub(crate) fn writer(&self) -> Writer {
        self.store.writer().unwrap()
    }

    pub(crate) fn now(&self) -> EpochMillis {
        self.store.clock().unwrap().now()
    }

    /// Whether the rules are for this queue alone.
    pub(crate) fn is_named(&self) -> bool {
        self.named
    }

    pub(crate) fn is_redisson(&self) -> bool {
        self.queue.keys().order.is_some()
    }

    /// Does something that does not count as used.
    pub(crate) fn by_hand(&self, does: impl FnOnce(&Server)) {
        self.before.lock().unwrap().extend(self.used());
        does(&self.server);
        self.server.cmd(&["CONFIG", "RESETSTAT"]);
    }

    /// The commands that were used.
    #[track_caller]
    pub(crate) fn was_denied_nothing(&self) -> BTreeSet<String> {
        let old = self.server.version() < (7, 0);
        let denied: Vec<String> = self
            .denied()
            .into_iter()
            .filter(|object| {
                let tried = is_one_of(object, TRIED, old);
                let named = self.named && is_one_of(object, TRIED_NAMED, old);
                !tried && !named
            })
            .collect();
        assert!(denied.is_empty(), "{:?}: denied {denied:?}", self.queue);
        let before = self.before.lock().unwrap();
        before.union(&self.used()).cloned().collect()
    }

    /// What the server noted that it denied: commands, keys and channels.
    fn denied(&self) -> Vec<String> {
        let Value::Array(entries) = self.server.cmd(&["ACL", "LOG"]) else {
            return Vec::new();
        };
        let object = |entry: Value| {
            let Value::Array(fields) = entry else {
                panic!("ACL LOG answered {entry:?}");
            };
            let named = fields.chunks(2).find(|pair| word(&pair[0]) == "object");
            word(&named.unwrap()[1])
        };
        entries.into_iter().map(object).collect()
    }

    fn used(&self) -> BTreeSet<String> {
        let info = word(&self.server.cmd(&["INFO", "commandstats"]));
        let lines = info.lines().filter_map(|line| {
            let (command, counts) = line.strip_prefix("cmdstat_")?.split_once(':')?;
            (!counts.starts_with("calls=0,")).then(|| command.to_owned())
        });
        lines.collect()
    }
}

/// Makes the endpoint one of a user with these rules, and no other.
pub(crate) fn log_in(server: &Server, endpoint: &mut Endpoint, rules: &Rules) {
    // A new one each time: connections of the one before may not be gone yet.
    let users = server.list(&["ACL", "USERS"]).len();
    let name = format!("inspector-{users}");
    let mut words = rules.words(&name);
    if server.version() < (6, 2) {
        // As the help of `acl` says of Redis 6.0.
        let unknown = [&b"resetchannels"[..], b"+blmove"];
        words.retain(|word| !unknown.contains(&word.as_slice()) && !word.starts_with(b"&"));
    }
    words.push(b">sesame".to_vec());
    let words: Vec<&[u8]> = words.iter().map(Vec::as_slice).collect();
    server.cmd_bytes(&words);
    endpoint.user = Some(name);
    endpoint.password = Some("sesame".to_owned());
}

fn word(value: &Value) -> String {
    match value {
        Value::BulkString(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        Value::SimpleString(text) => text.clone(),
        other => format!("{other:?}"),
    }
}
