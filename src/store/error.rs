//! The reason why a request to the server came to nothing. Every `Display` is a full sentence that
//! says what was attempted, on what, and, where it is not plain, what to do.

use std::time::Duration;

use redis::{RedisError, ServerError};

use crate::queue::server::refused_login;
use crate::queue::text;

/// A reason why a request came to nothing.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum StoreError {
    /// There is no connection, so the request was not sent.
    #[error("cannot reach {server}: {why}; is the server running, and is this its address?")]
    NotConnected {
        /// The server, as the header shows it.
        server: String,
        /// The words of the last attempt.
        why: String,
    },
    /// There is no connection, since we and the server do not agree on TLS, or the port speaks
    /// something else.
    #[error("cannot connect to {server}: {why}")]
    Handshake {
        /// The server, as the header shows it.
        server: String,
        /// The disagreement, and the flag that helps.
        why: String,
    },
    /// The server does not let us in.
    #[error(
        "login to {server} failed: {why}; {give} user and password (--user, REDISCLI_AUTH, --askpass \
         or -a)",
        why = refused_login(words).unwrap_or(words),
        give = if words.starts_with("NOAUTH") { "give" } else { "check" }
    )]
    Denied {
        /// The server, as the header shows it.
        server: String,
        /// The server's words.
        words: String,
    },
    /// The server answered with an error.
    #[error("{server} refused to {attempt}: {words}")]
    Refused {
        /// The server, as the header shows it.
        server: String,
        /// The attempt, as an infinitive.
        attempt: &'static str,
        /// The first word of the error, such as `NOPERM`, `OOM` or `READONLY`.
        code: String,
        /// The server's words, code and all.
        words: String,
    },
    /// No answer in time. The request may have been carried out all the same.
    #[error(
        "{server} did not answer within {after:?} when asked to {attempt}; it may be busy or stopped"
    )]
    TimedOut {
        /// The server, as the header shows it.
        server: String,
        /// The attempt, as an infinitive.
        attempt: &'static str,
        /// The time for which we waited.
        after: Duration,
    },
    /// The connection broke before the answer. The request may have been carried out all the same.
    #[error("the connection to {server} broke when it was asked to {attempt}: {why}")]
    Broken {
        /// The server, as the header shows it.
        server: String,
        /// The attempt, as an infinitive.
        attempt: &'static str,
        /// The way in which it broke.
        why: String,
    },
    /// A script began, and an error ended it: what it had done by then stays, since Lua does not
    /// roll back.
    #[error(
        "{server} stopped in the middle when asked to {attempt}: {words}; a part of it may be done"
    )]
    Halfway {
        /// The server, as the header shows it.
        server: String,
        /// The attempt, as an infinitive.
        attempt: &'static str,
        /// The server's words, code and all.
        words: String,
    },
    /// The answer has a shape that the command cannot have.
    #[error(
        "{server} gave an unexpected answer when asked to {attempt}: {got}; is it a Redis server?"
    )]
    Unexpected {
        /// The server, as the header shows it.
        server: String,
        /// The attempt, as an infinitive.
        attempt: &'static str,
        /// The answer that came, shortened.
        got: String,
    },
    /// A key is of another type than the queue needs; nothing was done.
    #[error(
        "{server} was asked to {attempt}, but {key:?} is a {kind} where a {wanted} belongs; rename or delete that key"
    )]
    WrongType {
        /// The server, as the header shows it.
        server: String,
        /// The attempt, as an infinitive.
        attempt: &'static str,
        /// The key's name, invalid UTF-8 replaced.
        key: String,
        /// Its type, in the words of TYPE.
        kind: String,
        /// The type that it should be.
        wanted: &'static str,
    },
    /// It cannot be done and was not sent.
    #[error("cannot {attempt} on {server}: {why}")]
    Impossible {
        /// The server, as the header shows it.
        server: String,
        /// The attempt, as an infinitive.
        attempt: &'static str,
        /// The reason.
        why: String,
    },
    /// A change was asked for in a read-only session.
    #[error("this session is read-only; start without --read-only to change {server}")]
    ReadOnly {
        /// The server, as the header shows it.
        server: String,
    },
}

impl StoreError {
    /// Tells whether the server may have carried the request out, or a part of it. Of every other
    /// error it is proven that nothing was done. Such a request is never repeated before it was
    /// seen what became of it, and only when the error [may heal](Self::may_heal).
    #[must_use]
    pub const fn outcome_unknown(&self) -> bool {
        matches!(
            self,
            Self::TimedOut { .. }
                | Self::Broken { .. }
                | Self::Halfway { .. }
                | Self::Unexpected { .. }
        )
    }

