//! Parser of terminal input into messages: keys, the mouse, pasted text. A terminal may stop within
//! whatever it has begun, so nothing that has begun keeps the keys for ever, and Ctrl-C always
//! acts.

#[cfg(test)]
mod tests;

use super::background::background;
use crate::tui::keys::{Code, Key};
use crate::tui::msg::Msg;

const ESC: u8 = 0x1b;

const CONTROL_C: u8 = 0x03;

const BEL: u8 = 0x07;

/// The marks around a pasted text.
const BEGIN: &[u8] = b"\x1b[200~";

const END: &[u8] = b"\x1b[201~";

/// Bytes of a paste that are one message: a longer one is several.
const MOST_BYTES_OF_A_PASTE: usize = 1 << 20;

/// A sequence of more bytes than this is none.
const LONGEST: usize = 256;

/// An answer of the terminal of more bytes than this is none.
const LONGEST_ANSWER: usize = 4096;

/// The least number of bytes at once that nobody types.
const BURST: usize = 16;

/// Reads in pieces of any length.
#[derive(Debug, Default)]
pub(crate) struct Parser {
    /// Bytes of the input that has begun and has not ended.
    begun: Vec<u8>,
    /// The text of a paste whose end has not come.
    paste: Option<Vec<u8>>,
    /// An Esc came alone: what the line held up behind it may still come.
    escaped: bool,
    /// The last paste ended without its mark: what the line held up may still come.
    torn: bool,
}

impl Parser {
    /// Something has begun and has not ended.
    pub(crate) const fn is_open(&self) -> bool {
        self.paste.is_some() || !self.begun.is_empty()
    }

    /// Reads bytes that came at once, behind the ones before, and returns the messages that they
    /// mean.
    pub(crate) fn read(&mut self, bytes: &[u8]) -> Vec<Msg> {
        let burst = bytes.len() >= BURST && bytes[0] != ESC;
        if self.torn && burst && !self.is_open() {
            // The rest of a paste, never keys.
            self.paste = Some(Vec::new());
        }
        let mut said = Vec::new();
        // The rest of an answer, never keys.
        if std::mem::take(&mut self.escaped) && bytes.starts_with(b"]11;") {
            self.begun.push(ESC);
        }
        self.begun.extend_from_slice(bytes);
        let all = std::mem::take(&mut self.begun);
        let mut left = &all[..];
        while !left.is_empty() {
            let taken = match &mut self.paste {
                Some(text) => {
                    let (taken, ended) = pasted(left, text);
                    if ended {
                        self.torn = false;
                        said.extend(self.end_paste());
                    } else if text.len() >= MOST_BYTES_OF_A_PASTE {
                        said.push(piece(text));
                    }
                    taken
                }
                None => self.take(left, &mut said),
            };
            if taken == 0 {
                break;
            }
            left = &left[taken..];
        }
        self.begun = left.to_vec();
        said
    }

    /// There are no more bytes at the moment: an Esc is the key, and a Ctrl-C at the end of a
    /// paste that is still open was pressed. One with more behind it is part of the text.
    pub(crate) fn rest(&mut self) -> Vec<Msg> {
        if self.begun == [ESC] && self.paste.is_none() {
            self.begun.clear();
            self.escaped = true;
            return vec![Msg::KeyPressed(Key::of(Code::Esc))];
        }
        let Some(text) = &mut self.paste else {
            return Vec::new();
        };
        if !self.begun.is_empty() || text.pop_if(|last| *last == CONTROL_C).is_none() {
            return Vec::new();
        }
        let mut said = self.quiet();
        said.push(Msg::KeyPressed(Key::ctrl('c')));
        said
    }

    /// Nothing has come for long: what has begun ends here.
    pub(crate) fn quiet(&mut self) -> Vec<Msg> {
        self.begun.clear();
        self.torn |= self.paste.is_some();
        self.end_paste().into_iter().collect()
    }

    fn end_paste(&mut self) -> Option<Msg> {
        self.paste.take().map(|text| as_paste(&text))
    }

    /// Takes what stands first; how many bytes that is; 0: it has not ended.
    fn take(&mut self, bytes: &[u8], said: &mut Vec<Msg>) -> usize {
        if bytes.starts_with(BEGIN) {
            self.paste = Some(Vec::new());
        }
        if bytes.starts_with(END) {
            self.torn = false;
        }
        let Some((taken, msg)) = first(bytes) else {
            return 0;
        };
        said.extend(msg);
        taken
    }
}

/// Adds to the text of a paste; how many bytes are taken, and whether its end is among them. What
/// may be the beginning of that end is left.
fn pasted(bytes: &[u8], text: &mut Vec<u8>) -> (usize, bool) {
    if let Some(at) = bytes.windows(END.len()).position(|found| found == END) {
        text.extend_from_slice(&bytes[..at]);
        return (at + END.len(), true);
    }
    let mark = (1..END.len()).rev().find(|n| bytes.ends_with(&END[..*n]));
    let taken = bytes.len() - mark.unwrap_or(0);
    text.extend_from_slice(&bytes[..taken]);
    (taken, false)
}

