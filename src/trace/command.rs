//! The effect of a command on the keys of a delayed queue, whoever sends it.

use super::record::Record;

/// A command that may concern a queue.
#[derive(Clone, Debug, PartialEq)]
pub enum TracedCommand<'a> {
    /// Puts members into a sorted set, or gives them other scores.
    Add {
        /// The sorted set.
        key: &'a [u8],
        /// Scores and members.
        members: Vec<(f64, &'a [u8])>,
        /// The members that it concerns.
        rule: AddRule,
    },
    /// Takes members out of a sorted set.
    Take {
        /// The sorted set.
        key: &'a [u8],
        /// The members.
        members: Vec<&'a [u8]>,
    },
    /// Takes what has a score in a range out of a sorted set.
    TakeRange {
        /// The sorted set.
        key: &'a [u8],
        /// The scores.
        scores: CommandScores,
    },
    /// Takes what stands at some places out of a sorted set: the log does not name it.
    TakeRanks {
        /// The sorted set.
        key: &'a [u8],
        /// The first place; negative: from the end.
        first: i64,
        /// The last place.
        last: i64,
    },
    /// Takes members from an end of a sorted set: the log does not name them.
    TakeEnd {
        /// The sorted sets: the first that has a member gives it.
        keys: Vec<&'a [u8]>,
        /// The lowest scores are at the left end.
        end: ListEnd,
        /// The most members that it takes.
        most: usize,
        /// The time that it waits for a member, in µs; 0 for ever. None: it does not wait.
        waits_us: Option<i64>,
    },
    /// Asks a sorted set for what is due, as Redisson's transfer does.
    AskDue {
        /// The sorted set.
        key: &'a [u8],
        /// The sender's own clock, in ms since the epoch.
        now_ms: i64,
    },
    /// Asks a sorted set for its head.
    AskHead {
        /// The sorted set.
        key: &'a [u8],
    },
    /// Reads all of a list.
    ReadAll {
        /// The list.
        key: &'a [u8],
    },
    /// Puts elements into a list.
    Push {
        /// The list.
        key: &'a [u8],
        /// The end that it puts them at.
        end: ListEnd,
        /// The elements, one after the other.
        values: Vec<&'a [u8]>,
    },
    /// Takes elements from a list.
    Pop {
        /// The lists: the first that has an element gives it.
        keys: Vec<&'a [u8]>,
        /// The end that it takes them from.
        end: ListEnd,
        /// The most elements that it takes.
        most: usize,
        /// The list that it puts them into, and the end of that one; none: the sender has them.
        to: Option<(&'a [u8], ListEnd)>,
        /// The time that it waits for an element, in µs; 0 for ever. None: it does not wait.
        waits_us: Option<i64>,
    },
    /// Takes elements with that value out of a list.
    Remove {
        /// The list.
        key: &'a [u8],
        /// Copies to remove, from the head; negative: from the tail; 0: all.
        count: i64,
        /// The value.
        value: &'a [u8],
    },
    /// Takes elements from the ends of a list.
    Trim {
        /// The list.
        key: &'a [u8],
        /// The first that stays.
        first: i64,
        /// The last that stays.
        last: i64,
    },
    /// Deletes keys.
    Delete {
        /// The keys.
        keys: Vec<&'a [u8]>,
    },
    /// Renames a key.
    Rename {
        /// The name that it has no more.
        from: &'a [u8],
    },
    /// Lets a key expire, or keeps it from that.
    Expire {
        /// The key.
        key: &'a [u8],
        /// The time.
        expiry: CommandExpiry,
    },
    /// Deletes every key of a database.
    Flush {
        /// True when all databases are emptied.
        is_all: bool,
    },
    /// Publishes a message.
    Publish {
        /// The channel.
        channel: &'a [u8],
        /// The message.
        message: &'a [u8],
    },
    /// Subscribes to channels.
    Subscribe {
        /// The channels.
        channels: Vec<&'a [u8]>,
    },
    /// Starts a script.
    Script {
        /// Its text or its SHA-1.
        script: &'a [u8],
    },
}

/// The members that `ZADD` concerns.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct AddRule {
    /// Members that are there, members that are not, or both.
    pub presence: Presence,
    /// The change that a score may have.
    pub change: ScoreChange,
    /// The score is added to the one that the member has.
    pub is_increment: bool,
}

/// The presence of a member in a sorted set, as a condition.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Presence {
    /// It may be there or not.
    #[default]
    Either,
    /// It must not be there: `NX`.
    New,
    /// It must be there: `XX`.
    Old,
}

