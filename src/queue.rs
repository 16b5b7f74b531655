//! The model of a delayed queue: its names, layouts, frames, entries, and what one refresh saw of
//! it.
//!
//! Pure: no tokio, no redis, no ratatui. `store` fills these types, `ops` reasons about them,
//! `cli` and `tui` show them.

pub mod acl;
pub mod asks;
pub mod change;
pub mod change_event;
pub mod classes;
pub mod entry;
pub mod exact;
pub mod filter;
pub mod finding;
pub mod fleet;
pub mod frame;
pub mod frames;
pub mod hold;
pub mod known;
pub mod lateness;
pub mod layout;
pub mod listing;
pub mod look;
pub mod name;
pub mod node;
pub mod plan;
pub mod redis_cli;
pub mod sentinels;
pub mod server;
pub mod shell;
pub mod slot;
pub mod snapshot;
pub mod text;
pub mod twin;
pub mod via;
pub mod zoom;

pub use change::{Change, ChangeRequest, Repair};
pub use entry::{Due, Entry, EntryId, State};
pub use exact::Exact;
pub use filter::{BadFilter, EntryParts, Filter, SearchProgress};
pub use finding::{Finding, Severity, Suspect};
pub use frame::{Era, Form, Frame, FrameError, Unpack};
pub use frames::{Frames, FramesAsk, JudgedMember};
pub use hold::{ConsumerTag, HeldCount, HeldElement, Holder};
pub use known::Known;
pub use lateness::{LateBounds, QueueLateness, RecentLateness};
pub use layout::{BadQueue, Layout, Push, Queue, Unit, UnwrappedMember, ZsetList};
pub use listing::{List, ListPage, ListRow, ListScore};
pub use look::{NodeLook, ServerLook, ServerWatch};
pub use name::{HoldKeys, Keys, QueueName};
pub use plan::{EntryResult, Outcome, Plan, Summary, Tally};
pub use sentinels::{SENTINEL_PORT, Sentinels};
pub use server::{
    Address, Endpoint, Facts, Identity, Link, LinkCost, LinkState, Nodes, Optional,
    ProfileReference, RefusedCommands, Tls, Verify,
};
pub use snapshot::{
    Announcement, Bar, KeyFacts, MOST_HEARD, Page, PageAsk, Pulse, Survey, ToldWrites,
};
pub use twin::Twin;
pub use zoom::{Scale, Zoom};
