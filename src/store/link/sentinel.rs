//! Where the master is: sentinels are asked, all at once, and listened to.
//!
//! One of them that is wrong, stopped or gone does no harm: the answer of the highest configuration
//! epoch counts, of those with that epoch what most of them say, and nobody waits for who is late. (Redis' guidelines for clients of sentinels; what
//! they say in a planned failover was measured: `+switch-master` comes 1 s before the old master ends
//! its connections, and until then takes writes that are lost.)

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use redis::aio::PubSub;
use redis::{Pipeline, Value};
use tokio::sync::{Mutex as AsyncMutex, Notify};
use tokio::time::{sleep, sleep_until, timeout, timeout_at};

use super::super::error::{StoreError, plain, words};
use super::dial::Dialer;
use super::exchange::Exchange;
use super::socket::LinkStream;
use super::wire::{self, Wire};
use crate::clock::instant;
use crate::queue::fleet;
use crate::queue::sentinels::{place, places};
use crate::queue::{Address, Endpoint, SENTINEL_PORT, Sentinels, text};

/// The longest wait for a sentinel's answer.
const LIMIT: Duration = Duration::from_secs(1);
/// The wait for the others once one has answered.
const OTHERS: Duration = Duration::from_millis(100);
/// The pause between two questions. A sentinel that we hear tells it sooner.
const ROUND: Duration = Duration::from_secs(1);
/// The time for which an answer of a sentinel counts. Each is asked in each round, and only waited
/// for as long as the first answer takes, and a little more.
const LATELY: Duration = Duration::from_secs(5);
/// Sentinels that are asked at most. (They tell of each other; a group has three to seven.)
const MOST_SENTINELS: usize = 16;
/// The channel on which a sentinel tells of another master.
const SWITCH: &str = "+switch-master";

/// Tells where the master is.
pub(super) struct Guide {
    sentinels: Sentinels,
    posts: Mutex<Vec<Arc<Post>>>,
    /// The last answer of each, and when it came.
    said: Mutex<BTreeMap<String, (Instant, fleet::SentinelAnswer)>>,
    /// Told when a sentinel says that there is another master.
    news: Notify,
}

/// One sentinel, and the connection on which it is asked.
struct Post {
    host: String,
    port: u16,
    wire: AsyncMutex<Option<Wire>>,
}

/// The answer of one sentinel.
struct Testimony {
    master: Address,
    /// Of two that disagree the higher one is right.
    epoch: u64,
    /// The other sentinels that it knows.
    others: Vec<(String, u16)>,
    /// The replicas that it knows.
    replicas: u64,
}

/// The reason why a sentinel tells nothing, the one first that says most about what to do.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
enum Silence {
    /// It does not let us in: its words.
    Denied(String),
    /// It watches no master of that name, but these.
    Unknown(Vec<String>),
    /// It refuses to say: its words.
    Refused(String),
    /// Something answers there that is no sentinel.
    NoSentinel,
    /// It cannot be talked to, as TLS has it.
    Handshake(String),
    /// It does not answer, and why.
    Away(String),
}

impl Guide {
    pub(super) fn new(sentinels: Sentinels) -> Self {
        let posts = sentinels.places.iter();
        let posts = posts.map(|(host, port)| Post::new(host, *port)).collect();
        Self {
            sentinels,
            posts: Mutex::new(posts),
            said: Mutex::default(),
            news: Notify::new(),
        }
    }

    /// The address of the master. Fails within [`LIMIT`].
    /// `at`: where we are connected.
    pub(super) async fn master(
        &self,
        dialer: &Dialer,
        at: Option<&Address>,
    ) -> Result<Address, StoreError> {
        let limit = LIMIT + dialer.login();
        let mut until = instant() + limit;
        let posts = self.posts().clone();
        let mut asked: FuturesUnordered<_> = posts
            .iter()
            .map(|post| async move {
                let said = timeout_at(until.into(), post.ask(dialer, &self.sentinels)).await;
                let late = || Err(Silence::Away(format!("no answer within {limit:?}")));
                (post, said.unwrap_or_else(|_| late()))
            })
            .collect();
        let (mut all, mut silent) = (Vec::<Testimony>::new(), Vec::new());
        while let Ok(Some((post, said))) = timeout_at(until.into(), asked.next()).await {
            match said {
                Ok(said) => {
                    if all.is_empty() {
                        until = until.min(instant() + OTHERS);
                    }
                    self.learn(&said.others);
                    self.note(post.place(), &said);
                    all.push(said);
                }
                Err(why) => silent.push((why, post.place())),
            }
        }
        let named = named(&all, at).cloned();
        named.ok_or_else(|| self.unhelped(dialer, silent))
    }