/// The change of a score, as a condition on members that are there.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum ScoreChange {
    /// To any score.
    #[default]
    Any,
    /// To a higher one: `GT`.
    Higher,
    /// To a lower one: `LT`.
    Lower,
}

/// An end of a list.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum ListEnd {
    /// The head.
    Left,
    /// The tail.
    Right,
}

/// The time at which a key expires.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum CommandExpiry {
    /// After this time, in ms.
    After(i64),
    /// At this time, in ms since the epoch.
    At(i64),
    /// Not any more.
    Never,
}

/// A range of scores, as `ZREMRANGEBYSCORE` takes it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CommandScores {
    from: (f64, bool),
    to: (f64, bool),
}

impl CommandScores {
    /// The lowest score that may be inside.
    #[must_use]
    pub const fn lowest(&self) -> f64 {
        self.from.0
    }

    /// True of a score above all that are inside.
    #[must_use]
    pub fn is_passed(&self, score: f64) -> bool {
        score > self.to.0
    }

    /// True of a score inside the range.
    #[must_use]
    pub fn has(&self, score: f64) -> bool {
        let (from, to) = (self.from, self.to);
        (score > from.0 || (score >= from.0 && !from.1))
            && (score < to.0 || (score <= to.0 && !to.1))
    }
}

impl<'a> TracedCommand<'a> {
    /// The command of a record, if it may concern a queue.
    #[must_use]
    pub fn of(record: &'a Record) -> Option<Self> {
        let name = record.word(0)?;
        let mut upper = [0; 16];
        let upper = upper.get_mut(..name.len())?;
        upper.copy_from_slice(name);
        upper.make_ascii_uppercase();
        let key = || record.word(1);
        let keys =
            |from: usize, count: usize| -> Vec<&[u8]> { record.words(from).take(count).collect() };
        Some(match &*upper {
            b"ZADD" => add(record)?,
            b"ZINCRBY" => Self::Add {
                key: key()?,
                members: vec![(score(record.word(2)?)?, record.word(3)?)],
                rule: AddRule {
                    is_increment: true,
                    ..AddRule::default()
                },
            },
            b"ZREM" => Self::Take {
                key: key()?,
                members: record.words(2).collect(),
            },
            b"ZREMRANGEBYSCORE" => Self::TakeRange {
                key: key()?,
                scores: CommandScores {
                    from: bound(record.word(2)?)?,
                    to: bound(record.word(3)?)?,
                },
            },
            b"ZREMRANGEBYRANK" if record.len() == 4 => Self::TakeRanks {
                key: key()?,
                first: number(record.word(2)?)?,
                last: number(record.word(3)?)?,
            },
            b"ZPOPMIN" | b"ZPOPMAX" => Self::TakeEnd {
                keys: keys(1, 1),
                end: end_of_set(&upper[4..])?,
                most: record.word(2).map_or(Some(1), number)?,
                waits_us: None,
            },
            b"BZPOPMIN" | b"BZPOPMAX" => {
                let last = record.len().checked_sub(1).filter(|last| *last > 1)?;
                Self::TakeEnd {
                    keys: keys(1, last - 1),
                    end: end_of_set(&upper[5..])?,
                    most: 1,
                    waits_us: Some(span_us(record.word(last)?)?),
                }
            }
            b"ZMPOP" | b"BZMPOP" => {
                let popped = ManyPop::of(record, upper[0] == b'B')?;
                Self::TakeEnd {
                    end: end_of_set(&popped.side.to_ascii_uppercase())?,
                    keys: popped.keys,
                    most: popped.most,
                    waits_us: popped.waits_us,
                }
            }
            b"ZRANGEBYSCORE" if record.len() == 7 && record.word(2) == Some(b"0") => Self::AskDue {
                key: key()?,
                now_ms: number(record.word(3)?)?,
            },
            b"ZRANGE" if record.word(2) == Some(b"0") && record.word(3) == Some(b"0") => {
                Self::AskHead { key: key()? }
            }
            b"RPUSH" | b"RPUSHX" => push(record, ListEnd::Right)?,
            b"LPUSH" | b"LPUSHX" => push(record, ListEnd::Left)?,
            b"LPOP" | b"RPOP" => Self::Pop {
                keys: keys(1, 1),
                end: end(&upper[..1])?,
                most: record.word(2).map_or(Some(1), number)?,
                to: None,
                waits_us: None,
            },
            b"BLPOP" | b"BRPOP" => {
                let last = record.len().checked_sub(1).filter(|last| *last > 1)?;
                Self::Pop {
                    keys: keys(1, last - 1),
                    end: end(&upper[1..2])?,
                    most: 1,
                    to: None,
                    waits_us: Some(span_us(record.word(last)?)?),
                }
            }
            b"RPOPLPUSH" | b"BRPOPLPUSH" | b"LMOVE" | b"BLMOVE" => {
                let is_move = upper.ends_with(b"MOVE");
                let waits = upper[0] == b'B';
                let last = record.len().checked_sub(1)?;
                record.word(if is_move { 4 } else { 2 } + usize::from(waits))?;
                let (from, to) = if is_move {
                    (record.word(3)?, record.word(4)?)
                } else {
                    (&b"RIGHT"[..], &b"LEFT"[..])
                };
                let waits_us = if waits {
                    Some(span_us(record.word(last)?)?)
                } else {
                    None
                };
                Self::Pop {
                    keys: keys(1, 1),
                    end: end(from)?,
                    most: 1,
                    to: Some((record.word(2)?, end(to)?)),
                    waits_us,
                }
            }
            b"LMPOP" | b"BLMPOP" => {
                let popped = ManyPop::of(record, upper[0] == b'B')?;
                Self::Pop {
                    end: end(popped.side)?,
                    keys: popped.keys,
                    most: popped.most,
                    to: None,
                    waits_us: popped.waits_us,
                }
            }
            b"LRANGE" if record.word(2) == Some(b"0") && record.word(3) == Some(b"-1") => {
                Self::ReadAll { key: key()? }
            }
            b"LREM" => Self::Remove {
                key: key()?,
                count: number(record.word(2)?)?,
                value: record.word(3)?,
            },
            b"LTRIM" => Self::Trim {
                key: key()?,
                first: number(record.word(2)?)?,
                last: number(record.word(3)?)?,
            },
            b"DEL" | b"UNLINK" => Self::Delete {
                keys: record.words(1).collect(),
            },
            b"RENAME" | b"RENAMENX" if record.len() > 2 => Self::Rename { from: key()? },
            b"PEXPIRE" | b"EXPIRE" | b"PEXPIREAT" | b"EXPIREAT" => {
                let time: i64 = number(record.word(2)?)?;
                let is_ms = upper[0] == b'P';
                let ms = if is_ms {
                    time
                } else {
                    time.saturating_mul(1_000)
                };
                let is_moment = upper.ends_with(b"AT");
                Self::Expire {
                    key: key()?,
                    expiry: if is_moment {
                        CommandExpiry::At(ms)
                    } else {
                        CommandExpiry::After(ms)
                    },
                }
            }
            b"PERSIST" => Self::Expire {
                key: key()?,
                expiry: CommandExpiry::Never,
            },
            b"FLUSHDB" => Self::Flush { is_all: false },
            b"FLUSHALL" => Self::Flush { is_all: true },
            b"PUBLISH" | b"SPUBLISH" => Self::Publish {
                channel: key()?,
                message: record.word(2)?,
            },
            b"SUBSCRIBE" | b"SSUBSCRIBE" => Self::Subscribe {
                channels: record.words(1).collect(),
            },
            b"EVAL" | b"EVALSHA" | b"FCALL" => Self::Script { script: key()? },
            _ => return None,
        })
    }

