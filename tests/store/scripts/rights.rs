//! A user without one right, and a server without one command: each change does not need it, or is
//! refused before its first write, in words that name it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use delayscope::queue::Queue;
use delayscope::store::write::Writer;
use redis::Connection;

use crate::scripts::changes::{all, make, set_up};
use crate::scripts::more::{MORE, make_more, set_up_more};
use crate::scripts::{orders, plain, writer};
use crate::support::{Server, Value};

/// How scripts and transactions are sent.
const SENDING: [&str; 5] = ["EVAL", "EVALSHA", "EXEC", "MULTI", "WATCH"];

/// Without it there is no connection at all: `store::link` has tests of that.
const ALWAYS: &str = "TIME";

/// Every key: its name, its dump, and for how long it lives (in s; -1: for ever).
type Held = Vec<(Vec<u8>, Vec<u8>, i64)>;

/// A change of a queue in a world.
struct Case {
    queue: Queue,
    change: &'static str,
    /// The world as it is loaded.
    world: Held,
    before: Held,
    after: Held,
}

impl Case {
    async fn make(&self, writer: &Writer) -> Result<(), delayscope::store::StoreError> {
        if MORE.contains(&self.change) {
            make_more(writer, &self.queue, self.change).await
        } else {
            make(writer, &self.queue, self.change).await
        }
    }
}

/// What a server holds. No command here is one of a script.
fn held(connection: &mut Connection) -> Held {
    let mut keys: Vec<Vec<u8>> = redis::cmd("KEYS").arg("*").query(connection).unwrap();
    keys.sort();
    let mut ask = redis::pipe();
    for key in &keys {
        ask.cmd("DUMP").arg(key).cmd("TTL").arg(key);
    }
    let told: Vec<Value> = ask.query(connection).unwrap();
    let rows = keys.into_iter().zip(told.chunks(2));
    rows.map(|(key, row)| {
        let [Value::BulkString(dump), Value::Int(lives)] = row else {
            panic!("{row:?}");
        };
        // Who holds an element, and until when, is another one each time.
        let name = String::from_utf8_lossy(&key);
        let is_hold = name.contains("held:{") || name.contains("lease:{");
        let dump = if is_hold {
            b"some".to_vec()
        } else {
            dump.clone()
        };
        // A second may pass while the test runs.
        (key, dump, lives.signum())
    })
    .collect()
}

/// Makes a server hold this and nothing else.
fn load(connection: &mut Connection, held: &Held) {
    let mut load = redis::pipe();
    load.cmd("FLUSHALL");
    for (key, dump, lives) in held {
        let until = if *lives > 0 { 9_000_000_000_000_i64 } else { 0 };
        let restore = load.cmd("RESTORE").arg(key).arg(until).arg(dump);
        restore.arg("ABSTTL");
    }
    load.exec(connection).unwrap();
}

/// Every change of every queue: where all there is to change is there, where nothing waits, and
/// where not even an order list is.
async fn cases(server: &Server) -> Vec<Case> {
    let writer = writer(server).await;
    let mut connection = server.connection();
    let mut cases = Vec::new();
    for queue in [orders(), plain("left")] {
        let keys = queue.keys();
        let ordered = keys.order.is_some();
        let more = MORE.into_iter().filter(|it| ordered || it.starts_with('o'));
        for change in all(&queue).map(|(change, _)| change).chain(more) {
            set_up(server, &queue, change);
            set_up_more(server, &queue, change);
            let mut worlds = vec![held(&mut connection)];
            // What is watched has been read.
            if change != "transfer under watch" {
                for gone in [Some(&keys.timeouts), keys.order.as_ref()] {
                    let Some(gone) = gone else { continue };
                    server.cmd_bytes(&[b"DEL", gone]);
                    worlds.push(held(&mut connection));
                }
            }
            for world in worlds {
                load(&mut connection, &world);
                let before = held(&mut connection);
                let mut case = Case {
                    queue: queue.clone(),
                    change,
                    world,
                    before,
                    after: Vec::new(),
                };
                case.make(&writer).await.unwrap();
                case.after = held(&mut connection);
                cases.push(case);
            }
        }
    }
    cases
}

/// Makes each change; how many were refused. Whoever makes it lacks what `missing` says.
async fn try_all(server: &Server, less: &Writer, cases: &[Case], missing: &str) -> usize {
    let mut connection = server.connection();
    let mut refusals = 0;
    for (i, case) in cases.iter().enumerate() {
        load(&mut connection, &case.world);
        let made = case.make(less).await;
        let (change, left) = (case.change, held(&mut connection));
        let Err(error) = made else {
            assert!(left == case.after, "{change} ({i}) without {missing}");
            continue;
        };
        refusals += 1;
        assert!(
            left == case.before,
            "{change} ({i}) without {missing} left something done: {error}"
        );
        let words = error.to_string().to_uppercase();
        assert!(
            words.contains(missing),
            "{change} ({i}) without {missing} does not name it: {error}"
        );
    }
    refusals
}

