//! The form that gives an entry another payload: what stands there, and what it becomes.

pub mod view;

use crate::payload::{self, Codec, Habit, PayloadContent};
use crate::queue::{Due, Entry, EntryId, Queue, text};
use crate::tui::field::{Field, Lines};
use crate::tui::form::{FieldRemark, InputForm, Message, Part, next};
use crate::tui::offer::check::of_codec;

/// The form that gives an entry another payload.
#[derive(Clone, Debug, PartialEq)]
pub struct EditForm {
    /// The queue of the entry.
    pub queue: Queue,
    /// The entry, as it was seen.
    pub entry: Entry,
    /// The id that people call it by.
    pub id: EntryId,
    /// When it is due, now and then.
    pub due: Due,
    /// Its payload.
    pub before: Vec<u8>,
    /// The new one, as typed.
    pub payload: Field,
    /// The first row of it in sight.
    pub top: usize,
    /// The codec that it is written with; [`Codec::Unknown`]: its bytes are typed in hex.
    pub codec: Codec,
    /// The codec that wrote it, and what it holds: in that codec it stays of that type.
    own: Codec,
    held: PayloadContent,
    /// The part that the keys act on.
    pub at: Part,
    /// Size of the new payload as it will be written, and the remark on it; as of the last change.
    pub message: Message,
}

/// More bytes are not edited on a screen.
pub const MOST_BYTES_EDITED: usize = 256 << 10;

/// Number of bytes in a line of hex.
const HEX_LINE: usize = 16;

impl EditForm {
    /// The payload as it is: in the codec that wrote it if that writes it again byte for byte, else
    /// in hex.
    #[must_use]
    pub fn new(
        (queue, habit): (Queue, Habit),
        entry: Entry,
        (id, due): (EntryId, Due),
        before: Vec<u8>,
    ) -> Self {
        let codec = habit.decode(&before).codec;
        let mut form = Self {
            queue,
            entry,
            id,
            due,
            payload: Field::new(Lines::Many, ""),
            top: 0,
            codec,
            own: codec,
            held: PayloadContent::Text,
            at: Part::Payload,
            message: Message::default(),
            before,
        };
        form.show(&form.before.clone());
        form.own = form.codec;
        form.held = payload::held(form.codec, &form.before);
        form.typed();
        form
    }

    /// Returns what was typed, as bytes.
    pub fn bytes(&self) -> Result<Vec<u8>, String> {
        let typed = self.payload.text();
        match self.codec {
            Codec::Unknown => of_hex(&typed),
            codec => {
                let held = if codec == self.own {
                    &self.held
                } else {
                    &PayloadContent::Text
                };
                payload::encode_like(codec, held, &typed).map_err(|why| why.to_string())
            }
        }
    }

    /// Returns the remark that it stays a value of the class that it was of, where what was typed
    /// names none.
    fn kept(&self) -> Option<FieldRemark> {
        let typed = self.payload.text();
        let says_class = typed.trim_start().starts_with('[');
        match &self.held {
            PayloadContent::Scalar(class) if self.codec == self.own && !says_class => {
                Some(FieldRemark::Note(format!("stays a {class}")))
            }
            _ => None,
        }
    }

    /// Puts bytes in, to be edited: as the codec says them, if it writes them again.
    fn show(&mut self, bytes: &[u8]) {
        if self.codec != Codec::Unknown
            && let Some(text) = payload::spelled(self.codec, bytes)
        {
            self.payload.set(&text);
            if self.bytes().as_deref() == Ok(bytes) {
                return;
            }
        }
        // Plain text is written as it stands, save for line ends of two bytes.
        if let Ok(text) = std::str::from_utf8(bytes)
            && self.codec != Codec::Unknown
        {
            self.codec = Codec::Text;
            self.payload.set(text);
            if self.bytes().as_deref() == Ok(bytes) {
                return;
            }
        }
        self.codec = Codec::Unknown;
        self.payload.set(&hex(bytes));
    }
}

fn hex(bytes: &[u8]) -> String {
    let line = |line: &[u8]| {
        let bytes: Vec<String> = line.iter().map(|byte| format!("{byte:02x}")).collect();
        bytes.join(" ")
    };
    let lines: Vec<String> = bytes.chunks(HEX_LINE).map(line).collect();
    lines.join("\n")
}

fn of_hex(typed: &str) -> Result<Vec<u8>, String> {
    let digits: Vec<char> = typed.chars().filter(|c| !c.is_whitespace()).collect();
    if let Some(bad) = digits.iter().find(|c| !c.is_ascii_hexdigit()) {
        return Err(format!(
            "no hex digit: {}",
            text::printable(&bad.to_string())
        ));
    }
    if !digits.len().is_multiple_of(2) {
        return Err("a byte has two hex digits: one is missing".to_owned());
    }
    let byte = |pair: &[char]| {
        let digits: String = pair.iter().collect();
        u8::from_str_radix(&digits, 16).map_err(|why| why.to_string())
    };
    digits.chunks(2).map(byte).collect()
}

