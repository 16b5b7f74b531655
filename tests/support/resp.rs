//! Where one value of the Redis protocol ends and the next begins.

/// The length of the first value of `bytes`; none while it is not whole.
pub fn whole(bytes: &[u8]) -> Option<usize> {
    let line = bytes.windows(2).position(|two| two == b"\r\n")? + 2;
    let count = || -> i64 { text(&bytes[1..line - 2]).parse().unwrap_or(0) };
    match bytes[0] {
        b'$' | b'=' | b'!' => {
            let end = usize::try_from(count()).map_or(line, |length| line + length + 2);
            (bytes.len() >= end).then_some(end)
        }
        b'*' | b'~' | b'>' => values(bytes, line, count()),
        b'%' => values(bytes, line, 2 * count()),
        _ => Some(line),
    }
}

fn values(bytes: &[u8], mut at: usize, count: i64) -> Option<usize> {
    for _ in 0..count {
        at += whole(&bytes[at..])?;
    }
    Some(at)
}

/// Whether a value is an answer, rather than a message that nobody asked for.
pub fn is_answer(value: &[u8]) -> bool {
    value[0] != b'>'
}

/// Whether a request's command begins like this.
pub fn is(request: &[u8], command: &[u8]) -> bool {
    // An array, then its first word.
    let words = request.splitn(5, |byte| *byte == b'\n').nth(2);
    words.is_some_and(|word| word.starts_with(command))
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap_or_default()
}

#[test]
fn values_are_told_apart_wherever_they_are_cut() {
    let all: [&[u8]; 8] = [
        b"+OK\r\n",
        b":1\r\n",
        b"$-1\r\n",
        b"$4\r\na\r\nb\r\n",
        b"*2\r\n$1\r\na\r\n*1\r\n:5\r\n",
        b"*-1\r\n",
        b"%1\r\n+a\r\n,1.5\r\n",
        b">2\r\n+a\r\n+b\r\n",
    ];
    for value in all {
        for end in 0..value.len() {
            assert_eq!(whole(&value[..end]), None, "{}", text(&value[..end]));
        }
        assert_eq!(whole(&[value, b"+more\r\n"].concat()), Some(value.len()));
    }
    assert!(is(
        b"*3\r\n$7\r\nEVALSHA\r\n$1\r\nx\r\n$1\r\n0\r\n",
        b"EVAL"
    ));
    assert!(!is(b"*1\r\n$4\r\nTIME\r\n", b"EVAL"));
}
