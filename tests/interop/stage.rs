//! A stage: one server with 34 queues, eight of them sick as real clients make them, for somebody
//! who has never seen the program and is to find out why.
//!
//! Lines on stdin are the acts of whoever leads the play: see [`ACTS`].

use std::collections::BTreeMap;
use std::io::BufRead;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use chrono::{DateTime, Local};
use delayscope::clock::EpochMillis;
use delayscope::queue::{Era, Form, Queue, frame};

use crate::data::Random;
use crate::peer::{Client, LAST_OLDER, RELEASES, Side};
use crate::support::Server;

/// The port, unless the variable `STAGE_PORT` names another.
const PORT: u16 = 23_000;
/// The acts, each a line.
const ACTS: &str =
    "mail-legacy off, invoices-consumer on, returns-client on, gift-producer off, stop";
const SECOND: i64 = 1_000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// How often the stage looks whether a burst or a wave is to be laid.
const STEP: Duration = Duration::from_millis(250);
/// From the start to the first burst of stock.
const FIRST_BURST: i64 = 2 * MINUTE;
/// From one burst of stock to the next.
const BETWEEN_BURSTS: i64 = 3 * MINUTE;
/// So long before it falls due a burst is there, unless the one before still goes on.
const BURST_AHEAD: i64 = 105 * SECOND;
/// Entries of a burst.
const BURST: i64 = 20_000;
/// Entries that are due in days and stand before each burst in the order list: each removal of the
/// transfer script walks past them all, for about 1 ms at 16 ns each.
const DEEP: i64 = 60_000;
/// Waves of payments that are ahead at any time.
const WAVES: i64 = 10;
/// Entries of a wave.
const WAVE: i64 = 10_000;
/// From one wave to the next.
const BETWEEN_WAVES: i64 = 45 * SECOND;
/// Entries that are laid by one command.
const CHUNK: usize = 1_000;

/// Clients whose queues are well: each offers to its queues, transfers and takes. The last is one
/// of the older release.
const HEALTHY: [(&str, [&str; 5]); 5] = [
    (
        "orders-svc",
        ["orders", "carts", "quotes", "refunds", "coupons"],
    ),
    (
        "accounts-svc",
        ["logins", "passwords", "trials", "surveys", "newsletters"],
    ),
    (
        "events-svc",
        ["webhooks", "exports", "imports", "reports", "thumbnails"],
    ),
    (
        "logistics-svc",
        ["pickups", "parcels", "couriers", "labels", "customs"],
    ),
    (
        "billing-legacy",
        ["ledgers", "receipts", "dunning", "taxes", "payouts"],
    ),
];

/// Stands until a line `stop` comes, or nobody can write any more.
pub fn stand() {
    let port = std::env::var("STAGE_PORT").map_or(PORT, |port| port.parse().expect("a port"));
    let server = Arc::new(Server::start_tcp_at(&[], port));
    let since = server.now();
    let (well, sick, older) = thread::scope(|scope| {
        let start = |release| {
            let server = Arc::clone(&server);
            scope.spawn(move || Side::for_an_evening(server, release))
        };
        let sides = [&RELEASES[2], &RELEASES[2], &LAST_OLDER].map(start);
        let [well, sick, older] = sides.map(|side| side.join().unwrap());
        (well, sick, older)
    });
    let mut stage = Stage::new(&server, &sick, since);
    stage.healthy([&well, &well, &well, &well, &older]);
    stage.payments(&well);
    stage.sick(&older);
    println!(
        "stands on redis://127.0.0.1:{port} since {} ({ACTS})",
        time_of(since)
    );
    stage.play(&lines());
    // All of them end at once, with their programs.
    std::mem::forget(stage.clients);
}

