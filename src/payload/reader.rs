//! Reading bytes front to back, and the ways that Java puts strings into bytes.

/// Bytes not read yet. Every reader returns `None` rather than read past the end.
pub(super) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    pub(super) const fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// `value`, if nothing is left to read: a codec must explain every byte.
    pub(super) fn at_end<T>(&self, value: T) -> Option<T> {
        self.0.is_empty().then_some(value)
    }

    pub(super) fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(first)
    }

    pub(super) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (&first, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(first)
    }

    /// Steps over `expected`, if that is what comes next.
    pub(super) fn expect(&mut self, expected: &[u8]) -> Option<()> {
        self.0 = self.0.strip_prefix(expected)?;
        Some(())
    }

    /// What is left, without reading it.
    pub(super) const fn rest(&self) -> &'a [u8] {
        self.0
    }

    /// A string of `count` UTF-16 units, each in one to three bytes, as Kryo and JBoss write them.
    /// A unit of a broken surrogate pair, which Java allows, becomes U+FFFD.
    pub(super) fn units(&mut self, count: usize) -> Option<String> {
        // A unit takes at least a byte: a made-up count asks for no memory.
        if count > self.0.len() {
            return None;
        }
        let mut units = Vec::with_capacity(count);
        for _ in 0..count {
            units.push(self.unit()?);
        }
        Some(String::from_utf16_lossy(&units))
    }

    /// All that is left, as such a string: what `DataOutput.writeUTF` writes after its length.
    pub(super) fn all_units(&mut self) -> Option<String> {
        let mut units = Vec::with_capacity(self.0.len());
        while !self.0.is_empty() {
            units.push(self.unit()?);
        }
        Some(String::from_utf16_lossy(&units))
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
pub(super) fn write_units(out: &mut Vec<u8>, text: &str, zero: &[u8]) {
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
