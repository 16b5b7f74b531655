//! A connection that one request at a time has for itself, for answers of many thousand values: the
//! library needs twice the time to read them.

use std::io;

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

    async fn talk(&mut self, pipeline: &Pipeline) -> io::Result<Vec<Value>> {
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
        Ok(self.talk(pipeline).await?)
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
}

/// An item of an answer: a value, or the beginning of a list of so many.
enum AnswerItem {
    Value(Value),
    List(usize),
}

impl Answers {
    /// Reads so many answers.
    async fn read(
        &mut self,
        from: &mut (impl AsyncRead + Unpin + Send),
        count: usize,
    ) -> io::Result<Vec<Value>> {
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
    fn next(&mut self) -> io::Result<Option<Value>> {
        while let Some(item) = self.item()? {
            let mut value = match item {
                AnswerItem::Value(value) => value,
                AnswerItem::List(_) if self.open.len() >= NESTED => return Err(strange()),
                AnswerItem::List(count) => {
                    // No more room than what has come can fill.
                    let room = count.min((self.bytes.len() - self.at) / b":0\r\n".len());
                    self.open.push((count, Vec::with_capacity(room)));
                    continue;
                }
            };
            loop {
                let Some((lacks, mut values)) = self.open.pop() else {
                    return Ok(Some(value));
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
                    let bytes = rest[taken..end].to_vec();
                    taken = end + last.len();
                    AnswerItem::Value(Value::BulkString(bytes))
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
                    read.push(answer);
                }
            }
            assert_eq!(read, expected, "in pieces of {size}");
            assert_eq!(answers.at, all.len());
        }
        let read = Answers::default().read(&mut &all[..], ANSWERS.len()).await;
        assert_eq!(read.unwrap(), expected);
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
