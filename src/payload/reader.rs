//! Reading bytes front to back within bounds.
//!
//! Every reader returns `None` for what the codec cannot have written. What is over a bound is no
//! error: [`Reader::node`] puts a node there that is marked as cut, and from then on nothing can
//! be read any more. [`Reader::items`] and [`Reader::fields`] then return what they have; whoever
//! reads an end mark after them asks [`Reader::is_cut`] first.

mod units;

use super::tree::{Cut, Name, Shape, TreeField, TreeNode};

pub(super) use units::write_units;

/// Nesting that is read. Each level takes stack: a thread may have 2 MB of it.
const MAX_DEPTH: u32 = 100;
/// Values of a payload that are read: a node takes some 100 bytes, in a tree and as JSON.
const MAX_NODES: u32 = 24_000;
/// Bytes of text that are copied from a payload besides what it is long itself.
const MORE_TEXT: usize = 1 << 20;

/// The budget of all codecs together for a payload.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
    /// Values looked at, those of attempts that came to nothing too.
    pub(super) work: u32,
    /// Bytes that may still be unpacked from compressed ones.
    pub(super) unpack: usize,
    /// Something was not read since it would have cost more than was left.
    pub(super) is_short: bool,
}

impl Budget {
    /// The budget for one payload.
    pub(super) const fn full() -> Self {
        Self::of(150_000, 2 << 20)
    }

    /// A budget of so much of both.
    pub(super) const fn of(work: u32, unpack: usize) -> Self {
        Self {
            work,
            unpack,
            is_short: false,
        }
    }
}

/// Bytes not read yet, and what may still be spent on them.
pub(super) struct Reader<'a> {
    all: &'a [u8],
    rest: &'a [u8],
    depth: u32,
    nodes: u32,
    text: usize,
    budget: Budget,
    cut: Option<Cut>,
}

