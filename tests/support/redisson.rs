//! What a Redisson client of the newer frame era sends, word for word: the scripts of 4.7.0.

use delayscope::clock::EpochMillis;
use delayscope::queue::Queue;
use redis::{Connection, RedisResult, Value};

/// `pushTask`, whose SHA-1 stands in `SCRIPT EXISTS` of every server that such a client works on.
pub const TRANSFER: &str = "local expiredValues = redis.call('zrangebyscore', KEYS[2], 0, ARGV[1], 'limit', 0, ARGV[2]); if #expiredValues > 0 then for i, v in ipairs(expiredValues) do local randomId, value = struct.unpack('Bc0Lc0', v);redis.call('rpush', KEYS[1], value);redis.call('lrem', KEYS[3], 1, v);end; redis.call('zrem', KEYS[2], unpack(expiredValues));end; local v = redis.call('zrange', KEYS[2], 0, 0, 'WITHSCORES'); if v[1] ~= nil then return v[2]; end return nil;";
/// `offer`.
pub const OFFER: &str = "local value = struct.pack('Bc0Lc0', string.len(ARGV[2]), ARGV[2], string.len(ARGV[3]), ARGV[3]);redis.call('zadd', KEYS[2], ARGV[1], value);redis.call('rpush', KEYS[3], value);local v = redis.call('zrange', KEYS[2], 0, 0); if v[1] == value then redis.call('publish', KEYS[4], ARGV[1]); end;";
/// `poll` of the delayed queue itself: the oldest offer, due or not.
const POLL: &str = "local v = redis.call('lpop', KEYS[1]); if v ~= false then redis.call('zrem', KEYS[2], v); local randomId, value = struct.unpack('Bc0Lc0', v);return value; end return nil;";
/// `remove` of one value.
const REMOVE: &str = "local s = redis.call('llen', KEYS[1]);for i = 0, s-1, 1 do local v = redis.call('lindex', KEYS[1], i);local randomId, value = struct.unpack('Bc0Lc0', v);if ARGV[1] == value then redis.call('zrem', KEYS[2], v);redis.call('lrem', KEYS[1], 1, v);return 1;end; end;return 0;";

/// A client of one queue, on a connection of its own.
pub struct Client {
    connection: Connection,
    timeouts: Vec<u8>,
    order: Vec<u8>,
    target: Vec<u8>,
    channel: Vec<u8>,
}

impl Client {
    /// Of that queue.
    pub fn new(connection: Connection, queue: &Queue) -> Self {
        let keys = queue.keys();
        Self {
            connection,
            timeouts: keys.timeouts,
            order: keys.order.expect("a Redisson queue"),
            target: keys.target,
            channel: keys.channel.expect("a Redisson queue"),
        }
    }

    /// Offers a payload under that id.
    pub fn offer(&mut self, due: EpochMillis, id: u64, payload: &[u8]) -> RedisResult<()> {
        let keys = [&self.target, &self.timeouts, &self.order, &self.channel];
        redis::cmd("EVAL")
            .arg(OFFER)
            .arg(4)
            .arg(&keys)
            .arg(due.get())
            .arg(&id.to_be_bytes())
            .arg(payload)
            .exec(&mut self.connection)
    }

    /// Transfers at most `n` entries that are due at `now`, as its timer does by its own clock.
    pub fn transfer(&mut self, now: EpochMillis, n: usize) -> RedisResult<Value> {
        let keys = [&self.target, &self.timeouts, &self.order];
        redis::cmd("EVAL")
            .arg(TRANSFER)
            .arg(3)
            .arg(&keys)
            .arg(now.get())
            .arg(n)
            .query(&mut self.connection)
    }

    /// Takes the oldest offer, due or not; its payload.
    pub fn poll(&mut self) -> RedisResult<Option<Vec<u8>>> {
        redis::cmd("EVAL")
            .arg(POLL)
            .arg(2)
            .arg(&[&self.order, &self.timeouts])
            .query(&mut self.connection)
    }

    /// Cancels one entry with that payload; whether there was one.
    pub fn remove(&mut self, payload: &[u8]) -> RedisResult<bool> {
        redis::cmd("EVAL")
            .arg(REMOVE)
            .arg(2)
            .arg(&[&self.order, &self.timeouts])
            .arg(payload)
            .query(&mut self.connection)
    }
}