/// The scripts that this program runs, without what they share.
fn scripts() -> Vec<PathBuf> {
    let lua = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/lua");
    let all = fs::read_dir(lua)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    // What a timer runs changes one thing; what Redisson does is Redisson's.
    let others = ["renew.lua", "as-redisson.lua"];
    let own = |path: &PathBuf| path.is_file() && !others.iter().any(|other| path.ends_with(other));
    all.filter(own).collect()
}

/// Every command that stands in a script or in what they share.
fn commands(server: &Server) -> BTreeSet<String> {
    let parts = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/lua/parts");
    let parts = fs::read_dir(parts)
        .unwrap()
        .map(|part| part.unwrap().path());
    let mut words = BTreeSet::new();
    for path in scripts().into_iter().chain(parts) {
        let text = fs::read_to_string(path).unwrap();
        let quoted = text.split('\'').skip(1).step_by(2);
        let is_word = |word: &&str| word.len() > 2 && word.bytes().all(|b| b.is_ascii_uppercase());
        words.extend(quoted.filter(is_word).map(str::to_owned));
    }
    words.extend(SENDING.map(str::to_owned));
    words.remove(ALWAYS);
    words.retain(|word| server.knows(word));
    words
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_script_is_among_the_changes_that_are_tried_without_a_right() {
    let server = Server::start();
    let monitor = server.monitor();
    drop(cases(&server).await);
    let ran = monitor.lines(&server);
    for path in scripts() {
        let text = fs::read_to_string(&path).unwrap();
        let first = text.lines().next().unwrap();
        let ran = ran.iter().any(|line| line.contains(first));
        assert!(ran, "no change here runs {}", path.display());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_user_who_may_not_do_all_of_a_change_does_nothing_of_it() {
    let mut server = Server::start();
    if !server.set_user("less", &[]) {
        return;
    }
    let cases = cases(&server).await;
    let mut refusals = 0;
    let all = commands(&server);
    assert!(all.len() > 25, "{all:?}");
    for missing in all {
        server.set_user("less", &[&format!("-{}", missing.to_lowercase())]);
        server.log_in(Some("less"), Some("pw"));
        let less = writer(&server).await;
        server.log_in(None, None);
        refusals += try_all(&server, &less, &cases, &missing).await;
    }
    assert!(refusals > 300, "{refusals}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_change_does_nothing_on_a_server_that_does_not_know_all_of_its_commands() {
    let whole = Server::start();
    let cases = cases(&whole).await;
    let all = commands(&whole);
    // From 6.0 on users are what lacks rights: there a few will do.
    let few = ["LPUSH", "LREM", "LTRIM", "RPUSH", "ZADD", "ZREM"];
    let old = whole.version() < (6, 0);
    for missing in all.iter().filter(|it| old || few.contains(&it.as_str())) {
        let server = Server::without(&[missing]);
        let less = writer(&server).await;
        let refusals = try_all(&server, &less, &cases, missing).await;
        assert!(refusals > 0 || old, "{missing}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_user_who_may_not_touch_all_keys_of_a_change_does_nothing_of_it() {
    let mut server = Server::start();
    if !server.set_user("less", &[]) {
        return;
    }
    let all = cases(&server).await;
    for queue in [orders(), plain("left")] {
        let keys = queue.keys();
        let own = [
            Some(keys.target),
            Some(keys.timeouts),
            keys.order,
            keys.aside,
        ];
        let hold = [keys.hold.intake, keys.hold.held, keys.hold.leases];
        let own = own.into_iter().flatten().chain([keys.quarantine]);
        let own: Vec<_> = own.chain(hold).collect();
        let others = [&b"none"[..], b"{none}", b"other", b"another"];
        for missing in &own {
            let kept = own.iter().filter(|key| *key != missing);
            let kept = kept.map(Vec::as_slice).chain(others);
            let kept = kept.map(|key| format!("~{}", String::from_utf8_lossy(key)));
            let rules: Vec<String> = ["resetkeys".to_owned()].into_iter().chain(kept).collect();
            let rules: Vec<&str> = rules.iter().map(String::as_str).collect();
            server.set_user("less", &rules);
            server.log_in(Some("less"), Some("pw"));
            let less = writer(&server).await;
            server.log_in(None, None);
            let mut connection = server.connection();
            for case in all.iter().filter(|case| case.queue == queue) {
                load(&mut connection, &case.world);
                let made = case.make(&less).await;
                let wanted = if made.is_ok() {
                    &case.after
                } else {
                    &case.before
                };
                let missing = String::from_utf8_lossy(missing);
                assert!(
                    held(&mut connection) == *wanted,
                    "{}: {missing}",
                    case.change
                );
                let refused = made
                    .as_ref()
                    .err()
                    .map(|error| error.code() == Some("NOPERM"));
                assert!(
                    refused != Some(false),
                    "{}: {missing}: {made:?}",
                    case.change
                );
            }
        }
    }
}