    /// Asks each second and at each news where the master is, and tells `is_at`; for ever.
    pub(super) async fn follow(&self, dialer: &Dialer, is_at: impl Fn(Address)) {
        let mut heard = BTreeSet::new();
        let mut listening = FuturesUnordered::new();
        let mut next = instant() + ROUND;
        loop {
            for post in self.posts().iter() {
                if heard.insert(post.place()) {
                    listening.push(self.listen(dialer, Arc::clone(post)));
                }
            }
            tokio::select! {
                // It never ends, and is polled here.
                Some(()) = listening.next() => {}
                () = self.news.notified() => {}
                () = sleep_until(next.into()) => next = instant() + ROUND,
            }
            let at = dialer.leads_to();
            let master = tokio::select! {
                // Who listens may hold the connection that is to be asked on.
                () = for_ever(&mut listening) => None,
                master = self.master(dialer, at.as_ref()) => master.ok(),
            };
            if let Some(master) = master {
                is_at(master);
            }
        }
    }

    /// Listens to a sentinel for ever.
    async fn listen(&self, dialer: &Dialer, post: Arc<Post>) {
        loop {
            if !dialer.login().is_zero() {
                // Nobody who asks waits for its login once another one has answered, and each time it
                // would begin anew.
                let asked = post.ask(dialer, &self.sentinels);
                let _ = timeout(LIMIT + dialer.login(), asked).await;
            }
            // What keeps us from listening is told by who asks.
            if let Some(mut subscribed) = post.subscribe(dialer, &self.sentinels).await {
                // It may have been said before we listened.
                self.news.notify_one();
                let mut messages = subscribed.on_message();
                while messages.next().await.is_some() {
                    self.news.notify_one();
                }
            }
            sleep(ROUND).await;
        }
    }

    fn posts(&self) -> MutexGuard<'_, Vec<Arc<Post>>> {
        // Nothing panics while it holds the lock.
        self.posts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes up sentinels that we did not know.
    fn learn(&self, others: &[(String, u16)]) {
        let mut posts = self.posts();
        for (host, port) in others {
            let is_known = |post: &Arc<Post>| post.host == *host && post.port == *port;
            if posts.len() < MOST_SENTINELS && !posts.iter().any(is_known) {
                posts.push(Post::new(host, *port));
            }
        }
    }

    fn note(&self, place: String, said: &Testimony) {
        let post = fleet::SentinelAnswer {
            address: place.clone(),
            master: Some(said.master.to_string()),
            replicas: said.replicas,
        };
        // Nothing panics while it holds the lock.
        let mut all = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        all.insert(place, (instant(), post));
    }

    /// The sentinels, each with its last answer; without one where that is older than [`LATELY`].
    pub(super) fn heard(&self) -> Vec<fleet::SentinelAnswer> {
        let all = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        let posts = self.posts().clone();
        let heard = posts.iter().map(|post| post.place()).map(|place| {
            let said = all.get(&place).filter(|(at, _)| {
                let age = instant().saturating_duration_since(*at);
                age < LATELY
            });
            let silent = || fleet::SentinelAnswer {
                address: place.clone(),
                ..fleet::SentinelAnswer::default()
            };
            said.map_or_else(silent, |(_, post)| post.clone())
        });
        heard.collect()
    }

