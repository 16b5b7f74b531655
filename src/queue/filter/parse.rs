//! From the text of a filter to its terms.

use std::cmp::Reverse;
use std::ops::Range;

use regex::{Regex, RegexBuilder};
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Hir, HirKind};

use super::{BadFilter, FilterMistake, Side, Term};
use crate::clock::when::TypedMoment;
use crate::payload::{Codec, MARKS, SEPARATORS, beginning};

/// No filter has more bytes.
const LONGEST: usize = 4_096;
/// No pattern has more characters, once its repetitions are written out: so many steps may each
/// byte of a text take. Size alone says nothing of that: `\w` is a thousand times as large as `a`.
const PATTERN_LONGEST: u32 = 512;
/// Nor does it take more bytes when it is compiled, and while it runs.
const PATTERN_BYTES: usize = 8 << 20;
const TABLE_BYTES: usize = 1 << 20;
/// Brackets in brackets.
const DEEPEST: u32 = 50;
/// A pattern looks at so many bytes of a text from its start: the costliest one that can be
/// written needs about 4 µs for each.
const SEARCHED: usize = 256 << 10;
/// A word in any case takes a multiple of its length.
const WORD_BYTES: usize = 8 << 20;
/// Pieces of a word that are looked for before its entry is decoded.
const PIECES: usize = 4;

/// The part of a text that patterns look at.
pub(super) fn searched(text: &str) -> &str {
    beginning(text, SEARCHED)
}

pub(super) fn terms(text: &str) -> Result<Vec<Term>, BadFilter> {
    if text.len() > LONGEST {
        return Err(FilterMistake::TooLong(LONGEST).at(0..text.len()));
    }
    let mut terms = Vec::new();
    let mut at = 0;
    while let Some(space) = text[at..].find(|c: char| !c.is_whitespace()) {
        at += space;
        let (term, end) = term(text, at)?;
        terms.push(term);
        at = end;
    }
    Ok(terms)
}

/// The term that begins at byte `at`, and where it ends.
fn term(text: &str, at: usize) -> Result<(Term, usize), BadFilter> {
    let rest = &text[at..];
    if rest.starts_with('"') {
        return quoted(text, at);
    }
    if rest.starts_with("re:") {
        return pattern(text, at);
    }
    let end = at + rest.find(char::is_whitespace).unwrap_or(rest.len());
    let typed = &text[at..end];
    let wrong = |wrong: FilterMistake| wrong.at(at..end);
    let term = if typed == "late" {
        Term::Late
    } else if let Some(id) = typed.strip_prefix("id:") {
        Term::Id(id_start(id).map_err(wrong)?)
    } else if let Some(codec) = typed.strip_prefix("codec:") {
        Term::Codec(codec_start(codec).map_err(wrong)?)
    } else if let Some(due) = typed.strip_prefix("due")
        && due.starts_with(['<', '>', '=', ':'])
    {
        due_term(due).map_err(wrong)?
    } else {
        word(typed, at..end)?
    };
    Ok((term, end))
}

/// `"two words"`, with `\"` and `\\` inside.
fn quoted(text: &str, at: usize) -> Result<(Term, usize), BadFilter> {
    let mut inside = String::new();
    let mut chars = text[at + 1..].char_indices();
    let end = loop {
        match chars.next() {
            None => return Err(FilterMistake::QuoteOpen.at(at..text.len())),
            Some((i, '"')) => break at + 1 + i + 1,
            Some((_, '\\')) => match chars.next() {
                Some((_, c @ ('"' | '\\'))) => inside.push(c),
                Some((_, c)) => inside.extend(['\\', c]),
                None => inside.push('\\'),
            },
            Some((_, c)) => inside.push(c),
        }
    };
    if text[end..].starts_with(|c: char| !c.is_whitespace()) {
        return Err(FilterMistake::AfterQuote.at(at..end));
    }
    if inside.is_empty() {
        return Err(FilterMistake::QuoteEmpty.at(at..end));
    }
    Ok((word(&inside, at..end)?, end))
}

/// `re:/…/` or `re:/…/i`, with `\/` for a slash inside.
fn pattern(text: &str, at: usize) -> Result<(Term, usize), BadFilter> {
    let rest = &text[at + "re:".len()..];
    let stop = |rest: &str| rest.find(char::is_whitespace).unwrap_or(rest.len());
    let Some(rest) = rest.strip_prefix('/') else {
        return Err(FilterMistake::NoPattern.at(at..at + "re:".len() + stop(rest)));
    };
    let start = at + "re:/".len();
    let mut typed = String::new();
    let mut escaped = false;
    let mut close = None;
    for (i, c) in rest.char_indices() {
        match c {
            '/' if !escaped => {
                close = Some(start + i);
                break;
            }
            // The expression itself knows no slash to be escaped, but takes it.
            _ => typed.push(c),
        }
        escaped = c == '\\' && !escaped;
    }
    let Some(close) = close else {
        return Err(FilterMistake::PatternOpen.at(at..text.len()));
    };
    let end = close + 1 + stop(&text[close + 1..]);
    let any_case = match &text[close + 1..end] {
        "" => false,
        "i" => true,
        _ => return Err(FilterMistake::AfterPattern.at(at..end)),
    };
    let term = compiled(&typed, any_case).map_err(|wrong| wrong.at(start..close))?;
    Ok((term, end))
}