    /// Tells whether the server cannot answer anybody just now, and will again by itself.
    #[must_use]
    pub fn passing(&self) -> bool {
        self.code().is_some_and(passes)
    }

    /// Tells whether trying again may help without anybody's doing: the server is away, or
    /// [`passing`](Self::passing). What it refuses, and a key of another type, stays.
    #[must_use]
    pub fn may_heal(&self) -> bool {
        match self {
            Self::NotConnected { .. }
            | Self::Handshake { .. }
            | Self::TimedOut { .. }
            | Self::Broken { .. } => true,
            _ => self.passing(),
        }
    }

    /// Tells whether the slot of what was asked for is at another node of the cluster, or on its way
    /// to one.
    #[must_use]
    pub fn is_on_its_way(&self) -> bool {
        self.code().is_some_and(on_its_way)
    }

    /// Tells whether a node of a cluster cannot answer for this one queue, whatever it can for others:
    /// the slot is [elsewhere](Self::is_on_its_way), or the keys lie in several.
    #[must_use]
    pub fn is_of_its_slot(&self) -> bool {
        self.is_on_its_way() || self.code() == Some("CROSSSLOT")
    }

    /// The first word of the server's error, when it answered with one.
    #[must_use]
    pub fn code(&self) -> Option<&str> {
        match self {
            Self::Refused { code, .. } => Some(code),
            Self::Denied { words, .. } => words.split(' ').next(),
            _ => None,
        }
    }
}

/// Tells whether an error with this first word goes by without anybody's doing: a server that loads
/// its data, waits for its master or runs a long script has refused nothing.
pub(in crate::store) fn passes(code: &str) -> bool {
    matches!(code, "LOADING" | "BUSY" | "MASTERDOWN" | "CLUSTERDOWN") || on_its_way(code)
}

/// Tells whether a node of a cluster says so that a slot is at another node, or on its way to one. It
/// has done nothing then.
pub(in crate::store) fn on_its_way(code: &str) -> bool {
    matches!(code, "MOVED" | "ASK" | "TRYAGAIN")
}

/// The server's error, code and text, without where in a script it happened, or that it was EXEC
/// that met it. Printable: whoever may run a script chooses what an error says.
pub(in crate::store) fn words(error: &ServerError) -> String {
    let Some(details) = error.details() else {
        return text::printable(error.code()).into_owned();
    };
    let met = details.strip_prefix("Transaction discarded because of: ");
    let words = match (met.or_else(|| in_script(details)), missing_right(details)) {
        (Some(words), _) => words.to_owned(),
        (None, Some(words)) => format!("NOPERM {words}"),
        (None, None) => format!("{} {}", error.code(), without_script(details)),
    };
    let words = match error.code() {
        "CROSSSLOT" => words + CROSSED,
        _ => words,
    };
    text::printable(&words).into_owned()
}

/// The explanation of `CROSSSLOT`, and of a MOVED that concerns a part of a queue's keys: by this a
/// cluster refuses such a queue for good.
pub(in crate::store) const CROSSED: &str = ": the keys of this queue lie in two slots of the cluster, and no script can \
                       reach both; give them names with the same {…} in them";

/// The words for a right that is missing to a command of a script, which up to Redis 6 has no code,
/// and from 7.2 on none but `ERR`.
fn missing_right(details: &str) -> Option<&str> {
    let (_, words) = details
        .rsplit_once("@user_script: ")
        .filter(|(before, _)| before.starts_with(WRAPPED))
        .and_then(|(_, last)| last.split_once(": "))
        .filter(|(_, words)| words.starts_with("The user executing the script can't "))
        .or_else(|| details.split_once("ACL failure in script: "))?;
    Some(without_script(words.trim_end()))
}

/// Tells whether a script that answered with this error had begun, and may have done a part of its
/// work.
///
/// An error that a script returns is its own word that nothing was done, and one that has nothing
/// to do with a script came instead of it. What is left was raised by a command in the midst of it.
/// Of these, the refusals of a full server, of a replica and of one whose disk or whose replicas
/// fail meet the first command that writes, or none: when that was let through, all are. So do
/// those for want of a right: each script has tried its commands before (`parts/guard.lua`).
pub(in crate::store) fn ended_halfway(error: &ServerError) -> bool {
    let raised = error
        .details()
        .is_some_and(|details| details.starts_with(WRAPPED) || without_script(details) != details);
    let words = words(error);
    let before = matches!(
        words.split(' ').next(),
        Some("OOM" | "READONLY" | "MISCONF" | "NOREPLICAS" | "NOPERM")
    );
    // One that has written cannot be killed.
    raised && !before && !words.contains("Script killed by user")
}

/// The words that Redis up to 6 puts before the error that a command of a script has raised.
const WRAPPED: &str = "Error running script (call to f_";

