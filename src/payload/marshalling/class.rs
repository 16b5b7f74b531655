//! The classes that River describes, or has a number for.

use std::rc::Rc;

use crate::payload::tree::Name;

/// A class, as it is described before its objects.
#[derive(Debug)]
pub(super) enum MarshalledClass {
    /// An object by its fields, class by class.
    Fields(Fields),
    /// Blocks that `writeExternal` or an externalizer wrote.
    External(Name),
    /// The constants of an enum.
    Enum(Name),
    /// A dynamic proxy, by its interfaces.
    Proxy(Name),
    /// Arrays of objects.
    Array(Name),
    /// A class with a number of its own: boxed values, arrays of primitives, the JDK's collections.
    Known(u8),
    /// Any other.
    Plain(Name),
}

/// A class whose objects lie field by field.
#[derive(Debug, Default)]
pub(super) struct Fields {
    pub(super) name: Option<Name>,
    /// True when `writeObject` wrote more than the fields.
    pub(super) writes: bool,
    /// The first letter of each field's type in a class file, and its name.
    pub(super) own: Vec<(u8, Name)>,
    pub(super) parent: Option<Rc<MarshalledClass>>,
    /// The count of its superclasses.
    pub(super) height: u32,
}

impl MarshalledClass {
    /// The name that Java calls it by.
    pub(super) fn name(&self) -> Name {
        match self {
            Self::Fields(fields) => fields.name.clone().unwrap_or_else(|| Name::from("")),
            Self::External(name)
            | Self::Enum(name)
            | Self::Proxy(name)
            | Self::Array(name)
            | Self::Plain(name) => name.clone(),
            Self::Known(id) => Name::from(known(*id).unwrap_or_default()),
        }
    }

    /// The first letter of the type of a field of this class.
    pub(super) const fn kind(&self) -> u8 {
        match self {
            Self::Known(id) => primitive(*id),
            _ => b'L',
        }
    }

    /// The class and those above it whose objects lie field by field, the topmost first.
    pub(super) fn hierarchy(&self) -> Vec<&Fields> {
        let mut levels = Vec::new();
        let mut class = Some(self);
        while let Some(Self::Fields(fields)) = class {
            levels.push(fields);
            class = fields.parent.as_deref();
        }
        levels.reverse();
        levels
    }
}

/// The letter of a primitive type.
const fn primitive(id: u8) -> u8 {
    match id {
        0x20 => b'Z',
        0x21 => b'B',
        0x22 => b'S',
        0x23 => b'I',
        0x24 => b'J',
        0x25 => b'C',
        0x26 => b'F',
        0x27 => b'D',
        _ => b'L',
    }
}

/// The elements of an array of primitives, by the number of its class.
pub(super) const fn element(array: u8) -> Option<u8> {
    Some(match array {
        0x18 => b'Z',
        0x19 => b'B',
        0x1a => b'S',
        0x1b => b'I',
        0x1c => b'J',
        0x1d => b'C',
        0x1e => b'F',
        0x1f => b'D',
        _ => return None,
    })
}

/// The class that has this number.
pub(super) const fn known(id: u8) -> Option<&'static str> {
    Some(match id {
        0x14 => "java.lang.String",
        0x15 => "java.lang.Class",
        0x16 => "java.lang.Object",
        0x17 => "java.lang.Enum",
        0x18 => "boolean[]",
        0x19 => "byte[]",
        0x1a => "short[]",
        0x1b => "int[]",
        0x1c => "long[]",
        0x1d => "char[]",
        0x1e => "float[]",
        0x1f => "double[]",
        0x20 => "boolean",
        0x21 => "byte",
        0x22 => "short",
        0x23 => "int",
        0x24 => "long",
        0x25 => "char",
        0x26 => "float",
        0x27 => "double",
        0x28 => "void",
        0x29 => "java.lang.Boolean",
        0x2a => "java.lang.Byte",
        0x2b => "java.lang.Short",
        0x2c => "java.lang.Integer",
        0x2d => "java.lang.Long",
        0x2e => "java.lang.Character",
        0x2f => "java.lang.Float",
        0x30 => "java.lang.Double",
        0x31 => "java.lang.Void",
        _ => return collection(id),
    })
}

const fn collection(id: u8) -> Option<&'static str> {
    Some(match id {
        0x5a => "java.util.ArrayList",
        0x5b => "java.util.LinkedList",
        0x5c => "java.util.Collections$SingletonList",
        0x5d => "java.util.Collections$EmptyList",
        0x5e => "java.util.HashSet",
        0x5f => "java.util.LinkedHashSet",
        0x60 => "java.util.TreeSet",
        0x61 => "java.util.Collections$SingletonSet",
        0x62 => "java.util.Collections$EmptySet",
        0x63 => "java.util.IdentityHashMap",
        0x64 => "java.util.HashMap",
        0x65 => "java.util.Hashtable",
        0x66 => "java.util.LinkedHashMap",
        0x67 => "java.util.TreeMap",
        0x68 => "java.util.Collections$SingletonMap",
        0x69 => "java.util.Collections$EmptyMap",
        0x6a | 0x6b => "java.util.EnumSet",
        0x6c => "java.util.EnumMap",
        0x6d => "java.util.AbstractCollection",
        0x6e => "java.util.AbstractSet",
        0x6f => "java.util.AbstractList",
        0x70 => "java.util.AbstractQueue",
        0x71 => "java.util.AbstractSequentialList",
        0x72 => "java.util.concurrent.ConcurrentHashMap",
        0x73 => "java.util.concurrent.CopyOnWriteArrayList",
        0x74 => "java.util.concurrent.CopyOnWriteArraySet",
        0x75 => "java.util.Vector",
        0x76 => "java.util.Stack",
        0x77 => "org.jboss.marshalling.Pair",
        0x78 => "java.util.ArrayDeque",
        0x79 | 0x7a => "java.util.Collections$ReverseComparator",
        0x7b => "java.util.Collections$CopiesList",
        0x7c => "java.util.Collections$UnmodifiableCollection",
        0x7d => "java.util.Collections$UnmodifiableList",
        0x7e => "java.util.Collections$UnmodifiableMap",
        0x7f => "java.util.Collections$UnmodifiableSet",
        0x80 => "java.util.Collections$UnmodifiableSortedSet",
        0x81 => "java.util.Collections$UnmodifiableSortedMap",
        0x82 => "java.util.Collections$UnmodifiableMap$UnmodifiableEntrySet",
        _ => return None,
    })
}