/// Takes what is there of a long text, in whole characters.
fn piece(text: &mut Vec<u8>) -> Msg {
    let whole = match std::str::from_utf8(text) {
        Err(why) if why.error_len().is_none() => why.valid_up_to(),
        _ => text.len(),
    };
    let rest = text.split_off(whole);
    as_paste(&std::mem::replace(text, rest))
}

fn as_paste(text: &[u8]) -> Msg {
    Msg::Pasted(String::from_utf8_lossy(text).into_owned())
}

/// Returns the length of what stands first, in bytes, and its message, if it means anything here;
/// none: it has not ended.
fn first(bytes: &[u8]) -> Option<(usize, Option<Msg>)> {
    match bytes {
        // An answer of the terminal begins with the latter: see below.
        [ESC] | [ESC, b']'] => None,
        // Pressed twice, or before another key.
        [ESC, ESC, ..] => Some((1, Some(plain(Code::Esc)))),
        [ESC, b'[', rest @ ..] => sequence(rest).map(|(taken, msg)| (taken + 2, msg)),
        // An answer of the terminal; anything else behind it is typed.
        [ESC, b']', b'0'..=b'9', ..] => answer(&bytes[2..]).map(|(taken, msg)| (taken + 2, msg)),
        [ESC, b'O', rest @ ..] => match rest {
            [] => None,
            [last @ 0x20..=0x7e, ..] => Some((3, letter(*last).map(plain))),
            _ => Some((2, None)),
        },
        [ESC, rest @ ..] => {
            let (taken, typed) = typed(rest)?;
            let with_alt = |typed: Key| key(Key { alt: true, ..typed });
            Some((taken + 1, typed.map(with_alt)))
        }
        _ => typed(bytes).map(|(taken, typed)| (taken, typed.map(key))),
    }
}

const fn key(key: Key) -> Msg {
    Msg::KeyPressed(key)
}

const fn plain(code: Code) -> Msg {
    key(Key::of(code))
}

/// Takes what the terminal answers (OSC), up to its end: BEL, or `ESC \`. A control character in it
/// ends it too and counts by itself.
fn answer(bytes: &[u8]) -> Option<(usize, Option<Msg>)> {
    let Some(end) = bytes.iter().position(|byte| *byte < 0x20) else {
        return (bytes.len() > LONGEST_ANSWER).then_some((bytes.len(), None));
    };
    let said = std::str::from_utf8(&bytes[..end]).unwrap_or_default();
    let told = || background(said).map(Msg::BackgroundTold);
    match bytes[end..] {
        [BEL, ..] => Some((end + 1, told())),
        [ESC, b'\\', ..] => Some((end + 2, told())),
        [ESC] => None,
        _ => Some((end, None)),
    }
}

/// A key that is a character, or a control character.
fn typed(bytes: &[u8]) -> Option<(usize, Option<Key>)> {
    let typed = match *bytes.first()? {
        b'\r' => Key::of(Code::Enter),
        b'\t' => Key::of(Code::Tab),
        0x7f => Key::of(Code::Backspace),
        0 => Key::ctrl(' '),
        byte @ 0x01..=0x1a => Key::ctrl(char::from(byte - 1 + b'a')),
        byte @ 0x1c..=0x1f => Key::ctrl(char::from(byte - 0x1c + b'4')),
        _ => return character(bytes),
    };
    Some((1, Some(typed)))
}

fn character(bytes: &[u8]) -> Option<(usize, Option<Key>)> {
    let bytes = &bytes[..bytes.len().min(4)];
    let (whole, wrong) = match std::str::from_utf8(bytes) {
        Ok(text) => (text, None),
        Err(why) => {
            let whole = std::str::from_utf8(&bytes[..why.valid_up_to()]).unwrap_or_default();
            (whole, why.error_len())
        }
    };
    match (whole.chars().next(), wrong) {
        (Some(c), _) => Some((c.len_utf8(), Some(Key::char(c)))),
        (None, Some(count)) => Some((count, None)),
        (None, None) => None,
    }
}

/// Reads the sequence behind `ESC [`. A byte that cannot be part of it ends it and counts by
/// itself.
fn sequence(bytes: &[u8]) -> Option<(usize, Option<Msg>)> {
    match bytes {
        // The console of Linux.
        [b'[', last @ b'A'..=b'E', ..] => return Some((2, Some(plain(Code::F(last - b'A' + 1))))),
        [b'['] => return None,
        [b'[', 0x20..=0x7e, ..] => return Some((2, None)),
        // The mouse of a terminal that knows no SGR form.
        [b'M', rest @ ..] => {
            let rest = &rest[..rest.len().min(3)];
            return match rest {
                _ if rest.iter().any(|byte| *byte < 0x20) => Some((1, None)),
                [held, x, y] => {
                    let [held, x, y] = [held, x, y].map(|byte| u32::from(byte - 0x20));
                    Some((4, mouse(held, x, y, false)))
                }
                _ => None,
            };
        }
        _ => {}
    }
    let is_last = |byte: &u8| !(0x20..=0x3f).contains(byte);
    let Some(end) = bytes.iter().position(is_last) else {
        return (bytes.len() > LONGEST).then_some((bytes.len(), None));
    };
    if !(0x40..=0x7e).contains(&bytes[end]) {
        return Some((end, None));
    }
    let args = std::str::from_utf8(&bytes[..end]).unwrap_or_default();
    Some((end + 1, meaning(args, bytes[end])))
}

