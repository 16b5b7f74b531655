//! Who else works on the queue: with the feature `interop` the real Redisson, else its scripts.

#[cfg(feature = "interop")]
mod real {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::mpsc::channel;
    use std::thread::JoinHandle;

    use crate::kill::others::Did;
    use crate::kill::scenario::QUEUE;
    use crate::peer::{RELEASES, Side};
    use crate::support::{Server, wait_for};

    /// A server, and a Redisson that comes and goes.
    pub struct Beside(Arc<Side>);

    impl Beside {
        /// A new one.
        pub fn start() -> Self {
            Self(Arc::new(Side::start(&RELEASES[2], "1")))
        }

        /// The server of both.
        pub fn server(&self) -> &Server {
            &self.0.server
        }

        /// A client begins to offer, and to transfer if it shall: whoever offers transfers too.
        pub fn begin(&self, transfers: bool) -> Others {
            let ended = Arc::new(AtomicBool::new(false));
            let (end, side) = (Arc::clone(&ended), Arc::clone(&self.0));
            let (ready, is_ready) = channel();
            let working = std::thread::spawn(move || {
                let mut did = Did::default();
                if !transfers {
                    let _ = ready.send(());
                    return did;
                }
                let client = side.client(QUEUE);
                client.work(QUEUE, "string");
                let _ = ready.send(());
                while !end.load(Ordering::Relaxed) {
                    let some = did.next(20);
                    let delays = [0, 3_600_000, 3_000_000_000_000].into_iter().cycle();
                    client.offer(QUEUE, "string", delays.zip(some.iter().map(String::as_str)));
                }
                client.leave();
                // A script that was sent before the client left may still be under way.
                wait_for("Redisson's connections to close", || {
                    let clients: String =
                        redis::from_redis_value(side.server.cmd(&["CLIENT", "LIST"])).unwrap();
                    !clients.contains(" addr=127.0.0.1:")
                });
                did
            });
            is_ready.recv().unwrap();
            Others { ended, working }
        }
    }

    /// A client at work, until it is asked what it did.
    pub struct Others {
        ended: Arc<AtomicBool>,
        working: JoinHandle<Did>,
    }

    impl Others {
        /// Ends it.
        pub fn end(self) -> Did {
            self.ended.store(true, Ordering::Relaxed);
            self.working.join().unwrap()
        }
    }
}

#[cfg(not(feature = "interop"))]
mod scripts {
    use crate::kill::others::Others;
    use crate::support::Server;

    /// A server, and a client that sends what Redisson sends.
    pub struct Beside(Server);

    impl Beside {
        /// A new one.
        pub fn start() -> Self {
            Self(Server::start())
        }

        /// The server.
        pub fn server(&self) -> &Server {
            &self.0
        }

        /// A client begins to offer and to cancel, and to transfer if it shall.
        pub fn begin(&self, transfers: bool) -> Others {
            Others::begin(&self.0, transfers)
        }
    }
}

#[cfg(not(feature = "interop"))]
pub use crate::kill::others::Others;
#[cfg(feature = "interop")]
pub use real::{Beside, Others};
#[cfg(not(feature = "interop"))]
pub use scripts::Beside;