    /// The keys (and channels) that it names.
    pub fn keys(&self) -> impl Iterator<Item = &'a [u8]> {
        let (one, many): (Option<&'a [u8]>, &[&'a [u8]]) = match self {
            Self::Pop { keys, to, .. } => (to.map(|(to, _)| to), keys),
            Self::Add { key, .. }
            | Self::Take { key, .. }
            | Self::TakeRange { key, .. }
            | Self::TakeRanks { key, .. }
            | Self::AskDue { key, .. }
            | Self::AskHead { key }
            | Self::ReadAll { key }
            | Self::Push { key, .. }
            | Self::Remove { key, .. }
            | Self::Trim { key, .. }
            | Self::Expire { key, .. }
            | Self::Rename { from: key }
            | Self::Publish { channel: key, .. } => (Some(*key), &[]),
            Self::TakeEnd { keys, .. }
            | Self::Delete { keys }
            | Self::Subscribe { channels: keys } => (None, keys),
            Self::Flush { .. } | Self::Script { .. } => (None, &[]),
        };
        one.into_iter().chain(many.iter().copied())
    }
}

/// The words of `LMPOP`, `ZMPOP` and their waiting kin.
struct ManyPop<'a> {
    keys: Vec<&'a [u8]>,
    side: &'a [u8],
    most: usize,
    waits_us: Option<i64>,
}

