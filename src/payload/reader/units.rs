//! The ways that Java puts strings into bytes.

use super::Reader;

/// From here on a byte begins a character of two units in UTF-8: Java writes these otherwise.
const FOUR_BYTES: u8 = 0xf0;

impl<'a> Reader<'a> {
    /// A string of `count` UTF-16 units, each in one to three bytes, as Kryo and JBoss write them.
    /// A unit of a broken surrogate pair, which Java allows, becomes U+FFFD.
    pub(in crate::payload) fn units(&mut self, count: usize) -> Option<String> {
        // A unit takes at least a byte: a made-up count asks for no memory.
        if count > self.rest.len() {
            return None;
        }
        if let Some(text) = self.plain_units(count) {
            self.take_text(count)?;
            self.rest = &self.rest[text.len()..];
            return Some(text.to_owned());
        }
        let mut units = Vec::with_capacity(count);
        for _ in 0..count {
            units.push(self.unit()?);
        }
        self.take_text(count)?;
        Some(String::from_utf16_lossy(&units))
    }

    /// `length` bytes of such units: what `DataOutput.writeUTF` writes after its length.
    pub(in crate::payload) fn modified_utf8(&mut self, length: usize) -> Option<String> {
        let bytes = self.bytes(length)?;
        self.take_text(length)?;
        if bytes.iter().all(|byte| *byte < FOUR_BYTES)
            && let Ok(text) = str::from_utf8(bytes)
        {
            return Some(text.to_owned());
        }
        let mut part = Self::new(bytes, self.budget);
        let mut units = Vec::with_capacity(bytes.len());
        while !part.rest.is_empty() {
            units.push(part.unit()?);
        }
        Some(String::from_utf16_lossy(&units))
    }

    /// The next units where they lie as UTF-8 does, which most do: no halves of a pair, no zero in
    /// two bytes.
    fn plain_units(&self, count: usize) -> Option<&'a str> {
        let mut length = 0;
        for _ in 0..count {
            length += match self.rest.get(length)? {
                0..=0x7f => 1,
                0xc0..=0xdf => 2,
                0xe0..FOUR_BYTES => 3,
                _ => return None,
            };
        }
        str::from_utf8(self.rest.get(..length)?).ok()
    }

    /// One UTF-16 unit, in the shortest form (a zero may take two bytes, as `writeUTF` has it).
    fn unit(&mut self) -> Option<u16> {
        let first = self.byte()?;
        match first {
            0x00..=0x7f => Some(u16::from(first)),
            0xc0..=0xdf => {
                let unit = u16::from(first & 0x1f) << 6 | self.continuation()?;
                (unit >= 0x80 || unit == 0).then_some(unit)
            }
            0xe0..=0xef => {
                let high = u16::from(first & 0x0f) << 12;
                let unit = high | self.continuation()? << 6 | self.continuation()?;
                (unit >= 0x800).then_some(unit)
            }
            _ => None,
        }
    }

    fn continuation(&mut self) -> Option<u16> {
        let byte = self.byte()?;
        (byte & 0xc0 == 0x80).then_some(u16::from(byte & 0x3f))
    }
}

/// Appends `text` as UTF-16 units of one to three bytes each; a zero takes `zero`, which is where
/// Kryo (`00`) and `writeUTF` (`c0 80`) differ.
pub(in crate::payload) fn write_units(out: &mut Vec<u8>, text: &str, zero: &[u8]) {
    for unit in text.encode_utf16() {
        let [high, low] = unit.to_be_bytes();
        match unit {
            0 => out.extend_from_slice(zero),
            1..=0x7f => out.push(low),
            0x80..=0x7ff => {
                out.extend_from_slice(&[0xc0 | high << 2 | low >> 6, 0x80 | low & 0x3f]);
            }
            _ => out.extend_from_slice(&[
                0xe0 | high >> 4,
                0x80 | (high << 2 | low >> 6) & 0x3f,
                0x80 | low & 0x3f,
            ]),
        }
    }
}