fn compiled(pattern: &str, any_case: bool) -> Result<Term, FilterMistake> {
    let parsed = ParserBuilder::new()
        .case_insensitive(any_case)
        .nest_limit(DEEPEST)
        .build()
        .parse(pattern);
    let parsed = parsed.map_err(|error| {
        FilterMistake::Pattern(match error {
            regex_syntax::Error::Parse(error) => error.kind().to_string(),
            regex_syntax::Error::Translate(error) => error.kind().to_string(),
            other => other.to_string().replace('\n', " "),
        })
    })?;
    let length = length(&parsed);
    if length > PATTERN_LONGEST {
        return Err(FilterMistake::PatternSize);
    }
    let find = RegexBuilder::new(pattern)
        .case_insensitive(any_case)
        .nest_limit(DEEPEST)
        .size_limit(PATTERN_BYTES)
        .dfa_size_limit(TABLE_BYTES)
        .build()
        .map_err(|_| FilterMistake::PatternSize)?;
    Ok(Term::Pattern { find, length })
}

/// Counts the characters of a pattern, once its repetitions are written out.
fn length(pattern: &Hir) -> u32 {
    let sum = |parts: &[Hir]| parts.iter().map(length).fold(0, u32::saturating_add);
    match pattern.kind() {
        HirKind::Empty | HirKind::Look(_) | HirKind::Class(_) => 1,
        HirKind::Literal(literal) => u32::try_from(literal.0.len()).unwrap_or(u32::MAX),
        HirKind::Repetition(repeated) => {
            let times = repeated.max.unwrap_or(repeated.min).max(1);
            length(&repeated.sub).saturating_mul(times)
        }
        HirKind::Capture(capture) => length(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => sum(parts),
    }
}

fn id_start(typed: &str) -> Result<String, FilterMistake> {
    match typed {
        "" => Err(FilterMistake::NoId),
        _ if can_stand_in_id(typed) => Ok(typed.to_ascii_lowercase()),
        _ => Err(FilterMistake::Id(typed.to_owned())),
    }
}

fn can_stand_in_id(word: &str) -> bool {
    word.len() <= 16 && word.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn codec_start(typed: &str) -> Result<String, FilterMistake> {
    let typed = typed.to_lowercase();
    match &*typed {
        "" => Err(FilterMistake::NoCodec),
        _ if Codec::names().iter().any(|name| name.starts_with(&typed)) => Ok(typed),
        _ => Err(FilterMistake::Codec { name: typed }),
    }
}

/// Reads what follows `due`.
fn due_term(typed: &str) -> Result<Term, FilterMistake> {
    let sides = [
        ("<=", Side::UpTo),
        (">=", Side::From),
        ("<", Side::Before),
        (">", Side::After),
    ];
    let side = sides
        .iter()
        .find_map(|(sign, side)| Some((*side, typed.strip_prefix(sign)?)));
    match side {
        None | Some((_, "")) => Err(FilterMistake::NoTime),
        Some((side, time)) => Ok(Term::Due(side, time.parse::<TypedMoment>()?)),
    }
}

/// A word that may stand anywhere in the text.
fn word(word: &str, at: Range<usize>) -> Result<Term, BadFilter> {
    let find = |word: &str| {
        RegexBuilder::new(&regex::escape(word))
            .case_insensitive(true)
            .size_limit(WORD_BYTES)
            .dfa_size_limit(TABLE_BYTES)
            .build()
            .map_err(|_| FilterMistake::TooLong(LONGEST).at(at.clone()))
    };
    let mut pieces: Vec<&str> = word.split(SEPARATORS).collect();
    let is_mark = |piece: &str| {
        let piece = piece.to_lowercase().replace('ſ', "s");
        MARKS.iter().any(|mark| mark.contains(&*piece))
    };
    pieces.retain(|piece| !piece.is_empty() && !is_mark(piece));
    pieces.sort_by_key(|piece| Reverse(piece.len()));
    pieces.truncate(PIECES);
    let pieces: Result<Vec<Regex>, BadFilter> = pieces.into_iter().map(find).collect();
    Ok(Term::Word {
        find: find(word)?,
        length: word.len(),
        pieces: pieces?,
        in_id: can_stand_in_id(word).then(|| word.to_ascii_lowercase()),
    })
}

impl FilterMistake {
    fn at(self, at: Range<usize>) -> BadFilter {
        BadFilter { at, wrong: self }
    }
}
