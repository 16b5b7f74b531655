//! Delayed queues with life in them, to look at and to try everything on: on a private server that
//! is gone again with the program, or on a server of one's own.
//!
//! Each scenario has a queue of its own and plays what an application would: it offers, and (but
//! for the one whose transfer client has died) transfers and consumes, through the same use cases
//! as the commands `offer`, `worker` and `consume`. Where frames of two Redisson generations meet,
//! simulated clients transfer, which choke as the real ones do.

mod dice;
mod ground;
mod redisson;
mod scenario;
mod server;
mod stage;

use std::fmt;
use std::time::Duration;

use tokio::sync::{broadcast, watch};
use tokio::task::JoinSet;

pub use self::scenario::{Scenario, UnknownScenario};
use self::server::PrivateServer;
use self::stage::Stage;
use crate::clock::EpochMillis;
use crate::queue::{Endpoint, Form, Queue};
use crate::store::write::Writer;
use crate::store::{Access, Store, StoreError};

/// The longest wait for the server's first answer.
const PATIENCE: Duration = Duration::from_secs(5);
/// The longest wait for what is being offered to arrive when the demo ends.
const LAST_WORDS: Duration = Duration::from_secs(2);
/// Events that may wait for a slow reader; the oldest are dropped then.
const UNREAD: usize = 1_024;

/// The options of a demo: what is to be played, and where.
#[derive(Clone, Debug)]
pub struct DemoOptions {
    /// The scenarios; none is all of them.
    pub scenarios: Vec<Scenario>,
    /// A server of one's own; none is a private one.
    pub own: Option<Endpoint>,
    /// The beginning of the names of the queues. On a server of one's own it must not be empty
    /// unless the database is.
    pub prefix: String,
    /// Leave the server running (on one's own: the queues where they are) afterwards.
    pub keep: bool,
    /// All delays are divided by it.
    pub faster: u32,
}

impl Default for DemoOptions {
    fn default() -> Self {
        Self {
            scenarios: Vec::new(),
            own: None,
            prefix: String::new(),
            keep: false,
            faster: 1,
        }
    }
}

/// The reason why there is no demo.
#[derive(Debug, thiserror::Error)]
pub enum DemoError {
    /// Neither redis-server nor valkey-server is installed.
    #[error(
        "no Redis server is installed: run `sh assets/setup.sh`, or install the package redis-server, redis or valkey"
    )]
    NoServer,
    /// The private server did not come up.
    #[error("{program} did not start: {why}")]
    NotStarted {
        /// The program that was started.
        program: String,
        /// Its last words, or what the system said.
        why: String,
    },
    /// The database of one's own is in use.
    #[error(
        "{server} holds {keys} keys already: choose an empty database, or give the demo's queues a --prefix of their own"
    )]
    NotEmpty {
        /// The server, as the header shows it.
        server: String,
        /// Number of its keys.
        keys: u64,
    },
    /// A key that the demo would write is there already.
    #[error(
        "{server} holds the key {key:?} already, which is none of this demo's: choose another --prefix, or delete it"
    )]
    Taken {
        /// The server, as the header shows it.
        server: String,
        /// The key's name, invalid UTF-8 replaced.
        key: String,
    },
    /// The server does not answer as it must.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Something that the demo did.
#[derive(Clone, Debug, PartialEq)]
pub enum DemoEvent {
    /// It offered messages.
    Offered {
        /// To this queue.
        queue: Queue,
        /// Number of the messages.
        count: usize,
        /// The earliest is due then.
        due: EpochMillis,
    },
    /// Its consumer took a message.
    Consumed {
        /// From this queue's target.
        queue: Queue,
        /// When, by the server's clock.
        at: EpochMillis,
        /// The message's text, in a line.
        text: String,
    },
    /// A remark on what is going on, in a sentence.
    Note {
        /// On this queue.
        queue: Queue,
        /// The sentence.
        text: String,
    },
    /// Something failed. It goes on by itself.
    Trouble {
        /// On this queue.
        queue: Queue,
        /// The error.
        why: StoreError,
    },
}

/// A demo that plays. Dropping it ends it at once: a private server goes with it, on a server of
/// one's own the queues stay; [`end`](Self::end) removes them too.
pub struct Demo {
    store: Store,
    queues: Vec<Queue>,
    /// A writer for each of them: in a cluster they are at different nodes.
    writers: Vec<Writer>,
    keep: bool,
    stop: watch::Sender<bool>,
    tasks: JoinSet<()>,
    events: broadcast::Sender<DemoEvent>,
    unread: Option<broadcast::Receiver<DemoEvent>>,
    /// The private server; none on a server of one's own. The last field: the server goes after its
    /// clients.
    server: Option<PrivateServer>,
}