impl<'a> ManyPop<'a> {
    fn of(record: &'a Record, waits: bool) -> Option<Self> {
        let at = 1 + usize::from(waits);
        let count: usize = number(record.word(at)?)?;
        let side = at.checked_add(count)?.checked_add(1)?;
        let waits_us = if waits {
            Some(span_us(record.word(1)?)?)
        } else {
            None
        };
        Some(Self {
            keys: record.words(at + 1).take(count).collect(),
            side: record.word(side)?,
            most: record.word(side + 2).map_or(Some(1), number)?,
            waits_us,
        })
    }
}

fn add(record: &Record) -> Option<TracedCommand<'_>> {
    let mut rule = AddRule::default();
    let mut options = 0;
    for word in record.words(2) {
        match word.to_ascii_uppercase().as_slice() {
            b"NX" => rule.presence = Presence::New,
            b"XX" => rule.presence = Presence::Old,
            b"GT" => rule.change = ScoreChange::Higher,
            b"LT" => rule.change = ScoreChange::Lower,
            b"INCR" => rule.is_increment = true,
            b"CH" => {}
            _ => break,
        }
        options += 1;
    }
    let words: Vec<&[u8]> = record.words(2 + options).collect();
    let pairs = words.chunks_exact(2);
    // One word too many: the log was cut between words.
    if !pairs.remainder().is_empty() {
        return None;
    }
    let members = pairs.map(|pair| Some((score(pair[0])?, pair[1])));
    Some(TracedCommand::Add {
        key: record.word(1)?,
        members: members.collect::<Option<_>>()?,
        rule,
    })
}

fn push(record: &Record, end: ListEnd) -> Option<TracedCommand<'_>> {
    Some(TracedCommand::Push {
        key: record.word(1)?,
        end,
        values: record.words(2).collect(),
    })
}

fn end(word: &[u8]) -> Option<ListEnd> {
    match word.first()?.to_ascii_uppercase() {
        b'L' => Some(ListEnd::Left),
        b'R' => Some(ListEnd::Right),
        _ => None,
    }
}

/// The end of a sorted set that `MIN` or `MAX` names.
fn end_of_set(word: &[u8]) -> Option<ListEnd> {
    match word.get(..3)? {
        b"MIN" => Some(ListEnd::Left),
        b"MAX" => Some(ListEnd::Right),
        _ => None,
    }
}

fn number<T: std::str::FromStr>(word: &[u8]) -> Option<T> {
    str::from_utf8(word).ok()?.parse().ok()
}

fn score(word: &[u8]) -> Option<f64> {
    number::<f64>(word).filter(|score| !score.is_nan())
}

/// A bound of scores, and whether it is left out.
fn bound(word: &[u8]) -> Option<(f64, bool)> {
    match word.strip_prefix(b"(") {
        Some(open) => Some((score(open)?, true)),
        None => Some((score(word)?, false)),
    }
}

