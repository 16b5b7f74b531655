//! The flags of `acl`.

use clap::Args;

use crate::queue::{Change, Queue};

/// `acl`
#[derive(Args)]
#[command(after_help = "\
Examples:
  delayscope acl
  delayscope acl orders --for transfer,requeue
  delayscope acl --for read --name watcher | redis-cli
  delayscope acl orders --for all --json | jq -r .commands[]

Each rule allows reading too, and nothing else. Rules are for Redis 6.2 and later, and Valkey; 6.0
knows no channels and no BLMOVE: leave out resetchannels, what begins with & and +blmove. It needs no
server.")]
pub struct Acl {
    /// The queue [default: those of --queue and of the profile, else all]
    #[arg(value_name = "QUEUE")]
    pub queue: Option<Queue>,
    /// One rule for these together: read, all, or changes such as transfer,requeue,delete
    /// [default: a rule for reading and one for each change]
    #[arg(long = "for", value_name = "CHANGES", value_delimiter = ',', value_parser = purpose)]
    pub purposes: Vec<Purpose>,
    /// For a cluster, whose nodes are asked which of them owns which slot
    #[arg(long)]
    pub cluster: bool,
    /// Name of the rule's user; not whom we log in as
    #[arg(long = "name", value_name = "NAME", default_value = "delayscope")]
    pub name: String,
}

/// The purpose of a rule.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Purpose {
    /// To look, and nothing else.
    Read,
    /// Every change.
    All,
    /// A change.
    Change(Change),
}

fn purpose(word: &str) -> Result<Purpose, String> {
    match word {
        "read" => Ok(Purpose::Read),
        "all" => Ok(Purpose::All),
        word => Change::from_word(word).map(Purpose::Change).ok_or_else(|| {
            let words = Change::ALL.map(Change::word).join(", ");
            format!("it is none of read, all, {words}")
        }),
    }
}
