//! Lines as MONITOR prints them: `1763794800.123456 [0 127.0.0.1:5] "RPUSH" "q" "\x04\x00"`.

use crate::trace::monitor::record_of_line;

/// A command that a client sent.
pub(super) struct MonitoredCommand {
    /// Its name, as it was sent.
    pub(super) name: String,
    /// The words behind the name.
    pub(super) arguments: Vec<Vec<u8>>,
}

/// The command of a line that is a record of MONITOR's and nothing else.
pub(super) fn read(line: &[u8]) -> Option<MonitoredCommand> {
    let record = record_of_line(line)?;
    Some(MonitoredCommand {
        name: str::from_utf8(record.word(0)?).ok()?.to_owned(),
        arguments: record.words(1).map(<[u8]>::to_vec).collect(),
    })
}

impl MonitoredCommand {
    /// Returns the places of those of its arguments that are values; none where that cannot be told
    /// from the command.
    pub(super) fn values(&self) -> Option<Vec<usize>> {
        let all = self.arguments.len();
        Some(match &*self.name.to_ascii_uppercase() {
            "RPUSH" | "LPUSH" | "RPUSHX" | "LPUSHX" | "SADD" | "SREM" | "ZREM" | "ZSCORE"
            | "ZRANK" | "PUBLISH" | "SET" | "GETSET" | "SETNX" | "LPOS" | "ZMSCORE" => {
                let last = match &*self.name.to_ascii_uppercase() {
                    "SET" | "LPOS" => all.min(2),
                    _ => all,
                };
                (1..last).collect()
            }
            "LREM" | "LSET" | "SETEX" | "PSETEX" | "ZINCRBY" => (2..all.min(3)).collect(),
            "LINSERT" => (2..all.min(4)).collect(),
            "ZADD" => self.members(),
            _ => return None,
        })
    }

    /// The members that `ZADD` is told: behind each score.
    fn members(&self) -> Vec<usize> {
        let is_option = |word: &Vec<u8>| {
            let options: [&[u8]; 6] = [b"NX", b"XX", b"GT", b"LT", b"CH", b"INCR"];
            options
                .iter()
                .any(|option| word.eq_ignore_ascii_case(option))
        };
        let options = self
            .arguments
            .iter()
            .skip(1)
            .take_while(|word| is_option(word));
        let first = 2 + options.count();
        (first..self.arguments.len()).step_by(2).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(line: &str) -> Option<Vec<usize>> {
        read(line.as_bytes()).and_then(|command| command.values())
    }

    #[test]
    fn a_line_is_its_command_and_the_bytes_of_its_arguments() {
        let line = r#"1763794800.123 [0 127.0.0.1:5] "RPUSH" "a \"q\"" "\x04\x00\\" """#;
        let command = read(line.as_bytes()).unwrap();
        assert_eq!(command.name, "RPUSH");
        assert_eq!(command.arguments, [&b"a \"q\""[..], b"\x04\0\\", b""]);
        for line in [
            r#"+1763794800.123456 [15 lua] "zadd" "k""#,
            "1.5 [0 unix:/tmp/a b.sock] \"PING\"\r",
            r#"1.5 [0 [::1]:6379] "PING""#,
        ] {
            assert!(read(line.as_bytes()).is_some(), "{line}");
        }
    }

    #[test]
    fn other_lines_are_none() {
        for line in [
            "OK",
            "",
            r#"1) "a""#,
            r#"x [0 lua] "a""#,
            r#"1.5 [lua] "a""#,
            r"1.5 [0 lua] a",
            r#"1.5 [0 lua] "a"#,
            r#"1.5 [0 lua] "a\q""#,
            "[0 lua]",
            r#"said: 1.5 [0 lua] "a""#,
            r#"1.5 [0 lua] "a" and more"#,
        ] {
            assert!(read(line.as_bytes()).is_none(), "{line}");
        }
    }

    #[test]
    fn values_stand_where_their_command_has_them() {
        let at = |words: &str| values(&format!("1.5 [0 lua] {words}"));
        assert_eq!(at(r#""rpush" "q" "a" "b""#), Some(vec![1, 2]));
        assert_eq!(at(r#""ZADD" "z" "NX" "1" "a" "2" "b""#), Some(vec![3, 5]));
        assert_eq!(at(r#""LREM" "q" "1" "a""#), Some(vec![2]));
        assert_eq!(at(r#""SET" "k" "v" "EX" "5""#), Some(vec![1]));
        assert_eq!(at(r#""EVAL" "return 1" "0""#), None);
        assert_eq!(at(r#""ZADD" "z""#), Some(vec![]));
    }
}