/// A span in seconds, fractions allowed, in µs.
fn span_us(word: &[u8]) -> Option<i64> {
    let seconds: f64 = number(word)?;
    #[expect(
        clippy::cast_possible_truncation,
        reason = "saturates; a bound in time"
    )]
    (seconds >= 0.0).then_some((seconds * 1e6) as i64)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn record(words: &[&[u8]]) -> Record {
        let mut record = Record::default();
        for word in words {
            record.push(word);
            record.end_word();
        }
        record
    }

    fn of(line: &str, check: impl Fn(Option<TracedCommand<'_>>)) {
        let words: Vec<&[u8]> = line.split(' ').map(str::as_bytes).collect();
        check(TracedCommand::of(&record(&words)));
    }

    #[test]
    fn members_stand_behind_the_options_of_zadd() {
        let rule = AddRule::default();
        let new = AddRule {
            presence: Presence::New,
            ..rule
        };
        let later = AddRule {
            presence: Presence::Old,
            change: ScoreChange::Higher,
            ..rule
        };
        for (line, rule) in [
            ("zadd z 1.5 a 2 b", rule),
            ("ZADD z NX ch 1.5 a 2 b", new),
            ("ZADD z XX GT 1.5 a 2 b", later),
        ] {
            of(line, |command| {
                let members = vec![(1.5, &b"a"[..]), (2.0, b"b")];
                let key = &b"z"[..];
                let expected = TracedCommand::Add { key, members, rule };
                assert_eq!(command, Some(expected));
            });
        }
        for more in ["ZADD z LT INCR 1.5 a", "ZINCRBY z 1.5 a"] {
            of(more, |command| {
                let is_more =
                    matches!(command, Some(TracedCommand::Add { rule, .. }) if rule.is_increment);
                assert!(is_more, "{more}");
            });
        }
        for cut in ["ZADD z 1", "ZADD z 1 a 2", "ZADD z x a"] {
            of(cut, |command| assert_eq!(command, None, "{cut}"));
        }
    }

    #[test]
    fn every_way_to_take_an_element_is_a_pop() {
        for (line, keys, end, most, waits_us) in [
            ("LPOP q", 1, ListEnd::Left, 1, None),
            ("rpop q 5", 1, ListEnd::Right, 5, None),
            ("BLPOP q r 1.5", 2, ListEnd::Left, 1, Some(1_500_000)),
            ("BRPOP q 0", 1, ListEnd::Right, 1, Some(0)),
            ("RPOPLPUSH q to", 1, ListEnd::Right, 1, None),
            ("BRPOPLPUSH q to 2", 1, ListEnd::Right, 1, Some(2_000_000)),
            ("LMOVE q to LEFT RIGHT", 1, ListEnd::Left, 1, None),
            (
                "BLMOVE q to right left 2",
                1,
                ListEnd::Right,
                1,
                Some(2_000_000),
            ),
            ("LMPOP 2 q r LEFT COUNT 7", 2, ListEnd::Left, 7, None),
            ("BLMPOP 0 1 q RIGHT", 1, ListEnd::Right, 1, Some(0)),
        ] {
            of(line, |command| {
                let keys = [&b"q"[..], b"r"][..keys].to_vec();
                let Some(TracedCommand::Pop { to, .. }) = command else {
                    panic!("{line}");
                };
                assert_eq!(to.is_some(), line.contains("q to"), "{line}");
                let expected = TracedCommand::Pop {
                    keys,
                    end,
                    most,
                    to,
                    waits_us,
                };
                assert_eq!(command, Some(expected), "{line}");
            });
        }
        for cut in [
            "BLPOP q",
            "BLPOP 1",
            "BRPOPLPUSH q to",
            "LMOVE q to LEFT",
            "LMPOP 2 q",
        ] {
            of(cut, |command| assert_eq!(command, None, "{cut}"));
        }
    }

    #[test]
    fn every_way_to_take_from_an_end_of_a_sorted_set_is_known() {
        for (line, keys, end, most, waits_us) in [
            ("ZPOPMIN q", 1, ListEnd::Left, 1, None),
            ("zpopmax q 5", 1, ListEnd::Right, 5, None),
            ("BZPOPMIN q r 1.5", 2, ListEnd::Left, 1, Some(1_500_000)),
            ("BZPOPMAX q 0", 1, ListEnd::Right, 1, Some(0)),
            ("ZMPOP 2 q r min COUNT 7", 2, ListEnd::Left, 7, None),
            ("BZMPOP 0 1 q MAX", 1, ListEnd::Right, 1, Some(0)),
        ] {
            of(line, |command| {
                let keys = [&b"q"[..], b"r"][..keys].to_vec();
                let expected = TracedCommand::TakeEnd {
                    keys,
                    end,
                    most,
                    waits_us,
                };
                assert_eq!(command, Some(expected), "{line}");
            });
        }
        for cut in ["BZPOPMIN q", "ZMPOP 2 q", "BZMPOP 0 1 q", "ZMPOP 1 q LEFT"] {
            of(cut, |command| assert_eq!(command, None, "{cut}"));
        }
    }

    #[test]
    fn a_range_has_its_bounds_unless_they_are_left_out() {
        of("ZREMRANGEBYSCORE z -inf (5", |command| {
            let Some(TracedCommand::TakeRange { scores, .. }) = command else {
                panic!("{command:?}");
            };
            assert!(scores.has(-1e18) && scores.has(4.9));
            assert!(!scores.has(5.0) && !scores.has(6.0));
        });
    }

    proptest! {
        #[test]
        fn no_words_panic(
            name in "(B?L|R)(POP|PUSH|MOVE|MPOP|POPLPUSH)|B?Z(POPMIN|POPMAX|MPOP)|ZADD|ZINCRBY|ZREMRANGEBYSCORE|P?EXPIRE(AT)?|.{0,20}",
            words: Vec<Vec<u8>>,
            number in "-?[0-9]{0,20}",
        ) {
            let number = number.as_bytes();
            let name = name.as_bytes();
            let words: Vec<&[u8]> = [name, number, number].into_iter().chain(words.iter().map(Vec::as_slice)).collect();
            let record = record(&words);
            let _ = TracedCommand::of(&record).map(|command| command.keys().count());
        }
    }
}
