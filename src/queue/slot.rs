//! Slots: the 16,384 shares into which a cluster divides its keys.
//! (<https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/>, "Key distribution
//! model".)

/// The number of slots of every cluster.
pub const SLOTS: u16 = 16_384;

/// The slot of a key: that of what stands between its first `{` and the next `}`, where that is
/// anything, so that keys with the same tag are at the same node.
#[must_use]
pub fn slot(key: &[u8]) -> u16 {
    crc16(tag(key)) % SLOTS
}

/// The part of a key that decides on its slot.
fn tag(key: &[u8]) -> &[u8] {
    let Some(open) = key.iter().position(|byte| *byte == b'{') else {
        return key;
    };
    let behind = &key[open + 1..];
    match behind.iter().position(|byte| *byte == b'}') {
        None | Some(0) => key,
        Some(close) => &behind[..close],
    }
}

/// CRC-16/XMODEM: polynomial 0x1021, from zero, nothing reflected.
fn crc16(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0, |crc, byte| {
        (0..8).fold(crc ^ (u16::from(*byte) << 8), |crc, _| {
            let shifted = crc << 1;
            if crc & 0x8000 == 0 {
                shifted
            } else {
                shifted ^ 0x1021
            }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_the_slot_that_redis_gives_it() {
        // As CLUSTER KEYSLOT of Redis 7.0 says.
        assert_eq!(crc16(b"123456789"), 0x31c3);
        assert_eq!(slot(b"foo"), 12_182);
        assert_eq!(slot(b"{foo}bar"), 12_182);
        assert_eq!(slot(b"redisson_delay_queue_timeout:{foo}"), 12_182);
        assert_eq!(slot(b""), 0);
    }

    #[test]
    fn an_empty_tag_and_an_open_one_are_none() {
        assert_eq!(slot(b"foo{}{bar}"), slot_of_all(b"foo{}{bar}"));
        assert_eq!(slot(b"foo{bar"), slot_of_all(b"foo{bar"));
        assert_eq!(slot(b"foo{{bar}}zap"), slot_of_all(b"{bar"));
        assert_eq!(slot(b"foo{bar}{zap}"), slot(b"bar"));
    }

    fn slot_of_all(bytes: &[u8]) -> u16 {
        crc16(bytes) % SLOTS
    }
}
