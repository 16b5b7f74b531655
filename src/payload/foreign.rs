//! Bytes that are UTF-8 and yet were written by a codec that is not read here: known well enough
//! not to call them text. Asked only about texts that hold control characters.

/// `SmileJacksonCodec`: `:)\n`, version 0, flags.
const SMILE: &[u8] = b":)\n";

/// Whether another codec explains these bytes better than text does.
pub(super) fn is_claimed(bytes: &[u8]) -> bool {
    is_smile(bytes) || is_cbor_string(bytes)
}

fn is_smile(bytes: &[u8]) -> bool {
    bytes
        .strip_prefix(SMILE)
        .and_then(<[u8]>::first)
        .is_some_and(|flags| flags & 0xf0 == 0)
}

/// A CBOR text string: its length, in the shortest form, and exactly that many bytes.
fn is_cbor_string(bytes: &[u8]) -> bool {
    match *bytes {
        [first @ 0x60..=0x77, ref rest @ ..] => usize::from(first - 0x60) == rest.len(),
        [0x78, len, ref rest @ ..] => usize::from(len) == rest.len(),
        [0x79, high, low, ref rest @ ..] => {
            usize::from(u16::from_be_bytes([high, low])) == rest.len()
        }
        [0x7a, a, b, c, d, ref rest @ ..] => {
            usize::try_from(u32::from_be_bytes([a, b, c, d])) == Ok(rest.len())
        }
        _ => false,
    }
}