/// The error of a command of a script, code and all, which Redis up to 6 wraps: `ERR Error running
/// script (call to f_SHA1): @user_script:103: @user_script: 103: -OOM command not allowed …`; the
/// second place and the dash stand there when the command was not even run.
fn in_script(details: &str) -> Option<&str> {
    let wrapped = details.strip_prefix(WRAPPED)?;
    let (_, last) = wrapped.rsplit_once("@user_script:")?;
    let (_, words) = last.split_once(": ")?;
    let words = words.strip_prefix('-').unwrap_or(words).trim_end();
    let code = words.split(' ').next()?;
    let is_code = |c: char| c.is_ascii_uppercase() || c == '_';
    (!code.is_empty() && code.chars().all(is_code)).then_some(words)
}

/// Without the line of the script where it happened, which Redis 7 appends: `script: SHA1, on
/// @user_script:103.`
fn without_script(details: &str) -> &str {
    match details.rsplit_once(" script: ") {
        Some((words, place)) if place.contains("@user_script:") => words,
        _ => details,
    }
}

/// Tells what a client-side error says, printable and without the library's own decoration.
pub(in crate::store) fn plain(error: &RedisError) -> String {
    text::printable(&undecorated(error)).into_owned()
}

fn undecorated(error: &RedisError) -> String {
    if let Some(code) = error.code() {
        return match error.detail() {
            Some(detail) => format!("{code} {detail}"),
            None => code.to_owned(),
        };
    }
    let text = error.to_string();
    match text.split_once(" (os error") {
        Some((words, _)) => words.to_owned(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_in_a_script_an_error_happened_is_not_told() {
        let full = "command not allowed when used memory > 'maxmemory'.";
        let noise = " script: 3761e8d1c1a8ff5e7ac0d7f5ab9b39f3b1a8a5b1, on @user_script:103.";
        assert_eq!(without_script(&format!("{full}{noise}")), full);
        assert_eq!(without_script("no such script: 12"), "no such script: 12");
    }

    #[test]
    fn a_queue_whose_keys_lie_in_two_slots_is_told_what_its_names_lack() {
        let answer = "-CROSSSLOT Keys in request don't hash to the same slot\r\n";
        let Ok(redis::Value::ServerError(error)) = redis::parse_redis_value(answer.as_bytes())
        else {
            panic!("an error");
        };
        let said = words(&error);
        assert!(
            said.starts_with("CROSSSLOT Keys in request") && said.contains("same {…}"),
            "{said}"
        );
    }

    #[test]
    fn older_servers_wrap_the_error_of_a_script_which_is_told_bare() {
        let wrapped = |error: &str| {
            format!("Error running script (call to f_3761e8d1): @user_script:103: {error}")
        };
        for (error, told) in [
            (
                "@user_script: 103: -OOM command not allowed when used memory > 'maxmemory'. ",
                "OOM command not allowed when used memory > 'maxmemory'.",
            ),
            (
                "@user_script: 103: -READONLY You can't write against a read only replica. ",
                "READONLY You can't write against a read only replica.",
            ),
            (
                "WRONGTYPE Operation against a key holding the wrong kind of value ",
                "WRONGTYPE Operation against a key holding the wrong kind of value",
            ),
        ] {
            assert_eq!(in_script(&wrapped(error)), Some(told));
        }
        // What has no code of its own stays as it came, save for a right that is missing.
        assert_eq!(in_script(&wrapped("attempt to index a nil value")), None);
        assert_eq!(in_script("no such script: 12"), None);
    }

    #[test]
    fn a_right_that_is_missing_in_a_script_is_told_as_one_by_every_server() {
        let older = "The user executing the script can't run this command or subcommand";
        let wrapped = format!(
            "Error running script (call to f_3761e8d1): @user_script:103: @user_script: 103: {older} "
        );
        assert_eq!(missing_right(&wrapped), Some(older));
        let newer = "User less has no permissions to run the 'rpush' command";
        let wrapped =
            format!("ACL failure in script: {newer} script: 3761e8d1, on @user_script:9.");
        assert_eq!(missing_right(&wrapped), Some(newer));
        assert_eq!(missing_right("unknown command"), None);
    }

    #[test]
    fn a_server_that_loads_is_waited_for_and_one_that_refuses_is_not() {
        let refused = |code: &str| StoreError::Refused {
            server: "h:1/0".into(),
            attempt: "take from the target",
            code: code.into(),
            words: code.into(),
        };
        assert!(refused("LOADING").may_heal());
        assert!(!refused("NOPERM").may_heal());
        let server = "h:1/0".to_owned();
        assert!(!StoreError::ReadOnly { server }.may_heal());
    }
}
