//! The description of a class in Java's object stream.

use std::rc::Rc;

use crate::payload::reader::Reader;
use crate::payload::tree::Name;

const WRITE_METHOD: u8 = 0x01;
const SERIALIZABLE: u8 = 0x02;
const EXTERNALIZABLE: u8 = 0x04;
const BLOCK_DATA: u8 = 0x08;
const ENUM: u8 = 0x10;

/// The way in which the objects of a class lie.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) enum ClassKind {
    /// Their fields.
    #[default]
    Fields,
    /// Their fields, and what `writeObject` wrote.
    FieldsAndMore,
    /// Blocks that `writeExternal` wrote.
    External,
    /// Bytes that `writeExternal` wrote, without saying how many.
    Opaque,
}

/// A class.
#[derive(Debug)]
pub(super) struct SerializedClass {
    pub(super) name: Name,
    pub(super) kind: ClassKind,
    /// The first letter of each field's type, and its name.
    pub(super) fields: Vec<(u8, Name)>,
    pub(super) parent: Option<Rc<SerializedClass>>,
    /// The count of its superclasses.
    pub(super) height: u32,
}

impl Default for SerializedClass {
    fn default() -> Self {
        Self {
            name: Name::from(""),
            kind: ClassKind::default(),
            fields: Vec::new(),
            parent: None,
            height: 0,
        }
    }
}

impl SerializedClass {
    /// Name and version.
    pub(super) fn head(&mut self, r: &mut Reader<'_>) -> Option<()> {
        // A description takes more room than the bytes that it lies in.
        r.take_text(size_of::<Self>() * 2)?;
        self.name = name(r)?;
        let _version: [u8; 8] = r.array()?;
        Some(())
    }

    /// Flags and fields; `string` reads the type of a field that is no primitive.
    pub(super) fn fields<'a>(
        &mut self,
        r: &mut Reader<'a>,
        mut string: impl FnMut(&mut Reader<'a>) -> Option<String>,
    ) -> Option<()> {
        let flags = r.byte()?;
        self.kind = match flags & !ENUM {
            0 | SERIALIZABLE => ClassKind::Fields,
            flags if flags == SERIALIZABLE | WRITE_METHOD => ClassKind::FieldsAndMore,
            flags if flags == EXTERNALIZABLE | BLOCK_DATA => ClassKind::External,
            EXTERNALIZABLE => ClassKind::Opaque,
            _ => return None,
        };
        for _ in 0..u16::from_be_bytes(r.array()?) {
            let kind = r.byte()?;
            let name = name(r)?;
            match kind {
                b'L' | b'[' => drop(string(r)?),
                b'B' | b'C' | b'D' | b'F' | b'I' | b'J' | b'S' | b'Z' => {}
                _ => return None,
            }
            self.fields.push((kind, name));
        }
        Some(())
    }

    /// The interfaces of a dynamic proxy, which are its name.
    pub(super) fn proxy(&mut self, r: &mut Reader<'_>) -> Option<()> {
        let mut interfaces = Vec::new();
        for _ in 0..u32::from_be_bytes(r.array()?) {
            interfaces.push(name(r)?);
        }
        self.name = format!("$Proxy({})", interfaces.join(", ")).into();
        Some(())
    }

    /// The class and its superclasses, the topmost first.
    pub(super) fn hierarchy(&self) -> Vec<&Self> {
        let mut classes = vec![self];
        let mut class = self;
        while let Some(parent) = &class.parent {
            classes.push(parent);
            class = parent;
        }
        classes.reverse();
        classes
    }
}

fn name(r: &mut Reader<'_>) -> Option<Name> {
    r.take_text(4 * size_of::<Name>())?;
    let length = u16::from_be_bytes(r.array()?);
    r.modified_utf8(usize::from(length)).map(Name::from)
}
