//! Rust source as the architecture test sees it: code without comments and literals, and the
//! paths that are named in it.

/// The code alone: comments and the insides of literals become spaces; line ends stay.
pub(crate) fn code(source: &str) -> String {
    let chars: Vec<char> = source.chars().collect();
    let mut out = String::with_capacity(source.len());
    let mut at = 0;
    while at < chars.len() {
        let end = skip(&chars, at);
        if end == at {
            out.push(chars[at]);
            at += 1;
        } else {
            out.extend(
                chars[at..end]
                    .iter()
                    .map(|c| if *c == '\n' { '\n' } else { ' ' }),
            );
            at = end;
        }
    }
    out
}

/// The strings of the code as a reader of the screen sees them, each with its line (from 1): escaped
/// quotes are quotes, and a line that goes on is one line. Raw strings are left out.
pub(crate) fn literals(source: &str) -> Vec<(usize, String)> {
    let chars: Vec<char> = source.chars().collect();
    let (mut found, mut at, mut line) = (Vec::new(), 0, 1);
    while at < chars.len() {
        let end = skip(&chars, at).max(at + 1);
        if chars[at] == '"' {
            let inside: String = chars[at + 1..end - 1].iter().collect();
            found.push((line, unescaped(&inside)));
        }
        line += chars[at..end].iter().filter(|c| **c == '\n').count();
        at = end;
    }
    found
}

fn unescaped(literal: &str) -> String {
    let mut out = String::with_capacity(literal.len());
    let mut chars = literal.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('\\', Some('\n')) => while chars.next_if(|c| c.is_whitespace()).is_some() {},
            ('\\', Some(_)) => out.extend(chars.next()),
            _ => out.push(c),
        }
    }
    out
}

/// Where the comment or literal that begins at `at` ends; `at` itself when none does.
fn skip(chars: &[char], at: usize) -> usize {
    let next = |i: usize| chars.get(i).copied().unwrap_or('\0');
    match (chars[at], next(at + 1)) {
        ('/', '/') => find(chars, at, |i| next(i) == '\n'),
        ('/', '*') => block_comment(chars, at),
        ('"', _) => string(chars, at + 1),
        ('r', '"' | '#') if at == 0 || !is_word(next(at - 1)) || next(at - 1) == 'b' => {
            raw_string(chars, at + 1).unwrap_or(at)
        }
        // A character; what lacks the second quote is a lifetime.
        ('\'', '\\') => find(chars, at + 3, |i| next(i) == '\'') + 1,
        ('\'', _) if next(at + 2) == '\'' => at + 3,
        _ => at,
    }
    .min(chars.len())
}

fn find(chars: &[char], from: usize, is_end: impl Fn(usize) -> bool) -> usize {
    (from..chars.len())
        .find(|i| is_end(*i))
        .unwrap_or(chars.len())
}

fn block_comment(chars: &[char], mut at: usize) -> usize {
    let mut depth = 0;
    while at < chars.len() {
        match (chars[at], chars.get(at + 1)) {
            ('/', Some('*')) => depth += 1,
            ('*', Some('/')) => depth -= 1,
            _ => {
                at += 1;
                continue;
            }
        }
        at += 2;
        if depth == 0 {
            break;
        }
    }
    at
}

fn string(chars: &[char], mut at: usize) -> usize {
    while at < chars.len() && chars[at] != '"' {
        at += if chars[at] == '\\' { 2 } else { 1 };
    }
    at + 1
}

fn raw_string(chars: &[char], from: usize) -> Option<usize> {
    let open = find(chars, from, |i| chars[i] != '#');
    if chars.get(open) != Some(&'"') {
        return None;
    }
    let hashes = open - from;
    let closes = |i: usize| {
        chars[i] == '"'
            && chars[i + 1..]
                .iter()
                .take(hashes)
                .filter(|c| **c == '#')
                .count()
                == hashes
    };
    Some(find(chars, open + 1, closes) + 1 + hashes)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// A path in the code and the line it stands on (from 1): `["crate", "queue", "Entry"]`.
pub(crate) type Path = (usize, Vec<String>);

/// All paths of two segments and more, groups (`a::{b, c::d}`) taken apart.
pub(crate) fn paths(code: &str) -> Vec<Path> {
    let mut found = Vec::new();
    for (start, token) in tokens(code) {
        let before = code[..start].trim_end();
        if before.ends_with("::") {
            continue;
        }
        let mut rest = &code[start + token.len()..];
        let mut ends = Vec::new();
        tails(&mut rest, vec![token.to_owned()], &mut ends);
        let line = code[..start].matches('\n').count() + 1;
        found.extend(
            ends.into_iter()
                .filter(|path| path.len() > 1)
                .map(|path| (line, path)),
        );
    }
    found
}

fn tokens(code: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut start = None;
    for (i, c) in code.char_indices().chain([(code.len(), ' ')]) {
        match (is_word(c), start) {
            (true, None) => start = Some(i),
            (false, Some(from)) => {
                found.push((from, &code[from..i]));
                start = None;
            }
            _ => {}
        }
    }
    found
}

/// Follows a path from behind its first segments to each of its ends.
fn tails(rest: &mut &str, path: Vec<String>, ends: &mut Vec<Vec<String>>) {
    let Some(after) = rest.trim_start().strip_prefix("::") else {
        ends.push(path);
        return;
    };
    let after = after.trim_start();
    if let Some(mut inside) = after.strip_prefix('{') {
        loop {
            inside = inside.trim_start_matches(|c: char| c.is_whitespace() || c == ',');
            if inside.is_empty() || inside.starts_with('}') {
                *rest = inside.strip_prefix('}').unwrap_or(inside);
                return;
            }
            let name = word(inside);
            let behind = &inside[name.len().max(1)..];
            inside = behind;
            let longer = [path.clone(), vec![name.to_owned()]].concat();
            tails(&mut inside, longer, ends);
            // `as Other`
            inside = inside.trim_start_matches(|c: char| c != ',' && c != '}');
        }
    }
    let name = word(after);
    if name.is_empty() {
        ends.push(path);
        *rest = after;
        return;
    }
    *rest = &after[name.len()..];
    tails(rest, [path, vec![name.to_owned()]].concat(), ends);
}

fn word(text: &str) -> &str {
    &text[..text.find(|c| !is_word(c)).unwrap_or(text.len())]
}