impl Demo {
    /// Starts the server (or looks whether one's own is fit for it) and puts the first entries in;
    /// the rest follows while it plays. Must be called in a tokio runtime.
    pub async fn start(options: DemoOptions) -> Result<Self, DemoError> {
        let server = match options.own {
            Some(_) => None,
            None => Some(PrivateServer::start().await?),
        };
        let endpoint = options
            .own
            .or_else(|| server.as_ref().map(PrivateServer::endpoint))
            .ok_or(DemoError::NoServer)?;
        let store = Store::open(endpoint, Access::ReadWrite);
        store.ready(PATIENCE).await?;

        let scenarios = scenario::chosen(&options.scenarios);
        let queue = |scenario: &Scenario| {
            Queue::redisson(format!("{}{}", options.prefix, scenario.queue()))
        };
        let queues: Vec<_> = scenarios.iter().map(queue).collect();
        if server.is_none() {
            ground::claim(&store, &options.prefix, &queues).await?;
        }
        let mut writers = Vec::new();
        for queue in &queues {
            let there = store.along_with(queue);
            there.ready(PATIENCE).await?;
            writers.push(there.writer()?);
        }

        let (stop, stopped) = watch::channel(false);
        let (events, unread) = broadcast::channel(UNREAD);
        let mut tasks = JoinSet::new();
        for ((scenario, queue), writer) in scenarios.into_iter().zip(&queues).zip(&writers) {
            let stage = Stage {
                writer: writer.clone(),
                queue: queue.clone(),
                events: events.clone(),
                stopped: stopped.clone(),
                faster: options.faster.max(1),
                form: Form::ByteId,
            };
            if let Err(why) = scenario.open(&stage).await {
                if server.is_none() {
                    // What is there so far; that it fails too would say nothing new.
                    let _ = ground::clear(&writers, &queues).await;
                }
                return Err(why.into());
            }
            scenario.play(stage, &mut tasks);
        }
        Ok(Self {
            store,
            queues,
            writers,
            keep: options.keep,
            stop,
            tasks,
            events,
            unread: Some(unread),
            server,
        })
    }

    /// Returns the endpoint where it plays.
    #[must_use]
    pub fn endpoint(&self) -> &Endpoint {
        self.store.endpoint()
    }

    /// The queues it plays on.
    #[must_use]
    pub fn queues(&self) -> &[Queue] {
        &self.queues
    }

    /// Returns a receiver of what it does, as it does it; asked for the first time, from the start
    /// on. A reader that is slow misses the oldest.
    pub fn events(&mut self) -> broadcast::Receiver<DemoEvent> {
        let unread = self.unread.take();
        unread.unwrap_or_else(|| self.events.subscribe())
    }

    /// Ends it: everything that it made is removed, exactly that, unless it is to be kept; then
    /// the answer says how to reach it and how to be rid of it.
    pub async fn end(mut self) -> Result<Option<KeptDemo>, StoreError> {
        self.stop.send_replace(true);
        if self.server.is_some() && !self.keep {
            // It goes with all that is in it, also when it hangs: nobody need be waited for.
            return Ok(None);
        }
        let all = async { while self.tasks.join_next().await.is_some() {} };
        if tokio::time::timeout(LAST_WORDS, all).await.is_err() {
            self.tasks.shutdown().await;
        }
        if self.keep {
            let server = self.server.take().map(PrivateServer::keep);
            return Ok(Some(KeptDemo {
                endpoint: self.endpoint().clone(),
                server,
                queues: self.queues,
            }));
        }
        ground::clear(&self.writers, &self.queues).await?;
        Ok(None)
    }
}

/// The demo that `--keep` left behind; its `Display` says how to reach it and how to be rid of it.
#[derive(Clone, Debug)]
pub struct KeptDemo {
    /// The endpoint where it is.
    pub endpoint: Endpoint,
    /// The process id of the private server; none on a server of one's own.
    pub server: Option<u32>,
    /// The queues that are there.
    pub queues: Vec<Queue>,
}

impl fmt::Display for KeptDemo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let address = &self.endpoint.address;
        if let Some(pid) = self.server {
            writeln!(
                f,
                "The demo's server goes on, without workers and consumers."
            )?;
            writeln!(f, "  look at it:  delayscope -u unix://{address}")?;
            write!(f, "  stop it:     kill {pid}")
        } else {
            let names: Vec<_> = self.queues.iter().map(|q| q.name.text()).collect();
            writeln!(f, "The demo's queues stay on {}.", self.endpoint)?;
            write!(f, "  they are:    {}", names.join(", "))
        }
    }
}