/// The lines of stdin, as they come.
fn lines() -> Receiver<String> {
    let (sender, lines) = channel();
    thread::spawn(move || {
        let read = std::io::stdin().lock().lines().map_while(Result::ok);
        for line in read {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    lines
}

struct Stage<'a> {
    server: &'a Server,
    sick: &'a Side,
    /// All clients, by their names.
    clients: BTreeMap<&'static str, Client<'a>>,
    /// When the next burst of stock falls due.
    burst: EpochMillis,
    /// When the next wave of payments that is not laid yet falls due.
    wave: EpochMillis,
    /// The entries that were laid so far.
    laid: u64,
    random: Random,
}

impl<'a> Stage<'a> {
    fn new(server: &'a Server, sick: &'a Side, since: EpochMillis) -> Self {
        Self {
            server,
            sick,
            clients: BTreeMap::new(),
            burst: since.plus(FIRST_BURST),
            wave: since.plus(BETWEEN_WAVES),
            laid: 0,
            random: Random(11),
        }
    }

    /// The sick queues, with their clients.
    fn sick(&mut self, older: &'a Side) {
        self.reminders();
        self.memberships();
        self.returns();
        self.mail(older);
        self.shipping();
        self.invoices();
        self.stock();
        self.gift();
    }

    /// An application that offers to its queue, transfers and takes.
    fn application(&mut self, name: &'static str, queue: &str, every: u64) {
        let client = self.sick.named_client(name);
        client.handle(queue);
        client.stream(queue, every, 2_000..=20_000);
        self.clients.insert(name, client);
    }

    /// All goes well, but both keys expire together with what is due in days.
    fn reminders(&mut self) {
        let from = self.server.now().plus(DAY);
        self.lay("reminders", 1_000, |n| from.plus(n * 2 * MINUTE));
        self.application("reminders-svc", "reminders", 5_000);
        let keys = Queue::redisson("reminders").keys();
        for key in [keys.timeouts, keys.order.unwrap()] {
            self.server.cmd_bytes(&[b"EXPIRE", &key, b"1500"]);
        }
    }

    /// A delay beyond all numbers gives a due time before all others. The client itself announces
    /// it, computes when that is, and sleeps for as long.
    fn memberships(&mut self) {
        let client = self.sick.named_client("memberships-svc");
        client.handle("memberships");
        client.work("memberships", "string");
        let from = self.server.now().plus(15 * SECOND);
        self.lay("memberships", 953, |n| from.plus(n * 700));
        let forever = u64::try_from(i64::MAX).unwrap();
        let member = r#"{"from":"memberships","number":954,"until":"forever"}"#;
        client.offer("memberships", "string", [(forever, member)]);
        self.clients.insert("memberships-svc", client);
    }

    /// The application is stopped.
    fn returns(&mut self) {
        let from = self.server.now().plus(-20 * MINUTE);
        self.lay("returns", 600, |n| from.plus(n * 4 * SECOND));
    }

    /// Two releases share it, and the newer one begins with an entry of the older one right behind
    /// two of its own. Its consumer takes what is delivered again and again.
    fn mail(&mut self, older: &'a Side) {
        let from = self.server.now().plus(-30 * SECOND);
        self.lay("mail", 2, |n| from.plus(n * 400));
        // Never a 7 at the front: that one both could read.
        let id = [8, 1, 2, 3, 4, 5, 6, 0x43];
        let member = frame::encode(Form::DoubleId, id, payload("mail", 3).as_bytes());
        let due = from.plus(SECOND).get().to_string();
        self.server.put(&Queue::redisson("mail"), &member, &due);
        let newer = self.sick.named_client("mail-svc");
        newer.handle("mail");
        newer.stream("mail", 3_000, 5_000..=30_000);
        self.clients.insert("mail-svc", newer);
        let legacy = older.named_client("mail-legacy");
        legacy.stream("mail", 20_000, 5_000..=30_000);
        self.clients.insert("mail-legacy", legacy);
    }

    /// Entries without a due time, and others that only have one.
    fn shipping(&mut self) {
        let queue = Queue::redisson("shipping");
        let (timeouts, order) = (queue.keys().timeouts, queue.keys().order.unwrap());
        for member in self.members(Form::ByteId, "shipping", 150) {
            self.server.cmd_bytes(&[b"RPUSH", &order, &member]);
        }
        let from = self.server.now().plus(HOUR);
        for (n, member) in (0..).zip(self.members(Form::ByteId, "shipping", 50)) {
            let due = from.plus(n * MINUTE).get().to_string();
            self.server
                .cmd_bytes(&[b"ZADD", &timeouts, due.as_bytes(), &member]);
        }
        self.application("shipping-svc", "shipping", 2_000);
    }

    /// A consumer that does not come back from its first element.
    fn invoices(&mut self) {
        let consumer = self.sick.named_client("invoices-consumer");
        consumer.hang();
        consumer.handle("invoices");
        let producer = self.sick.named_client("invoices-producer");
        producer.stream("invoices", 1_000, 2_000..=10_000);
        self.clients.insert("invoices-consumer", consumer);
        self.clients.insert("invoices-producer", producer);
    }

    /// What every burst has to be searched behind.
    fn stock(&mut self) {
        let from = self.server.now().plus(DAY);
        let mut random = Random(5);
        let days = usize::try_from(2 * DAY).unwrap();
        self.lay("stock", DEEP, |_| {
            from.plus(i64::try_from(random.below(days)).unwrap())
        });
        let client = self.sick.named_client("stock-svc");
        client.work("stock", "string");
        for _ in 0..3 {
            client.handle("stock");
        }
        self.clients.insert("stock-svc", client);
    }

    /// Two names whose keys and channel are the same: each client delivers to its own name what was
    /// offered to either.
    fn gift(&mut self) {
        for (producer, consumer, queue) in [
            ("gift-producer", "gift-consumer", "gift"),
            ("giftcards-producer", "giftcards-consumer", "{gift}"),
        ] {
            let client = self.sick.named_client(consumer);
            client.handle(queue);
            self.clients.insert(consumer, client);
            let client = self.sick.named_client(producer);
            client.stream(queue, 1_500, 2_000..=20_000);
            self.clients.insert(producer, client);
        }
    }

    /// Much to do, in due order, and done by those that are there for it.
    fn payments(&mut self, well: &'a Side) {
        while self.wave.since(self.server.now()) < WAVES * BETWEEN_WAVES {
            self.next_wave();
        }
        let client = well.named_client("payments-svc");
        client.work("payments", "string");
        for _ in 0..4 {
            client.handle("payments");
        }
        self.clients.insert("payments-svc", client);
    }

    fn next_wave(&mut self) {
        let from = self.wave;
        self.lay("payments", WAVE, |n| from.plus(n / 5));
        self.wave = from.plus(BETWEEN_WAVES);
    }

    /// Traffic of all speeds, here and there with much that is due in hours.
    fn healthy(&mut self, sides: [&'a Side; 5]) {
        for (side, (name, queues)) in sides.into_iter().zip(HEALTHY) {
            let client = side.named_client(name);
            for (n, queue) in (0_u32..).zip(queues) {
                let from = self.server.now().plus(HOUR);
                self.lay_as(side.release.form, queue, 150 * i64::from(n), |n| {
                    from.plus(n * MINUTE)
                });
                client.handle(queue);
                client.stream(queue, 700 + 450 * u64::from(n), 1_000..=20_000);
            }
            self.clients.insert(name, client);
        }
    }

    fn play(&mut self, lines: &Receiver<String>) {
        loop {
            match lines.recv_timeout(STEP) {
                Ok(line) if line.trim() == "stop" => return,
                Ok(line) => println!("{}: {}", line.trim(), self.act(line.trim())),
                Err(RecvTimeoutError::Timeout) => self.go_on(),
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    /// Does what a line asks for, and tells whether it did.
    fn act(&mut self, line: &str) -> &'static str {
        let done = match line {
            "mail-legacy off" => self.clients.remove("mail-legacy").is_some(),
            "gift-producer off" => self.clients.remove("gift-producer").is_some(),
            "invoices-consumer on" => {
                self.clients["invoices-consumer"].resume();
                true
            }
            "returns-client on" => {
                let is_off = !self.clients.contains_key("returns-svc");
                if is_off {
                    self.application("returns-svc", "returns", 3_000);
                }
                is_off
            }
            _ => return "no such act",
        };
        if done { "done" } else { "it is so already" }
    }

    /// Lays the next wave and the next burst when it is time.
    fn go_on(&mut self) {
        let now = self.server.now();
        if self.wave.since(now) < WAVES * BETWEEN_WAVES {
            self.next_wave();
        }
        if self.burst.since(now) > BURST_AHEAD {
            return;
        }
        let timeouts = Queue::redisson("stock").keys().timeouts;
        let timeouts = String::from_utf8(timeouts).unwrap();
        let still = self
            .server
            .int(&["ZCOUNT", &timeouts, "-inf", &now.get().to_string()]);
        if still == 0 && now < self.burst {
            let burst = self.burst;
            self.lay("stock", BURST, |_| burst);
        }
        if still == 0 || now > self.burst {
            self.burst = self.burst.plus(BETWEEN_BURSTS);
        }
    }

    /// Puts entries into a queue as offers of the newer releases leave them.
    fn lay(&mut self, queue: &str, count: i64, due: impl FnMut(i64) -> EpochMillis) {
        self.lay_as(Form::ByteId, queue, count, due);
    }

    /// The same in that form.
    fn lay_as(
        &mut self,
        form: Form,
        queue: &str,
        count: i64,
        mut due: impl FnMut(i64) -> EpochMillis,
    ) {
        let keys = Queue::redisson(queue).keys();
        let members = self.members(form, queue, count);
        let entries: Vec<_> = (0..count).map(|n| due(n).get()).zip(members).collect();
        let mut connection = self.server.connection();
        for chunk in entries.chunks(CHUNK) {
            let mut offer = redis::pipe();
            offer.atomic();
            let zadd = offer.cmd("ZADD").arg(&keys.timeouts);
            for (due, member) in chunk {
                zadd.arg(due).arg(member);
            }
            let rpush = offer.cmd("RPUSH").arg(&keys.order);
            for (_, member) in chunk {
                rpush.arg(member);
            }
            offer.exec(&mut connection).unwrap();
        }
        // Clients are told of a new head only.
        let head: Vec<(Vec<u8>, i64)> = redis::cmd("ZRANGE")
            .arg(&keys.timeouts)
            .arg(&["0", "0", "WITHSCORES"])
            .query(&mut connection)
            .unwrap();
        if let Some((_, due)) = head
            .first()
            .filter(|head| entries.iter().any(|(_, member)| *member == head.0))
        {
            self.server.cmd_bytes(&[
                b"PUBLISH",
                &keys.channel.unwrap(),
                due.to_string().as_bytes(),
            ]);
        }
    }

    /// New members of a queue, as offers make them.
    fn members(&mut self, form: Form, queue: &str, count: i64) -> Vec<Vec<u8>> {
        let mut member = || {
            self.laid += 1;
            let mut id = self.random.below(usize::MAX).to_le_bytes();
            if form.era() == Era::Older {
                // A large number as a double.
                id[7] = 0x43;
            }
            frame::encode(form, id, payload(queue, self.laid).as_bytes())
        };
        (0..count).map(|_| member()).collect()
    }
}

/// The time of day, as this machine's clock shows it.
fn time_of(moment: EpochMillis) -> String {
    let time = DateTime::from_timestamp_millis(moment.get()).unwrap();
    time.with_timezone(&Local).format("%H:%M:%S").to_string()
}

/// The same that the Java side offers.
fn payload(queue: &str, number: u64) -> String {
    format!(r#"{{"from":"{queue}","number":{number}}}"#)
}
