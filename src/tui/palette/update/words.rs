//! A queue's name as it is typed: as it is, or in quotes when it could not be read back.

use crate::queue::{Queue, redis_cli, text};

/// The bytes that were typed: `"…"` with the escapes of redis-cli, `'…'`, or what stands there.
pub(crate) fn unquoted(typed: &str) -> Result<Vec<u8>, String> {
    let inner = |quote| {
        let rest = typed.strip_prefix(quote)?;
        Some(rest.strip_suffix(quote).filter(|_| typed.len() > 1))
    };
    match (inner('"'), inner('\'')) {
        (Some(Some(escaped)), _) => unescaped(escaped),
        (_, Some(Some(plain))) => Ok(plain.as_bytes().to_vec()),
        (None, None) => Ok(typed.as_bytes().to_vec()),
        _ => Err("the quote has no end".to_owned()),
    }
}

fn unescaped(typed: &str) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let mut rest = typed.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        let escape = rest.next();
        bytes.push(match escape {
            Some(b'n') => b'\n',
            Some(b'r') => b'\r',
            Some(b't') => b'\t',
            Some(b'x') => {
                let digits = [rest.next(), rest.next()].map(Option::unwrap_or_default);
                let digits = std::str::from_utf8(&digits).unwrap_or_default();
                u8::from_str_radix(digits, 16).map_err(|_| "\\x wants two hex digits".to_owned())?
            }
            Some(other @ (b'"' | b'\\' | b'\'')) => other,
            _ => return Err("a \\ escapes n, r, t, x and quotes".to_owned()),
        });
    }
    Ok(bytes)
}

/// A queue as [`Queue::typed`] reads it, once [`unquoted`].
pub(crate) fn spelled(queue: &Queue) -> String {
    let bytes = queue.spec();
    match std::str::from_utf8(&bytes) {
        Ok(plain) if is_plain(plain) => plain.to_owned(),
        _ => redis_cli::command(&[&bytes]),
    }
}

fn is_plain(name: &str) -> bool {
    let shown = text::printable(name) == name;
    shown && name.trim() == name && !name.is_empty() && !name.starts_with(['"', '\''])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_name_with_blanks_or_quotes_is_typed_as_it_is() {
        for name in ["a  b", "it's", "say \"hi\"", "订单"] {
            let queue = Queue::redisson(name);
            assert_eq!(spelled(&queue), name);
            assert_eq!(unquoted(name), Ok(name.as_bytes().to_vec()));
        }
        assert_eq!(spelled(&Queue::redisson(" a")), "\" a\"");
        assert_eq!(unquoted("' a'"), Ok(b" a".to_vec()));
    }

    #[test]
    fn a_name_that_begins_like_the_keys_of_another_layout_says_that_it_does_not() {
        let queue = Queue::redisson("zset-list:x");
        assert_eq!(spelled(&queue), "redisson:zset-list:x");
        assert_eq!(Queue::typed(spelled(&queue).as_bytes()), Ok(queue));
    }

    #[test]
    fn a_quote_without_an_end_is_told() {
        for typed in ["\"a", "'", "\"a\\\"", "\"\\x4\"", "\"\\q\""] {
            assert!(unquoted(typed).is_err(), "{typed}");
        }
    }

    #[test]
    fn a_plain_queue_is_spelled_with_all_that_makes_it() {
        let queue: Queue = "zset-list:delay_queue,ready_queue".parse().unwrap();
        assert_eq!(spelled(&queue), "zset-list:delay_queue,ready_queue,s,left");
    }

    proptest! {
        #[test]
        fn what_is_spelled_is_read_back(name in proptest::collection::vec(any::<u8>(), 1..20)) {
            let queue = Queue::redisson(name.clone());
            prop_assert_eq!(unquoted(&spelled(&queue)), Ok(name));
        }
    }
}
