//! The author of something that happened to a message, in words.

use crate::queue::text;
use crate::trace::ClientNames;
use crate::trace::life::Moment;

/// A client, as far as it is known.
#[derive(Default)]
pub(crate) struct Author {
    /// ` by mail-1`; ` by 10.0.3.7:51342` where it has no name, ` by unix` through a socket of the
    /// server's machine; nothing where nobody is known.
    pub(crate) by: String,
    /// ` (10.0.3.7:51342)`, of one that has a name.
    pub(crate) address: String,
    /// ` redisson 3.52.0`, as far as it tells its library.
    pub(crate) library: String,
}

impl Author {
    pub(crate) fn of(names: &ClientNames, moment: Option<&Moment>) -> Self {
        let who = moment.and_then(|moment| moment.by.as_deref());
        let Some(who) = who else {
            return Self::default();
        };
        let library = names.library(who).map_or_else(String::new, |library| {
            format!(" {}", text::printable_bytes(&library))
        });
        let address = address(who);
        match names.now(who).map(text::printable_bytes) {
            Some(name) => Self {
                by: format!(" by {name}"),
                address: format!(" ({address})"),
                library,
            },
            None => Self {
                by: format!(" by {address}"),
                address: String::new(),
                library,
            },
        }
    }

    pub(crate) fn whole(self) -> String {
        self.by + &self.address + &self.library
    }
}

/// The names of clients where they have one, else their addresses.
pub(crate) fn listed<'a>(
    names: &ClientNames,
    clients: impl IntoIterator<Item = &'a [u8]>,
) -> String {
    let name = |by| names.now(by).map(text::printable_bytes);
    let all = clients.into_iter();
    let all = all.map(|by| name(by).unwrap_or_else(|| address(by)));
    all.collect::<Vec<_>>().join(", ")
}

/// An address for people; `unix` of a socket of the server's machine.
pub(crate) fn address(who: &[u8]) -> String {
    if who.starts_with(b"unix:") {
        return "unix".to_owned();
    }
    text::printable_bytes(who)
}
