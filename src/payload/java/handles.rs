//! Values that a stream numbers as they appear, to refer to them by their number.

use crate::payload::java::{self, Level};
use crate::payload::reader::Reader;
use crate::payload::tree::{Name, Shape, TreeNode};

/// Objects numbered so far.
#[derive(Default)]
pub(in crate::payload) struct Handles(Vec<Option<TreeNode>>);

impl Handles {
    /// Takes the next number, for what will be known later.
    pub(in crate::payload) fn number(&mut self) -> usize {
        self.0.push(None);
        self.0.len() - 1
    }

    /// Gives the next number to a value.
    pub(in crate::payload) fn add(
        &mut self,
        r: &mut Reader<'_>,
        node: TreeNode,
    ) -> Option<TreeNode> {
        let at = self.number();
        self.set(r, at, node)
    }

    /// Puts a value where its number was taken: a copy of it if it is short, for whoever refers to
    /// it; else it is referred to by its id.
    pub(in crate::payload) fn set(
        &mut self,
        r: &mut Reader<'_>,
        at: usize,
        node: TreeNode,
    ) -> Option<TreeNode> {
        if node.is_leaf() && !matches!(node.shape, Shape::Bytes(_)) {
            charge(r, &node)?;
            *self.0.get_mut(at)? = Some(node.clone());
        }
        Some(node.called(id(at)))
    }

    /// Puts an object where its number was taken.
    pub(in crate::payload) fn object(
        &mut self,
        r: &mut Reader<'_>,
        at: usize,
        class: &Name,
        mut levels: Vec<Level<'_>>,
    ) -> Option<TreeNode> {
        java::without_itself(&mut levels, id(at));
        let node = java::object(r, class, levels)?;
        self.set(r, at, node)
    }

    /// Reads what bears that number.
    pub(in crate::payload) fn refer(&self, r: &mut Reader<'_>, at: usize) -> Option<TreeNode> {
        match self.0.get(at)? {
            None => Some(TreeNode::new(Shape::Same(id(at)))),
            Some(node) => {
                charge(r, node)?;
                let mut node = node.clone();
                node.span = 0..0;
                Some(node)
            }
        }
    }

    /// The text that bears that number.
    pub(in crate::payload) fn text(&self, r: &mut Reader<'_>, at: usize) -> Option<String> {
        match self.refer(r, at)?.shape {
            Shape::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The count of numbers given.
    pub(in crate::payload) fn len(&self) -> usize {
        self.0.len()
    }

    /// Forgets what was numbered after the first so many; none if fewer are known.
    pub(in crate::payload) fn forget(&mut self, first: usize) -> Option<()> {
        if first > self.0.len() {
            return None;
        }
        self.0.truncate(first);
        Some(())
    }

    /// Begins again with the first number.
    pub(in crate::payload) fn clear(&mut self) {
        self.0.clear();
    }
}

fn charge(r: &mut Reader<'_>, node: &TreeNode) -> Option<()> {
    match &node.shape {
        Shape::Text(text) => r.take_text(text.len()),
        _ => Some(()),
    }
}

/// The id by which nodes refer to the thing with that number.
fn id(at: usize) -> u32 {
    u32::try_from(at + 1).unwrap_or(u32::MAX)
}
