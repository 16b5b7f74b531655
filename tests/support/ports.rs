//! TCP ports for the servers of the tests.

use std::hash::{BuildHasher as _, RandomState};
use std::net::{TcpListener, TcpStream};

/// A block of ports: of a server, of a cluster's nodes, or of sentinels and what they watch. No other
/// test is given one of them, or of their buses, while this lives: the block's own port is held. Nor is
/// anybody who connects: systems give them ports above all of these, and one that is only free at a
/// moment belongs, a moment later, to a client.
pub struct Ports {
    pub of_nodes: [u16; PORTS],
    _held: TcpListener,
}

/// The ports of a block.
const PORTS: usize = 6;
/// How many blocks there are.
const BLOCKS: u16 = 1_600;
/// The first port of a node; that of its bus is 10,000 above it.
const FIRST_OF_NODES: u16 = 10_000;
/// The port that is held of the first block.
const FIRST_HELD: u16 = 30_000;

impl Ports {
    /// A block that nobody has, and in which no stranger listens. The ports of its nodes are not
    /// taken to find that out: what is let go only then may still be held, for a moment, by a
    /// process that is being started elsewhere.
    pub fn free() -> Self {
        let listens = |port: u16| TcpStream::connect(("127.0.0.1", port)).is_ok();
        let mut found = (0_u64..).filter_map(|n| {
            let block = RandomState::new().hash_one(n) % u64::from(BLOCKS);
            let block = u16::try_from(block).unwrap();
            let held = TcpListener::bind(("127.0.0.1", FIRST_HELD + block)).ok()?;
            let first = FIRST_OF_NODES + block * u16::try_from(PORTS).unwrap();
            let mut next = first..;
            let of_nodes = [(); PORTS].map(|()| next.next().unwrap());
            let mut all = of_nodes.iter().flat_map(|port| [*port, port + 10_000]);
            let are_free = !all.any(listens);
            are_free.then_some(Self {
                of_nodes,
                _held: held,
            })
        });
        found.next().expect("one of them")
    }
}