/// A place to come [back](Reader::back) to.
#[derive(Clone, Copy)]
pub(super) struct Mark<'a> {
    rest: &'a [u8],
    nodes: u32,
    text: usize,
    cut: Option<Cut>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8], budget: Budget) -> Self {
        Self {
            all: bytes,
            rest: bytes,
            depth: 0,
            nodes: MAX_NODES,
            text: bytes.len().saturating_add(MORE_TEXT),
            budget,
            cut: None,
        }
    }

    /// The budget that is left to spend.
    pub(super) const fn budget(&self) -> Budget {
        self.budget
    }

    /// Tells whether something was over a bound.
    pub(super) const fn is_cut(&self) -> bool {
        self.cut.is_some()
    }

    /// The bound that the payload was over.
    pub(super) const fn why_cut(&self) -> Option<Cut> {
        self.cut
    }

    /// `value`, if nothing is left to read: a codec must explain every byte, save of what was cut.
    pub(super) fn at_end<T>(&self, value: T) -> Option<T> {
        (self.rest.is_empty() || self.is_cut()).then_some(value)
    }

    /// One value, read by `read`: every value goes through here, at each level, and gets its span.
    /// Over a bound there is a node in its place that says so.
    pub(super) fn node(
        &mut self,
        read: impl FnOnce(&mut Self) -> Option<TreeNode>,
    ) -> Option<TreeNode> {
        if self.is_cut() {
            return None;
        }
        let start = self.at();
        if self.depth >= MAX_DEPTH {
            return Some(self.cut(Cut::Deep, start));
        }
        if self.nodes == 0 || self.budget.work == 0 {
            self.budget.is_short |= self.budget.work == 0;
            return Some(self.cut(Cut::Many, start));
        }
        self.nodes -= 1;
        self.budget.work -= 1;
        self.depth += 1;
        let node = read(self);
        self.depth -= 1;
        match (node, self.cut) {
            (Some(mut node), _) => {
                if node.span == (0..0) {
                    node.span = span(start, self.at());
                }
                Some(node)
            }
            (None, Some(why)) => Some(self.cut(why, start)),
            (None, None) => None,
        }
    }

    /// Reads what is no value and can stand in another of its kind, as a class does in the one
    /// below it: it takes stack as a value does.
    pub(super) fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        if self.depth >= MAX_DEPTH {
            self.stop(Cut::Deep);
            return None;
        }
        self.depth += 1;
        let read = read(self);
        self.depth -= 1;
        read
    }

    /// `count` values, each read by `each`: fewer when something is over a bound.
    pub(super) fn items(
        &mut self,
        count: usize,
        mut each: impl FnMut(&mut Self) -> Option<TreeNode>,
    ) -> Option<Vec<TreeNode>> {
        let mut nodes = Vec::new();
        for _ in 0..count {
            match each(self) {
                Some(node) => nodes.push(node),
                None if self.is_cut() => {
                    nodes.extend(self.lost());
                    break;
                }
                None => return None,
            }
        }
        Some(nodes)
    }

    /// `count` fields, each read by `each`, which is told its number: as [`items`](Self::items).
    pub(super) fn fields(
        &mut self,
        count: usize,
        mut each: impl FnMut(&mut Self, usize) -> Option<(Name, TreeNode)>,
    ) -> Option<Vec<TreeField>> {
        let mut fields = Vec::new();
        for i in 0..count {
            match each(self, i) {
                Some((name, node)) => fields.push(TreeField { name, node }),
                None if self.is_cut() => break,
                None => return None,
            }
        }
        Some(fields)
    }

    /// `count` pairs of key and value, each read by `each`: as [`items`](Self::items).
    pub(super) fn pairs(
        &mut self,
        count: usize,
        mut each: impl FnMut(&mut Self) -> Option<TreeNode>,
    ) -> Option<Vec<(TreeNode, TreeNode)>> {
        let mut pairs = Vec::new();
        for _ in 0..count {
            let key = match each(self) {
                Some(key) => key,
                None if self.is_cut() => {
                    let lost = self.lost();
                    pairs.extend(lost.map(|lost| (TreeNode::text("…"), lost)));
                    break;
                }
                None => return None,
            };
            match (each(self), self.cut) {
                (Some(value), _) => pairs.push((key, value)),
                (None, Some(why)) => {
                    pairs.push((key, TreeNode::new(Shape::Cut(why))));
                    break;
                }
                (None, None) => return None,
            }
        }
        Some(pairs)
    }

    /// The node that stands for values which cannot be told apart from what was read before them.
    /// Over any other bound the value that is over it says so itself.
    fn lost(&self) -> Option<TreeNode> {
        let why = self.cut.filter(|why| *why == Cut::Unreadable)?;
        Some(TreeNode::new(Shape::Cut(why)))
    }

    /// Ends all reading: what comes is over a bound.
    pub(super) fn stop(&mut self, why: Cut) {
        self.cut = Some(why);
        self.rest = &[];
    }

    fn cut(&mut self, why: Cut, start: usize) -> TreeNode {
        self.stop(why);
        let mut node = TreeNode::new(Shape::Cut(why));
        node.span = span(start, self.all.len());
        node
    }

    /// Spends work on something that is no value; over the bound reading ends.
    pub(super) fn spend(&mut self, work: usize) -> Option<()> {
        let work = u32::try_from(work).unwrap_or(u32::MAX);
        let Some(left) = self.budget.work.checked_sub(work) else {
            self.budget.work = 0;
            self.budget.is_short = true;
            self.stop(Cut::Many);
            return None;
        };
        self.budget.work = left;
        Some(())
    }

    /// Takes room for `nodes` that have no bytes of their own; over the bound reading ends.
    pub(super) fn take_nodes(&mut self, nodes: usize) -> Option<()> {
        let left = u32::try_from(nodes)
            .ok()
            .and_then(|nodes| self.nodes.checked_sub(nodes));
        let Some(left) = left else {
            self.stop(Cut::Many);
            return None;
        };
        self.nodes = left;
        self.spend(nodes)
    }

    /// Takes room for `bytes` of text; over the bound reading ends.
    pub(super) fn take_text(&mut self, bytes: usize) -> Option<()> {
        let Some(left) = self.text.checked_sub(bytes) else {
            self.stop(Cut::Long);
            return None;
        };
        self.text = left;
        Some(())
    }

    /// Takes room for `bytes` that are unpacked; over the bound reading ends.
    pub(super) fn take_unpacked(&mut self, bytes: usize) -> Option<()> {
        let Some(left) = self.budget.unpack.checked_sub(bytes) else {
            self.budget.is_short = true;
            self.stop(Cut::Unpacked);
            return None;
        };
        self.budget.unpack = left;
        Some(())
    }

    /// Bytes that were read.
    pub(super) const fn at(&self) -> usize {
        self.all.len() - self.rest.len()
    }

    /// All bytes, read or not: by those before, one can tell those that come.
    pub(super) const fn all(&self) -> &'a [u8] {
        self.all
    }

    /// The place that is read next.
    pub(super) const fn mark(&self) -> Mark<'a> {
        Mark {
            rest: self.rest,
            nodes: self.nodes,
            text: self.text,
            cut: self.cut,
        }
    }

    /// The span of the `length` bytes at a place.
    pub(super) const fn span_at(&self, mark: Mark<'a>, length: usize) -> std::ops::Range<u32> {
        let start = self.all.len() - mark.rest.len();
        span(start, start + length)
    }

    /// Goes back to a place, to read it in another way. The work that was done stays spent.
    pub(super) fn back(&mut self, mark: Mark<'a>) {
        self.rest = mark.rest;
        self.nodes = mark.nodes;
        self.text = mark.text;
        self.cut = mark.cut;
    }

    pub(super) fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(first)
    }

    /// The next byte, without stepping over it.
    pub(super) fn peek(&self) -> Option<u8> {
        self.rest.first().copied()
    }

    pub(super) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (&first, rest) = self.rest.split_first_chunk::<N>()?;
        self.rest = rest;
        Some(first)
    }

    /// The next `count` bytes, as they lie.
    pub(super) fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let (first, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(first)
    }

    /// Steps over `expected`, if that is what comes next.
    pub(super) fn expect(&mut self, expected: &[u8]) -> Option<()> {
        self.rest = self.rest.strip_prefix(expected)?;
        Some(())
    }

    /// The bytes that are left, without reading them.
    pub(super) const fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// The next `count` bytes as UTF-8.
    pub(super) fn utf8(&mut self, count: usize) -> Option<&'a str> {
        let bytes = self.bytes(count)?;
        self.take_text(count)?;
        str::from_utf8(bytes).ok()
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "a payload has at most 512 MB"
)]
const fn span(start: usize, end: usize) -> std::ops::Range<u32> {
    start as u32..end as u32
}