    /// The error when none of them tells.
    fn unhelped(&self, dialer: &Dialer, mut silent: Vec<(Silence, String)>) -> StoreError {
        silent.sort();
        let Some((why, place)) = silent.first() else {
            let limit = LIMIT + dialer.login();
            return dialer.unreachable(format!("no sentinel answered within {limit:?}"));
        };
        let why = match why {
            Silence::Denied(words) => format!(
                "sentinel {place} does not let us in: {words}; check --sentinel-user and \
                 --sentinel-pass (DELAYSCOPE_SENTINEL_AUTH)"
            ),
            Silence::Unknown(names) => self.unknown(place, names),
            Silence::Refused(words) => {
                format!("sentinel {place} refused to name the master: {words}")
            }
            Silence::NoSentinel => format!(
                "what answers at {place} is no sentinel: use redis{s}://{place}, or the sentinels' \
                 port (most often {SENTINEL_PORT})",
                s = tls_sign(dialer.endpoint())
            ),
            Silence::Handshake(why) => format!("sentinel {place}: {why}"),
            Silence::Away(_) => {
                let each = silent.iter().map(|(why, place)| match why {
                    Silence::Away(why) => format!("{place}: {why}"),
                    _ => place.clone(),
                });
                let each = each.collect::<Vec<_>>().join("; ");
                return dialer.unreachable(format!("no sentinel answers ({each})"));
            }
        };
        dialer.disagreed(why)
    }

    /// The words for a master that the sentinel at `place` does not know among `names`.
    fn unknown(&self, place: &str, names: &[String]) -> String {
        let printed = names.iter().map(|name| text::printable(name));
        let watched = printed.collect::<Vec<_>>().join(", ");
        match (&self.sentinels.name, names) {
            (_, []) => format!("sentinel {place} watches no master"),
            (Some(name), _) => format!(
                "sentinel {place} watches no master {:?}, but: {watched}",
                text::printable(name)
            ),
            (None, _) => format!(
                "sentinel {place} watches several masters: name one of {watched} \
                 (redis-sentinel://…?sentinelMasterId=NAME)"
            ),
        }
    }
}

impl Post {
    fn new(host: &str, port: u16) -> Arc<Self> {
        Arc::new(Self {
            host: host.to_owned(),
            port,
            wire: AsyncMutex::new(None),
        })
    }

    fn place(&self) -> String {
        place(&self.host, self.port)
    }

    /// Asks it where the master is.
    async fn ask(&self, dialer: &Dialer, whom: &Sentinels) -> Result<Testimony, Silence> {
        let mut slot = self.wire.lock().await;
        // Who gives up waiting leaves no connection on which an answer may come late.
        if let Some(mut wire) = slot.take()
            && let Ok(said) = testimony(&mut wire, whom).await
        {
            *slot = Some(wire);
            return Ok(said);
        }
        let stream = self.dialled(dialer).await?;
        let tunnel = stream.tunnel();
        let asked = async {
            let mut wire = introduced(stream, whom).await?;
            let said = testimony(&mut wire, whom).await?;
            Ok((wire, said))
        };
        match asked.await {
            Ok((wire, said)) => {
                *slot = Some(wire);
                Ok(said)
            }
            Err(Silence::Away(why)) => Err(Silence::Away(match tunnel {
                Some(tunnel) => tunnel.ended().await.unwrap_or(why),
                None => why,
            })),
            Err(why) => Err(why),
        }
    }

    /// A connection on which it tells of another master; none: it does not, whyever.
    async fn subscribe(&self, dialer: &Dialer, whom: &Sentinels) -> Option<PubSub> {
        let opening = async {
            let stream = self.dialled(dialer).await.ok()?;
            let mut hello = Pipeline::new();
            let (user, password) = (whom.user.as_deref(), whom.password.as_deref());
            let login = wire::add_auth(&mut hello, user, password);
            let opened = wire::introduced(dialer, stream, (&hello, login), 0).await;
            let mut opened = opened.ok()?;
            opened.subscribe(SWITCH).await.ok()?;
            Some(opened)
        };
        timeout(LIMIT + dialer.login(), opening).await.ok()?
    }

    async fn dialled(&self, dialer: &Dialer) -> Result<LinkStream, Silence> {
        let address = Address::Tcp(self.host.clone(), self.port);
        dialer.open(&address).await.map_err(|error| match error {
            StoreError::Handshake { why, .. } => Silence::Handshake(why),
            StoreError::NotConnected { why, .. } => Silence::Away(why),
            other => Silence::Away(other.to_string()),
        })
    }
}

