//! The description of a class in River: by a number, by its place among those described before, or
//! in full.

use std::rc::Rc;

use super::class::{Fields, MarshalledClass, known};
use super::parts::below;
use super::river::River;
use crate::payload::reader::Reader;
use crate::payload::tree::{Cut, Name};

const REPEAT_FAR: u8 = 0x06;
const PLAIN: u8 = 0x07;
const PROXY: u8 = 0x08;
const SERIALIZABLE: u8 = 0x09;
const EXTERNALIZABLE: u8 = 0x0a;
const EXTERNALIZER: u8 = 0x0b;
const ENUM_TYPE: u8 = 0x0c;
const OBJECT_ARRAY: u8 = 0x0d;
const WRITE_OBJECT: u8 = 0x38;
const REPEAT_NEAR: u8 = 0x3b;
const REPEAT_NEARISH: u8 = 0x3c;

/// Superclasses that are followed.
const MAX_HEIGHT: u32 = 64;

impl River {
    /// A class whose kind was read already.
    pub(super) fn class(&mut self, r: &mut Reader<'_>, kind: u8) -> Option<Rc<MarshalledClass>> {
        r.nested(|r| self.any_class(r, kind))
    }

    fn any_class(&mut self, r: &mut Reader<'_>, kind: u8) -> Option<Rc<MarshalledClass>> {
        // A description takes more room than the bytes that it lies in.
        r.take_text(2 * size_of::<MarshalledClass>())?;
        let class = match kind {
            REPEAT_FAR => {
                let at = usize::try_from(u32::from_be_bytes(r.array()?)).ok()?;
                return self.classes.get(at)?.clone();
            }
            REPEAT_NEAR => {
                let at = below(self.classes.len(), i16::from(r.byte()?) - 0x100)?;
                return self.classes.get(at)?.clone();
            }
            REPEAT_NEARISH => {
                let at = below(self.classes.len(), i16::from_be_bytes(r.array()?))?;
                return self.classes.get(at)?.clone();
            }
            SERIALIZABLE | WRITE_OBJECT => return self.described(r, kind),
            PLAIN => MarshalledClass::Plain(long_name(r)?),
            EXTERNALIZABLE => {
                let name = long_name(r)?;
                let _version: [u8; 8] = r.array()?;
                MarshalledClass::External(name)
            }
            ENUM_TYPE => MarshalledClass::Enum(long_name(r)?),
            PROXY => {
                let mut interfaces = Vec::new();
                for _ in 0..u32::from_be_bytes(r.array()?) {
                    interfaces.push(long_name(r)?);
                }
                MarshalledClass::Proxy(format!("$Proxy({})", interfaces.join(", ")).into())
            }
            EXTERNALIZER => {
                let name = long_name(r)?;
                let at = self.classes.len();
                self.classes.push(None);
                let _externalizer = self.value(r)?;
                let class = Rc::new(MarshalledClass::External(name));
                self.classes[at] = Some(class.clone());
                return Some(class);
            }
            OBJECT_ARRAY => {
                let kind = r.byte()?;
                let name = self.class(r, kind)?.name();
                r.take_text(name.len() + 2)?;
                MarshalledClass::Array(format!("{name}[]").into())
            }
            id => {
                known(id)?;
                return Some(Rc::new(MarshalledClass::Known(id)));
            }
        };
        let class = Rc::new(class);
        self.classes.push(Some(class.clone()));
        Some(class)
    }

    /// A class with its fields.
    fn described(&mut self, r: &mut Reader<'_>, kind: u8) -> Option<Rc<MarshalledClass>> {
        let at = self.classes.len();
        self.classes.push(None);
        let name = self.name(r)?;
        let _version: [u8; 8] = r.array()?;
        let mut class = Fields {
            name: Some(name),
            writes: kind == WRITE_OBJECT,
            ..Fields::default()
        };
        for _ in 0..u32::from_be_bytes(r.array()?) {
            let name = self.name(r)?;
            let kind = r.byte()?;
            let kind = self.field_kind(r, kind)?;
            let _is_unshared = r.byte()?;
            class.own.push((kind, name));
        }
        let kind = r.byte()?;
        let parent = self.class(r, kind)?;
        if let MarshalledClass::Fields(fields) = &*parent {
            class.height = fields.height + 1;
        }
        if class.height > MAX_HEIGHT {
            r.stop(Cut::Deep);
            return None;
        }
        class.parent = Some(parent);
        let class = Rc::new(MarshalledClass::Fields(class));
        self.classes[at] = Some(class.clone());
        Some(class)
    }

    /// The type of a field. It may be the class that is just being described.
    fn field_kind(&mut self, r: &mut Reader<'_>, kind: u8) -> Option<u8> {
        let at = match kind {
            REPEAT_FAR => usize::try_from(u32::from_be_bytes(r.array()?)).ok()?,
            REPEAT_NEAR => below(self.classes.len(), i16::from(r.byte()?) - 0x100)?,
            REPEAT_NEARISH => below(self.classes.len(), i16::from_be_bytes(r.array()?))?,
            _ => return Some(self.class(r, kind)?.kind()),
        };
        let class = self.classes.get(at)?;
        Some(class.as_ref().map_or(b'L', |class| class.kind()))
    }

    /// A name: since version 4 a string like any other.
    fn name(&mut self, r: &mut Reader<'_>) -> Option<Name> {
        r.take_text(4 * size_of::<Name>())?;
        if self.version < 4 {
            return long_name(r);
        }
        self.string(r).map(Name::from)
    }
}

/// A name with its length in four bytes.
fn long_name(r: &mut Reader<'_>) -> Option<Name> {
    r.take_text(4 * size_of::<Name>())?;
    let length = u32::from_be_bytes(r.array()?);
    r.units(usize::try_from(length).ok()?).map(Name::from)
}
