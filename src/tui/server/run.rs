//! The server that the screen is on, and the way to another one.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::{Effect, Site};
use crate::config::Config;
use crate::ops::journal::Journal;
use crate::queue::redis_cli::RedisCli;
use crate::queue::{Address, Endpoint, Sentinels};
use crate::store::{Access, Store};
use crate::tui::msg::Msg;
use crate::tui::server;
use crate::tui::server::Switch;
use crate::tui::tasks::Tasks;

/// The subject of a screen: a server, and what holds there.
#[derive(Clone, Debug)]
pub struct ScreenSession {
    config: Config,
    /// The header's name for the server, and the database that it means by that.
    called: Option<(String, i64)>,
}

impl ScreenSession {
    /// The server of `config` with its queues. The header calls it `called`, else by where it
    /// listens.
    #[must_use]
    pub fn new(config: Config, called: Option<&str>) -> Self {
        let db = config.endpoint.db;
        Self {
            called: called.map(|name| (name.to_owned(), db)),
            config,
        }
    }

    /// Begins to connect to it.
    #[must_use]
    pub fn open(&self) -> Store {
        let access = if self.config.read_only {
            Access::ReadOnly
        } else {
            Access::ReadWrite
        };
        Store::open(self.config.endpoint.clone(), access)
    }

    /// Returns the journal that changes are written down in.
    pub(crate) fn journal(&self) -> Journal {
        Journal::of_user(self.config.keep_days)
    }

    /// Returns the facts about it that the screen has to know.
    #[must_use]
    pub fn site(&self) -> Site {
        let endpoint = &self.config.endpoint;
        Site {
            endpoint: match &self.called {
                Some((name, db)) if *db == endpoint.db => name.clone(),
                Some((name, _)) => format!("{name} db {}", endpoint.db),
                None => address(endpoint),
            },
            redis_cli: RedisCli::at(endpoint),
            // What is called by another name than its address is the demo's own.
            program: self.called.is_none().then(|| self.config.program()),
            db: endpoint.db,
            profile: self.config.profile.clone(),
            profiles: self.config.profiles().map(|p| p.name.clone()).collect(),
            read_only: self.config.read_only,
            named: self.config.queues.clone(),
        }
    }

    /// Returns the session that a switch leads to, or why it leads nowhere. May run a command that
    /// prints a password, and waits for its end: up to 30 s.
    pub fn elsewhere(self, to: &Switch) -> Result<Self, String> {
        match to {
            Switch::Db(db) => Ok(Self {
                config: self.config.for_db(*db),
                called: self.called,
            }),
            Switch::Profile(name) => {
                let there = self.config.for_profile(name);
                there.map(at_home).map_err(|why| why.to_string())
            }
            Switch::Address(address) => {
                let there = self.config.for_address(address);
                there.map(at_home).map_err(|why| why.to_string())
            }
        }
    }
}

/// A session at a server that is called by where it listens.
fn at_home(config: Config) -> ScreenSession {
    ScreenSession::new(config, None)
}

/// Returns the header's words for the server at an endpoint.
fn address(endpoint: &Endpoint) -> String {
    match &endpoint.address {
        // Where they lead to is told by the link.
        Address::Sentinel(Sentinels {
            name: Some(name), ..
        }) => format!("{name}/{}", endpoint.db),
        _ => endpoint.to_string(),
    }
}

/// The way from one session's tasks to the loop. Once it is shut nothing comes through any more,
/// whatever a task was about to say.
#[derive(Debug)]
pub(crate) struct Gate {
    open: Arc<Mutex<bool>>,
}

impl Gate {
    /// A way to `out`; what is sent to its sender goes there while it is open.
    pub(crate) fn new(out: UnboundedSender<Msg>) -> (Self, UnboundedSender<Msg>) {
        let (answers, said) = unbounded_channel();
        let open = Arc::new(Mutex::new(true));
        tokio::spawn(pass_on(said, out, Arc::clone(&open)));
        (Self { open }, answers)
    }

    /// Lets nothing through from now on.
    pub(crate) fn shut(&self) {
        *self.open.lock().unwrap_or_else(PoisonError::into_inner) = false;
    }
}

async fn pass_on(
    mut said: UnboundedReceiver<Msg>,
    out: UnboundedSender<Msg>,
    open: Arc<Mutex<bool>>,
) {
    while let Some(msg) = said.recv().await {
        // Held while sending: after `shut` not one is on its way.
        let open = open.lock().unwrap_or_else(PoisonError::into_inner);
        if !*open || out.send(msg).is_err() {
            return;
        }
    }
}

impl Tasks {
    /// Does what another server needs.
    pub(crate) fn server(&mut self, effect: Effect) {
        match effect {
            Effect::FindWay { generation, to } => self.find_way(generation, to),
            Effect::Go => self.switch(),
        }
    }

    /// Looks for the way to another server; the loop is told when it is known.
    fn find_way(&mut self, generation: u64, to: Switch) {
        let (session, way, answers) = (
            self.session.clone(),
            Arc::clone(&self.way),
            self.answers.clone(),
        );
        tokio::task::spawn_blocking(move || {
            let msg = match session.elsewhere(&to) {
                Ok(there) => {
                    let site = Box::new(there.site());
                    let mut way = way.lock().unwrap_or_else(PoisonError::into_inner);
                    // One that was asked for later may have been quicker.
                    if way.as_ref().is_none_or(|(known, _)| *known < generation) {
                        *way = Some((generation, there));
                    }
                    Msg::Server(server::Msg::WayFound(generation, site))
                }
                Err(why) => Msg::Server(server::Msg::NoWay(generation, why)),
            };
            let _ = answers.send(msg);
        });
    }

    /// Leaves the server for the one that was found last.
    fn switch(&mut self) {
        let way = self
            .way
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        let Some((_, session)) = way else {
            return;
        };
        self.gate.shut();
        self.stop();
        let mut workers = std::mem::take(&mut self.workers);
        tokio::spawn(async move { workers.finish().await });
        // They end by themselves; the program waits for it when it is left.
        self.stop_changes();
        let stopping = std::mem::take(&mut self.stopping);
        // Before the new session says anything.
        let _ = self.out.send(Msg::Server(server::Msg::Arrived));
        let (out, lines) = (self.out.clone(), self.lines.clone());
        *self = Self::new(session, lines, out);
        self.stopping = stopping;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn nothing_comes_through_a_gate_that_is_shut() {
        let (out, mut heard) = unbounded_channel();
        let (gate, answers) = Gate::new(out);
        answers.send(Msg::Server(server::Msg::Arrived)).unwrap();
        assert!(heard.recv().await.is_some());
        gate.shut();
        answers.send(Msg::Server(server::Msg::Arrived)).unwrap();
        drop(answers);
        assert!(heard.recv().await.is_none());
    }
}