impl InputForm for EditForm {
    fn parts(&self) -> &'static [Part] {
        &[Part::Payload, Part::Codec, Part::Button]
    }

    fn at(&self) -> Part {
        self.at
    }

    fn go(&mut self, to: Part) {
        self.at = to;
    }

    fn message(&self) -> Option<(&Field, usize, &'static str)> {
        let extension = if self.codec.is_json() { "json" } else { "txt" };
        Some((&self.payload, self.top, extension))
    }

    fn message_mut(&mut self) -> Option<(&mut Field, &mut usize)> {
        Some((&mut self.payload, &mut self.top))
    }

    /// Another codec writes the same text; into and out of hex the same bytes are meant.
    fn choose(&mut self, on: bool) {
        let bytes = self.bytes();
        let before = self.codec;
        let can = |codec: &Codec| codec.is_writable() || *codec == Codec::Unknown;
        let codecs: Vec<Codec> = Codec::ALL.into_iter().filter(can).collect();
        self.codec = next(&codecs, Some(before), on).unwrap_or(before);
        match (before, self.codec, bytes) {
            (_, Codec::Unknown, Ok(bytes)) => self.payload.set(&hex(&bytes)),
            (Codec::Unknown, codec, Ok(bytes)) => {
                let said = payload::decode_as(codec, &bytes);
                let said = said.map(|said| said.whole().into_owned());
                let plain = String::from_utf8(bytes).ok();
                if let Some(text) = plain.or(said) {
                    self.payload.set(&text);
                }
            }
            _ => {}
        }
        self.top = 0;
        self.typed();
    }

    fn typed(&mut self) {
        self.message = match self.bytes() {
            Err(why) => Message {
                bytes: 0,
                said: Some(FieldRemark::Wrong(why)),
            },
            Ok(bytes) => Message {
                bytes: bytes.len() as u64,
                said: if bytes == self.before {
                    Some(FieldRemark::Note(
                        "as it is: nothing is changed yet".to_owned(),
                    ))
                } else {
                    self.kept()
                        .or_else(|| of_codec(self.codec, &self.payload.text()))
                },
            },
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::EpochMillis;
    use crate::queue::State;

    fn form(payload: &[u8]) -> EditForm {
        let entry = Entry {
            member: b"m".to_vec(),
            score: Some(1.0),
            state: State::Waiting,
        };
        let due = Due::At(EpochMillis::new(1));
        let id = EntryId::of_bytes(b"m");
        EditForm::new(
            (Queue::redisson("q"), Habit::default()),
            entry,
            (id, due),
            payload.to_vec(),
        )
    }

    #[test]
    fn whatever_a_payload_is_untouched_it_stays_the_same_bytes() {
        let java = payload::encode(Codec::Serialization, "hello").unwrap_or_default();
        let kryo = payload::encode(Codec::Kryo5, "hello").unwrap_or_default();
        let all: [&[u8]; 12] = [
            b"{\"a\":1}\n",
            b"hello",
            b"{\"a\": 1,\n  \"b\":2}",
            b"{\"a\":\r\n1}",
            b"\"quoted\"",
            b"42",
            b"a\r\nb\rc\n",
            b"\x00\xff\x80 no text",
            b"tab\there",
            &java,
            &kryo,
            b"",
        ];
        for bytes in all {
            let form = form(bytes);
            assert_eq!(
                form.bytes().as_deref(),
                Ok(bytes),
                "{bytes:?} as {:?}",
                form.codec
            );
        }
        assert_eq!(form(&java).payload.text(), "hello");
        assert_eq!(form(b"\x00\xff").codec, Codec::Unknown);
        assert_eq!(
            form(b"{\"a\":1}\n").codec,
            Codec::Text,
            "JSON is written without"
        );
    }

    #[test]
    fn into_hex_and_back_the_same_bytes_are_meant() {
        let mut form = form(b"hello");
        form.choose(false);
        assert_eq!(form.codec, Codec::Unknown);
        assert_eq!(form.payload.text(), "68 65 6c 6c 6f");
        form.payload.set("686 9\n21");
        form.typed();
        assert_eq!(form.bytes().as_deref(), Ok(&b"hi!"[..]));
        form.choose(true);
        assert_eq!(
            (form.codec, form.payload.text().as_str()),
            (Codec::Text, "hi!")
        );
    }

    #[test]
    fn bad_hex_says_what_is_wrong() {
        let mut form = form(b"\x00\xff");
        for bad in ["0", "00 f", "zz", "0x00"] {
            form.payload.set(bad);
            form.typed();
            assert!(
                form.message
                    .said
                    .as_ref()
                    .is_some_and(FieldRemark::is_wrong),
                "{bad}"
            );
        }
    }
}