/// The master that those of the highest epoch name; of several the one that most of them name, of
/// these the one where we are: who is led back and forth loses its connections each time.
fn named<'a>(said: &'a [Testimony], at: Option<&Address>) -> Option<&'a Address> {
    let epoch = said.iter().map(|one| one.epoch).max()?;
    let latest = || said.iter().filter(|one| one.epoch == epoch);
    let weight = |master: &Address| {
        let by = latest().filter(|one| one.master == *master).count();
        (by, at == Some(master))
    };
    // Of equals, the one that was named first.
    let masters = latest().map(|one| &one.master).rev();
    masters.max_by_key(|master| weight(master))
}

/// Logs in on a connection.
async fn introduced(stream: LinkStream, whom: &Sentinels) -> Result<Wire, Silence> {
    let mut wire = wire::bare(stream).await.map_err(|why| away(&why))?;
    let mut hello = Pipeline::new();
    if wire::add_auth(&mut hello, whom.user.as_deref(), whom.password.as_deref()) {
        let answers = wire.send_packed_commands(&hello, 0, hello.len()).await;
        let answer = answers.map_err(|why| away(&why))?.pop();
        if let Some(Value::ServerError(error)) = answer {
            let words = words(&error);
            if !wire::unwanted(&words) {
                return Err(Silence::Denied(words));
            }
        }
    }
    Ok(wire)
}

fn away(why: &redis::RedisError) -> Silence {
    Silence::Away(plain(why))
}

/// Asks a sentinel where the master is.
async fn testimony(wire: &mut Wire, whom: &Sentinels) -> Result<Testimony, Silence> {
    let mut all = Pipeline::new();
    all.cmd("SENTINEL").arg("MASTERS");
    let masters = masters(&exchange(wire, &all).await?[0])?;
    let names = || masters.iter().map(|master| master.name.clone()).collect();
    let master = match (&whom.name, &masters[..]) {
        (None, [only]) => only,
        (Some(name), _) => {
            let it = masters.iter().find(|master| master.name == *name);
            it.ok_or_else(|| Silence::Unknown(names()))?
        }
        (None, _) => return Err(Silence::Unknown(names())),
    };
    // Amid a failover this names the new one as soon as it is promoted.
    let mut more = Pipeline::new();
    more.cmd("SENTINEL")
        .arg("GET-MASTER-ADDR-BY-NAME")
        .arg(&master.name);
    more.cmd("SENTINEL").arg("SENTINELS").arg(&master.name);
    let answers = exchange(wire, &more).await?;
    let address = match &answers[0] {
        Value::Array(parts) => address(parts),
        Value::ServerError(error) => return Err(refused(error)),
        _ => None,
    };
    let (host, port) = address.ok_or(Silence::NoSentinel)?;
    // To know the others is of use, and not needed.
    let others = match &answers[1] {
        Value::Array(others) => others.iter().filter_map(other).collect(),
        _ => Vec::new(),
    };
    Ok(Testimony {
        master: Address::Tcp(host, port),
        epoch: master.epoch,
        others,
        replicas: master.replicas,
    })
}

/// The names of the masters that are watched there; none: it is no sentinel, or refuses to say.
pub(super) async fn watched(wire: &mut impl Exchange) -> Option<Vec<String>> {
    let mut all = Pipeline::new();
    all.cmd("SENTINEL").arg("MASTERS");
    let asked = timeout(LIMIT, exchange(wire, &all)).await.ok()?.ok()?;
    let masters = masters(&asked[0]).ok()?;
    Some(masters.into_iter().map(|master| master.name).collect())
}

/// The words for a sentinel where a server was looked for.
pub(super) fn there(endpoint: &Endpoint, names: &[String]) -> String {
    let place = match &endpoint.address {
        Address::Cluster(several) => places(several),
        address => address.to_string(),
    };
    match names {
        [] => "this is a sentinel, and it watches no master".to_owned(),
        [name, ..] => format!(
            "this is a sentinel: use redis{}-sentinel://{place}?sentinelMasterId={}",
            tls_sign(endpoint),
            text::printable(name)
        ),
    }
}

