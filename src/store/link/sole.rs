//! A connection that one request at a time has for itself, for answers of many thousand values: the
//! library needs twice the time to read them.

use std::io;
use std::ops::{Index, Range};

use redis::{Pipeline, RedisResult, Value};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};

use super::exchange::Exchange;

/// Bytes that there is room for before more are read.
const ROOM: usize = 64 << 10;
/// Lists in lists, at most.
const NESTED: usize = 32;

/// A connection that several requests do not share. One whose answers were not all read is of no use
/// any more.
pub(in crate::store) struct SoleWire<S> {
    stream: S,
    answers: Answers,
    /// The server owes nothing.
    is_at_rest: bool,
}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> SoleWire<S> {
    pub(super) fn new(stream: S) -> Self {
        Self {
            stream,
            answers: Answers::default(),
            is_at_rest: true,
        }
    }

    /// Sends a request and takes its raw answers, errors in their places.
    pub(in crate::store) async fn ask(&mut self, pipeline: &Pipeline) -> io::Result<Vec<Answer>> {
        if !std::mem::replace(&mut self.is_at_rest, false) {
            return Err(io::ErrorKind::NotConnected.into());
        }
        let request = pipeline.get_packed_pipeline();
        // Both at once: what stands between may take no more before its answers are taken.
        let (mut from, mut to) = tokio::io::split(&mut self.stream);
        let writing = async {
            to.write_all(&request).await?;
            to.flush().await
        };
        let reading = self.answers.read(&mut from, pipeline.len());
        let ((), answers) = tokio::try_join!(writing, reading)?;
        self.is_at_rest = true;
        Ok(answers)
    }
}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Exchange for SoleWire<S> {
    async fn exchange(&mut self, pipeline: &Pipeline) -> RedisResult<Vec<Value>> {
        let answers = self.ask(pipeline).await?.into_iter();
        Ok(answers.map(Answer::into_value).collect())
    }
}

/// An answer.
#[derive(Debug, PartialEq)]
pub(in crate::store) enum Answer {
    /// A list of strings and of nothing else.
    Strings(StringList),
    /// Anything else.
    Value(Value),
}

impl Answer {
    /// The strings; none: it is no list of strings.
    pub(in crate::store) fn strings(self) -> Option<StringList> {
        match self {
            Self::Strings(strings) => Some(strings),
            Self::Value(Value::Array(none)) if none.is_empty() => Some(StringList::default()),
            Self::Value(_) => None,
        }
    }

    /// The value; none: it is a list of strings.
    pub(in crate::store) const fn value(&self) -> Option<&Value> {
        match self {
            Self::Strings(_) => None,
            Self::Value(value) => Some(value),
        }
    }

    /// The same as the library would have read it.
    pub(in crate::store) fn into_value(self) -> Value {
        match self {
            Self::Strings(strings) => Value::Array(strings.values()),
            Self::Value(value) => value,
        }
    }
}

/// Strings that lie one behind the other: to make each of thousands a piece of memory of its own
/// takes as long as to read it.
#[derive(Debug, Default, PartialEq)]
pub(in crate::store) struct StringList {
    bytes: Vec<u8>,
    /// Where each ends in `bytes`.
    ends: Vec<usize>,
}

impl StringList {
    fn push(&mut self, string: &[u8]) {
        self.bytes.extend_from_slice(string);
        self.ends.push(self.bytes.len());
    }

    fn values(&self) -> Vec<Value> {
        let strings = self.iter().map(<[u8]>::to_vec);
        strings.map(Value::BulkString).collect()
    }

    /// All of them.
    pub(in crate::store) fn iter(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        (0..self.len()).map(|place| &self[place])
    }

    /// The number of them.
    pub(in crate::store) const fn len(&self) -> usize {
        self.ends.len()
    }

    /// The bytes of all of them.
    pub(in crate::store) const fn bytes(&self) -> usize {
        self.bytes.len()
    }
}

impl<'a> FromIterator<&'a [u8]> for StringList {
    fn from_iter<I: IntoIterator<Item = &'a [u8]>>(strings: I) -> Self {
        let mut list = Self::default();
        for string in strings {
            list.push(string);
        }
        list
    }
}

impl Index<usize> for StringList {
    type Output = [u8];

    fn index(&self, place: usize) -> &[u8] {
        let begin = place.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[begin..self.ends[place]]
    }
}