/// Returns the message of a sequence, by its last byte.
fn meaning(args: &str, last: u8) -> Option<Msg> {
    let first = number(args, 0, 0);
    match last {
        b'M' | b'm' => {
            let args = args.strip_prefix('<')?;
            let [held, x, y] = [0, 1, 2].map(|at| number(args, at, 0));
            mouse(held?, x?, y?, last == b'm')
        }
        b'~' => match first? {
            // As xterm tells other keys (modifyOtherKeys).
            27 => by_codepoint(number(args, 2, 0)?, args),
            n => held(numbered(n)?, args, 1),
        },
        b'u' => by_codepoint(first?, args),
        b'Z' => held(Code::BackTab, args, 1),
        // Where the cursor is: nobody has asked.
        b'R' => None,
        _ => {
            let at = usize::from(args.contains(';'));
            held(letter(last)?, args, at)
        }
    }
}

/// A number among `1;2:3`: which argument, and which part of it.
fn number(args: &str, at: usize, part: usize) -> Option<u32> {
    let arg = args.split(';').nth(at)?;
    arg.split(':').nth(part)?.parse().ok()
}

/// Bits for the keys that are held, which an argument tells.
fn holding(args: &str, at: usize) -> u32 {
    number(args, at, 0).unwrap_or(1).saturating_sub(1)
}

/// A key with what is held beside it; nothing when it is let go.
fn held(code: Code, args: &str, at: usize) -> Option<Msg> {
    let holding = holding(args, at);
    let pressed = key(Key {
        code,
        ctrl: holding & 4 != 0,
        alt: holding & 2 != 0,
    });
    (number(args, at, 1) != Some(3)).then_some(pressed)
}

/// A key by its character's number.
fn by_codepoint(codepoint: u32, args: &str) -> Option<Msg> {
    let shift = holding(args, 1) & 1 != 0;
    let code = match codepoint {
        0x1b => Code::Esc,
        0x0d => Code::Enter,
        0x09 if shift => Code::BackTab,
        0x09 => Code::Tab,
        0x7f => Code::Backspace,
        // Keys without a character, as kitty counts them.
        57_344..=63_743 => keypad(codepoint)?,
        _ => {
            let shifted = number(args, 0, 1).filter(|_| shift);
            let c = char::from_u32(shifted.unwrap_or(codepoint))?;
            let c = if shift { c.to_ascii_uppercase() } else { c };
            (!c.is_control()).then_some(Code::Char(c))?
        }
    };
    held(code, args, 1)
}

const fn keypad(codepoint: u32) -> Option<Code> {
    Some(match codepoint {
        57_399..=57_413 => {
            let at = (codepoint - 57_399) as usize;
            Code::Char(b"0123456789./*-+"[at] as char)
        }
        57_414 => Code::Enter,
        57_415 => Code::Char('='),
        57_416 => Code::Char(','),
        57_417 => Code::Left,
        57_418 => Code::Right,
        57_419 => Code::Up,
        57_420 => Code::Down,
        57_421 => Code::PageUp,
        57_422 => Code::PageDown,
        57_423 => Code::Home,
        57_424 => Code::End,
        57_426 => Code::Delete,
        _ => return None,
    })
}

const fn letter(last: u8) -> Option<Code> {
    Some(match last {
        b'A' => Code::Up,
        b'B' => Code::Down,
        b'C' => Code::Right,
        b'D' => Code::Left,
        b'F' => Code::End,
        b'H' => Code::Home,
        b'P'..=b'S' => Code::F(last - b'P' + 1),
        _ => return None,
    })
}

fn numbered(number: u32) -> Option<Code> {
    Some(match u8::try_from(number).ok()? {
        1 | 7 => Code::Home,
        3 => Code::Delete,
        4 | 8 => Code::End,
        5 => Code::PageUp,
        6 => Code::PageDown,
        n @ 11..=15 => Code::F(n - 10),
        n @ 17..=21 => Code::F(n - 11),
        n @ 23..=24 => Code::F(n - 12),
        _ => return None,
    })
}

/// The left button and the wheel, with the column and the row counted from 1.
fn mouse(held: u32, column: u32, row: u32, let_go: bool) -> Option<Msg> {
    let place = |from_1: u32| u16::try_from(from_1.checked_sub(1)?).ok();
    let (x, y) = (place(column)?, place(row)?);
    // Shift, Alt and Ctrl make no difference.
    Some(match (held & !0b1_1100, let_go) {
        (0, false) => Msg::Clicked(x, y),
        (0, true) | (3, _) => Msg::Released(x, y),
        (32, _) => Msg::Dragged(x, y),
        (64, _) => Msg::Scrolled(x, y, -1),
        (65, _) => Msg::Scrolled(x, y, 1),
        _ => return None,
    })
}