/// Lets those go on that never end.
async fn for_ever(never_ending: &mut FuturesUnordered<impl Future<Output = ()>>) {
    while never_ending.next().await.is_some() {}
    std::future::pending::<()>().await;
}

/// The letter in a URL's scheme that asks for TLS.
fn tls_sign(endpoint: &Endpoint) -> &'static str {
    if endpoint.tls.is_some() { "s" } else { "" }
}

async fn exchange(wire: &mut impl Exchange, pipeline: &Pipeline) -> Result<Vec<Value>, Silence> {
    let answers = wire.exchange(pipeline).await;
    answers.map_err(|why| away(&why))
}

/// A master that a sentinel watches.
struct WatchedMaster {
    name: String,
    epoch: u64,
    replicas: u64,
}

/// Reads `SENTINEL MASTERS`.
fn masters(answer: &Value) -> Result<Vec<WatchedMaster>, Silence> {
    let masters = match answer {
        Value::Array(masters) => masters,
        Value::ServerError(error) => return Err(refused(error)),
        _ => return Err(Silence::NoSentinel),
    };
    let watched = masters.iter().map(|master| {
        let fields = fields(master);
        let number = |name: &str| {
            let number = fields.get(name).and_then(|number| number.parse().ok());
            number.unwrap_or(0)
        };
        Some(WatchedMaster {
            name: fields.get("name")?.clone(),
            epoch: number("config-epoch"),
            replicas: number("num-slaves"),
        })
    });
    Ok(watched.flatten().collect())
}

/// Another sentinel, as one tells of it.
fn other(answer: &Value) -> Option<(String, u16)> {
    let fields = fields(answer);
    let host = fields.get("ip").filter(|ip| !ip.is_empty())?;
    Some((host.clone(), fields.get("port")?.parse().ok()?))
}

/// Reads the answer of a sentinel about one instance: names and values by turns.
fn fields(answer: &Value) -> BTreeMap<String, String> {
    let Value::Array(parts) = answer else {
        return BTreeMap::new();
    };
    let pairs = parts.chunks_exact(2);
    pairs
        .filter_map(|pair| Some((string(&pair[0])?, string(&pair[1])?)))
        .collect()
}

fn address(parts: &[Value]) -> Option<(String, u16)> {
    let [host, port] = parts else { return None };
    Some((string(host)?, string(port)?.parse().ok()?))
}

fn string(value: &Value) -> Option<String> {
    match value {
        Value::BulkString(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
        Value::SimpleString(text) => Some(text.clone()),
        _ => None,
    }
}

fn refused(error: &redis::ServerError) -> Silence {
    match error.code() {
        "NOAUTH" | "WRONGPASS" => Silence::Denied(words(error)),
        _ if error
            .details()
            .is_some_and(|said| said.contains("unknown command")) =>
        {
            Silence::NoSentinel
        }
        _ => Silence::Refused(words(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn master(port: u16) -> Address {
        Address::Tcp("10.0.0.1".to_owned(), port)
    }

    fn chosen(said: &[(u16, u64)], at: Option<u16>) -> Option<Address> {
        let all: Vec<Testimony> = said
            .iter()
            .map(|(port, epoch)| Testimony {
                master: master(*port),
                epoch: *epoch,
                others: Vec::new(),
                replicas: 0,
            })
            .collect();
        named(&all, at.map(master).as_ref()).cloned()
    }

    #[test]
    fn of_several_masters_the_latest_is_taken_then_the_one_of_most_then_the_one_where_we_are() {
        assert_eq!(chosen(&[], None), None);
        assert_eq!(chosen(&[(1, 4), (2, 5), (1, 4)], Some(1)), Some(master(2)));
        assert_eq!(chosen(&[(1, 4), (2, 4), (2, 4)], Some(1)), Some(master(2)));
        assert_eq!(chosen(&[(1, 4), (2, 4)], Some(2)), Some(master(2)));
        assert_eq!(chosen(&[(1, 4), (2, 4)], None), Some(master(1)));
        assert_eq!(chosen(&[(1, 4), (2, 4)], Some(3)), Some(master(1)));
    }
}