/// Bytes of RESP2 that come piece by piece, and the values that they are. What is one line is read by
/// the library, but for numbers.
#[derive(Default)]
struct Answers {
    bytes: Vec<u8>,
    /// Where in `bytes` the next item begins.
    at: usize,
    /// The lists that are not complete, the outermost first: what each lacks, and what it has.
    open: Vec<(usize, Vec<Value>)>,
    /// The list that is an answer, as long as it has nothing but strings: how many it lacks, and
    /// those that it has.
    strings: Option<(usize, StringList)>,
}

/// An item of an answer.
enum AnswerItem {
    /// A value.
    Value(Value),
    /// A string: where its bytes are.
    String(Range<usize>),
    /// The beginning of a list of so many.
    List(usize),
}

impl Answers {
    /// Reads so many answers.
    async fn read(
        &mut self,
        from: &mut (impl AsyncRead + Unpin + Send),
        count: usize,
    ) -> io::Result<Vec<Answer>> {
        let mut answers = Vec::with_capacity(count);
        while answers.len() < count {
            if let Some(answer) = self.next()? {
                answers.push(answer);
                continue;
            }
            self.bytes.drain(..self.at);
            self.at = 0;
            self.bytes.reserve(ROOM);
            if from.read_buf(&mut self.bytes).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        Ok(answers)
    }

    /// Takes the next answer out; none: not all of it has come.
    fn next(&mut self) -> io::Result<Option<Answer>> {
        while let Some(item) = self.item()? {
            if let Some((lacks, mut strings)) = self.strings.take() {
                if let AnswerItem::String(place) = &item {
                    strings.push(&self.bytes[place.clone()]);
                    if lacks == 1 {
                        return Ok(Some(Answer::Strings(strings)));
                    }
                    self.strings = Some((lacks - 1, strings));
                    continue;
                }
                // It has something else.
                self.open.push((lacks, strings.values()));
            }
            let mut value = match item {
                AnswerItem::Value(value) => value,
                AnswerItem::String(place) => Value::BulkString(self.bytes[place].to_vec()),
                AnswerItem::List(_) if self.open.len() >= NESTED => return Err(strange()),
                AnswerItem::List(count) if self.open.is_empty() => {
                    self.strings = Some((count, StringList::default()));
                    continue;
                }
                AnswerItem::List(count) => {
                    // No more room than what has come can fill.
                    let room = count.min((self.bytes.len() - self.at) / b":0\r\n".len());
                    self.open.push((count, Vec::with_capacity(room)));
                    continue;
                }
            };
            loop {
                let Some((lacks, mut values)) = self.open.pop() else {
                    return Ok(Some(Answer::Value(value)));
                };
                values.push(value);
                if lacks > 1 {
                    self.open.push((lacks - 1, values));
                    break;
                }
                value = Value::Array(values);
            }
        }
        Ok(None)
    }

    fn item(&mut self) -> io::Result<Option<AnswerItem>> {
        let rest = &self.bytes[self.at..];
        let Some(end) = rest.iter().position(|byte| *byte == b'\n') else {
            return Ok(None);
        };
        let (line, mut taken) = (&rest[..=end], end + 1);
        let item = match line[0] {
            b':' => AnswerItem::Value(Value::Int(number(line)?)),
            b'$' => match length(line)? {
                None => AnswerItem::Value(Value::Nil),
                Some(length) => {
                    let end = taken.checked_add(length).ok_or_else(strange)?;
                    let Some(last) = rest.get(end..).and_then(|rest| rest.get(..2)) else {
                        return Ok(None);
                    };
                    if last != b"\r\n" {
                        return Err(strange());
                    }
                    let place = self.at + taken..self.at + end;
                    taken = end + last.len();
                    AnswerItem::String(place)
                }
            },
            b'*' => match length(line)? {
                None => AnswerItem::Value(Value::Nil),
                Some(0) => AnswerItem::Value(Value::Array(Vec::new())),
                Some(count) => AnswerItem::List(count),
            },
            _ => AnswerItem::Value(redis::parse_redis_value(line).map_err(io::Error::other)?),
        };
        self.at += taken;
        Ok(Some(item))
    }
}

/// The number behind the mark of a line.
fn number(line: &[u8]) -> io::Result<i64> {
    let digits = line.strip_suffix(b"\r\n").and_then(|line| line.get(1..));
    let text = digits.and_then(|digits| std::str::from_utf8(digits).ok());
    text.and_then(|text| text.parse().ok()).ok_or_else(strange)
}

/// The same where it is a length; none: nothing is there at all.
fn length(line: &[u8]) -> io::Result<Option<usize>> {
    match number(line)? {
        -1 => Ok(None),
        length => usize::try_from(length).map(Some).map_err(|_| strange()),
    }
}

fn strange() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "this is no answer of Redis")
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANSWERS: [&[u8]; 14] = [
        b"+OK\r\n",
        b"+QUEUED\r\n",
        b"-NOPERM this user has no permissions\r\n",
        b"-ERR\r\n",
        b":0\r\n",
        b":-9223372036854775808\r\n",
        b"$-1\r\n",
        b"$0\r\n\r\n",
        b"$9\r\n\r\n$3\r\n\n\x00\xff\r\n",
        b"*-1\r\n",
        b"*0\r\n",
        b"*3\r\n*2\r\n$10\r\n1700000000\r\n$1\r\n7\r\n*3\r\n:0\r\n:2\r\n+zset\r\n*0\r\n",
        b"*3\r\n$1\r\na\r\n-BUSY somebody's script\r\n*1\r\n*1\r\n$-1\r\n",
        b"*2\r\n*-1\r\n*1\r\n*0\r\n",
    ];

    fn library(bytes: &[u8]) -> Value {
        redis::parse_redis_value(bytes).unwrap()
    }

    #[tokio::test]
    async fn answers_that_come_in_pieces_are_what_the_library_reads() {
        let expected: Vec<Value> = ANSWERS.into_iter().map(library).collect();
        let all = ANSWERS.concat();
        for size in 1..=all.len() {
            let mut answers = Answers::default();
            let mut read = Vec::new();
            for piece in all.chunks(size) {
                answers.bytes.extend_from_slice(piece);
                while let Some(answer) = answers.next().unwrap() {
                    read.push(answer.into_value());
                }
            }
            assert_eq!(read, expected, "in pieces of {size}");
            assert_eq!(answers.at, all.len());
        }
        let read = Answers::default().read(&mut &all[..], ANSWERS.len()).await;
        let read = read.unwrap().into_iter().map(Answer::into_value);
        assert_eq!(read.collect::<Vec<_>>(), expected);
    }

    #[tokio::test]
    async fn a_list_of_strings_is_told_as_such_and_no_other_list_is() {
        let answers = b"*3\r\n$2\r\nab\r\n$0\r\n\r\n$1\r\n\n\r\n*0\r\n*2\r\n$1\r\na\r\n$-1\r\n*1\r\n*1\r\n$1\r\na\r\n";
        let read = Answers::default().read(&mut &answers[..], 4).await;
        let read = read.unwrap().into_iter().map(Answer::strings);
        let [strings, none, nil, nested] = read.collect::<Vec<_>>().try_into().unwrap();
        let strings = strings.unwrap();
        assert_eq!(strings.iter().collect::<Vec<_>>(), [&b"ab"[..], b"", b"\n"]);
        assert_eq!((strings.len(), strings.bytes()), (3, 3));
        assert_eq!(none.unwrap().len(), 0);
        assert_eq!((nil, nested), (None, None));
    }

    #[tokio::test]
    async fn what_ends_in_the_middle_or_is_no_answer_is_an_error() {
        let deep = b"*1\r\n".repeat(1_000_000);
        let wrong: [&[u8]; 10] = [
            b"$x\r\n",
            b"$-2\r\n",
            b"*-2\r\n",
            b":\r\n",
            b":1\n",
            b"\n",
            b"HTTP/1.1 400 Bad Request\r\n",
            b"$1\r\nabc\r\n",
            b"$18446744073709551615\r\n",
            &deep,
        ];
        for bytes in wrong {
            let read = Answers::default().read(&mut &bytes[..], 1).await;
            assert_ne!(read.unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
        }
        let all = ANSWERS.concat();
        for end in 0..all.len() {
            let read = Answers::default()
                .read(&mut &all[..end], ANSWERS.len())
                .await;
            assert_eq!(read.unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
        }
        // It takes no room for what it only says that it has.
        let much = b"*9223372036854775807\r\n$1\r\na\r\n";
        let read = Answers::default().read(&mut &much[..], 1).await;
        assert_eq!(read.unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
    }
}
