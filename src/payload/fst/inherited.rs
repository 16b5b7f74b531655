//! Objects of classes that extend one of the JDK's: FST does not say which, only what that one
//! wrote before the fields of the class's own. Those shapes are told from each other by reading
//! them.

use super::levels::{BY_DEFAULT, PLAIN, date, end};
use super::parts::compact_int;
use super::{Fst, jdk};
use crate::payload::reader::Reader;
use crate::payload::tree::{Name, Shape, TreeNode};

/// The load factor of a map, as everybody has it: 0.75.
const LOAD_FACTOR: &[u8] = &0.75_f32.to_le_bytes();

/// Reads what one of the JDK's classes wrote, with the mark that another class's part follows.
type Base = fn(&mut Fst, &mut Reader<'_>) -> Option<TreeNode>;

const BASES: [Base; 8] = [
    hash_map, hash_set, array_list, linked, tree_map, tree_set, day, decimal,
];

/// An object of a class that is none of the JDK's: what it is of one of those, with its own fields.
pub(super) fn content(
    fst: &mut Fst,
    r: &mut Reader<'_>,
    class: &Name,
    last: bool,
) -> Option<TreeNode> {
    let begins = r.rest().starts_with(BY_DEFAULT) || r.rest().starts_with(&[PLAIN, 0]);
    if class.starts_with("java") || !begins {
        return None;
    }
    let here = r.mark();
    let names = fst.names.len();
    for base in BASES {
        if let Some(node) = base(fst, r)
            && let Some(own) = fst.fields(r, last)
            && let Shape::Nameless(mut own) = own.shape
        {
            if own.is_empty() {
                return Some(node.of(class.clone()));
            }
            own.insert(0, node);
            return Some(TreeNode::new(Shape::Nameless(own)).of(class.clone()));
        }
        if r.is_cut() {
            return None;
        }
        r.back(here);
        fst.names.truncate(names);
    }
    None
}

/// `LinkedHashMap` says besides in which order its entries are.
fn hash_map(fst: &mut Fst, r: &mut Reader<'_>) -> Option<TreeNode> {
    r.expect(BY_DEFAULT)?;
    r.expect(LOAD_FACTOR)?;
    let _threshold = compact_int(r)?;
    end(r)?;
    let _capacity = compact_int(r)?;
    let node = fst.entries(r)?;
    r.expect(&[PLAIN])?;
    if matches!(r.rest(), [0x00 | 0x80, 0, PLAIN, ..]) {
        r.bytes(3)?;
    }
    Some(node)
}

fn hash_set(fst: &mut Fst, r: &mut Reader<'_>) -> Option<TreeNode> {
    r.expect(BY_DEFAULT)?;
    end(r)?;
    let _capacity = compact_int(r)?;
    r.expect(LOAD_FACTOR)?;
    followed(fst.elements(r)?, r)
}

fn array_list(fst: &mut Fst, r: &mut Reader<'_>) -> Option<TreeNode> {
    r.expect(BY_DEFAULT)?;
    let count = usize::try_from(compact_int(r)?).ok()?;
    end(r)?;
    let _capacity = compact_int(r)?;
    let elements = r.items(count, |r| fst.value(r))?;
    followed(TreeNode::new(Shape::List(elements)), r)
}

/// A `LinkedList`, an `ArrayDeque`, a `CopyOnWriteArrayList`.
fn linked(fst: &mut Fst, r: &mut Reader<'_>) -> Option<TreeNode> {
    r.expect(BY_DEFAULT)?;
    end(r)?;
    followed(fst.elements(r)?, r)
}

fn tree_map(fst: &mut Fst, r: &mut Reader<'_>) -> Option<TreeNode> {
    r.expect(BY_DEFAULT)?;
    let _comparator = fst.value(r)?;
    end(r)?;
    followed(fst.entries(r)?, r)
}

fn tree_set(fst: &mut Fst, r: &mut Reader<'_>) -> Option<TreeNode> {
    r.expect(BY_DEFAULT)?;
    end(r)?;
    let _comparator = fst.value(r)?;
    followed(fst.elements(r)?, r)
}

fn day(_: &mut Fst, r: &mut Reader<'_>) -> Option<TreeNode> {
    date(r)
}

fn decimal(fst: &mut Fst, r: &mut Reader<'_>) -> Option<TreeNode> {
    followed(jdk::decimal(fst, r)?, r)
}

fn followed(node: TreeNode, r: &mut Reader<'_>) -> Option<TreeNode> {
    r.expect(&[PLAIN])?;
    Some(node)
}
