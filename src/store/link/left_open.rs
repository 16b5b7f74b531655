//! Transactions that a server leaves open on a connection.
//!
//! Redis up to 6.0.5 refuses EXEC while a script keeps it (and, up to 5.0, while it loads its data),
//! and does not end what MULTI has begun: each command that comes next is queued, and nothing is
//! done. What was refused for a script has marked the transaction, so that a later EXEC does nothing
//! either. One that was refused for another reason would do all of it, therefore only DISCARD ends
//! what was left open.

use redis::{Cmd, Pipeline, ServerError, Value, parse_redis_value};

use super::super::error::passes;

/// The answer to a command that came into a transaction of another request: it was not done, and may
/// be asked again.
const NOT_DONE: &[u8] =
    b"-BUSY it was busy with a script, and an open transaction kept the answer\r\n";

/// The state of a transaction as an answer to DISCARD tells it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum TransactionState {
    /// None is open.
    Ended,
    /// It may still be open; DISCARD is to be sent again.
    Later,
    /// It may still be open, and this server does not let us end it.
    Refused,
}

impl TransactionState {
    /// Reads the answer to DISCARD.
    pub(super) fn of(answer: &Value) -> Self {
        match answer {
            Value::ServerError(error) if says(error, "without MULTI") => Self::Ended,
            Value::ServerError(error) if passes(error.code()) => Self::Later,
            Value::ServerError(_) => Self::Refused,
            _ => Self::Ended,
        }
    }
}

/// Tells whether a transaction may be open after these answers. Commands that came into one of
/// another request are marked in `answers` as refused by a busy server: they were not done.
pub(super) fn is_left_open(pipeline: &Pipeline, answers: &mut [Value]) -> bool {
    let mut is_open = false;
    // Where MULTI was refused, its commands are done one by one, and EXEC has nothing to do.
    let mut is_ours = false;
    for (command, answer) in pipeline.cmd_iter().zip(answers) {
        if is(command, "MULTI") {
            let is_stray = matches!(answer, Value::ServerError(error) if says(error, "nested"));
            is_ours = !matches!(answer, Value::ServerError(_));
            if is_stray {
                (is_open, *answer) = (true, not_done());
            }
        } else if is(command, "EXEC") {
            is_open = matches!(answer, Value::ServerError(error) if passes(error.code()));
            is_ours = false;
        } else if !is_ours && matches!(answer, Value::SimpleString(word) if word == "QUEUED") {
            (is_open, *answer) = (true, not_done());
        }
    }
    is_open
}

fn not_done() -> Value {
    parse_redis_value(NOT_DONE).unwrap_or_default()
}

fn is(command: &Cmd, name: &str) -> bool {
    let word = command.args_iter().next();
    matches!(word, Some(redis::Arg::Simple(word)) if word == name.as_bytes())
}

fn says(error: &ServerError, words: &str) -> bool {
    error.details().is_some_and(|said| said.contains(words))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUSY: &str = "-BUSY Redis is busy running a script.";
    const NESTED: &str = "-ERR MULTI calls can not be nested";
    const ABORTED: &str = "-EXECABORT Transaction discarded because of previous errors.";

    fn value(line: &str) -> Value {
        parse_redis_value(format!("{line}\r\n").as_bytes()).unwrap()
    }

    /// The commands with their answers: whether a transaction may be open then, and which answers
    /// say that the server was busy.
    fn after(talk: &[(&str, &str)]) -> (bool, Vec<bool>) {
        let mut pipeline = Pipeline::new();
        for (command, _) in talk {
            pipeline.cmd(command);
        }
        let mut answers: Vec<Value> = talk.iter().map(|(_, line)| value(line)).collect();
        let is_open = is_left_open(&pipeline, &mut answers);
        let busy = |answer: &Value| matches!(answer, Value::ServerError(e) if e.code() == "BUSY");
        (is_open, answers.iter().map(busy).collect())
    }

    #[test]
    fn an_exec_that_is_refused_for_a_while_leaves_a_transaction_open() {
        let exec = |line| [("MULTI", "+OK"), ("TIME", "+QUEUED"), ("EXEC", line)];
        let loading = "-LOADING Redis is loading the dataset in memory";
        for (line, is_open) in [
            (BUSY, true),
            (loading, true),
            (ABORTED, false),
            ("-NOPERM this user has no permissions", false),
            ("-ERR EXEC without MULTI", false),
            ("*-1", false),
            ("*1\r\n:1", false),
        ] {
            let (found, busy) = after(&exec(line));
            assert_eq!(found, is_open, "{line}");
            assert_eq!(busy, [false, false, line == BUSY]);
        }
    }

    #[test]
    fn what_came_into_the_transaction_of_another_request_was_not_done() {
        let talk = [("PING", "+QUEUED"), ("PING", "+QUEUED")];
        assert_eq!(after(&talk), (true, vec![true, true]));
        let talk = [
            ("MULTI", NESTED),
            ("PING", "+QUEUED"),
            ("EXEC", ABORTED),
            ("MULTI", "+OK"),
            ("TIME", "+QUEUED"),
            ("EXEC", "*1\r\n:1"),
        ];
        let busy = vec![true, true, false, false, false, false];
        assert_eq!(after(&talk), (false, busy));
    }

    #[test]
    fn a_discard_ends_it_unless_it_is_refused() {
        for (line, discarded) in [
            ("+OK", TransactionState::Ended),
            ("-ERR DISCARD without MULTI", TransactionState::Ended),
            (BUSY, TransactionState::Later),
            ("-ERR unknown command `DISCARD`", TransactionState::Refused),
            (
                "-NOPERM this user has no permissions",
                TransactionState::Refused,
            ),
        ] {
            assert_eq!(TransactionState::of(&value(line)), discarded, "{line}");
        }
    }
}
