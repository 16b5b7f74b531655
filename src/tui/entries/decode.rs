//! From the bytes of a member or an element to a row, ready to be shown.

use super::EntryRow;
use crate::payload::{DecodedPayload, Effort, Habit};
use crate::queue::{EntryId, List, Queue};
use crate::tui::tabs::Tab;

/// The queue of an entry, and how that queue's payloads are read.
pub(crate) type QueueHabit<'a> = (&'a Queue, Habit);

/// An entry in its frame; its payload is read so.
fn row_of(
    queue: &Queue,
    member: Vec<u8>,
    score: f64,
    read: impl FnOnce(&[u8]) -> DecodedPayload,
) -> EntryRow {
    match queue.unwrap(&member) {
        Ok(unwrapped) => EntryRow {
            due: queue.due(score),
            id: unwrapped.id,
            form: unwrapped.form,
            size: unwrapped.payload.len(),
            content: Ok(read(unwrapped.payload)),
            score,
            member,
        },
        Err(error) => EntryRow {
            due: queue.due(score),
            id: EntryId::of_bytes(&member),
            form: None,
            size: member.len(),
            content: Err(error),
            score,
            member,
        },
    }
}

/// An entry of the tab, ready to be shown.
pub(crate) fn of_tab(
    (queue, habit): QueueHabit<'_>,
    tab: Tab,
    member: Vec<u8>,
    score: f64,
) -> EntryRow {
    read_as(queue, tab, member, score, |payload| habit.decode(payload))
}

/// The same, if that takes no more than the effort that is left.
pub(crate) fn of_tab_within(
    (queue, habit): QueueHabit<'_>,
    tab: Tab,
    member: &[u8],
    score: f64,
    effort: &mut Effort,
) -> Option<EntryRow> {
    let payload = match tab {
        Tab::Delivered => member,
        _ => queue
            .unwrap(member)
            .map_or(&[][..], |inside| inside.payload),
    };
    let decoded = habit.decode_within(payload, effort)?;
    Some(read_as(queue, tab, member.to_vec(), score, |_| decoded))
}

fn read_as(
    queue: &Queue,
    tab: Tab,
    member: Vec<u8>,
    score: f64,
    read: impl FnOnce(&[u8]) -> DecodedPayload,
) -> EntryRow {
    match tab {
        Tab::Delivered => of_list(queue, List::Target, member, score, read),
        _ => row_of(queue, member, score, read),
    }
}

/// An element, ready to be shown: those of target are bare payloads.
pub(crate) fn of_list(
    queue: &Queue,
    list: List,
    element: Vec<u8>,
    score: f64,
    read: impl FnOnce(&[u8]) -> DecodedPayload,
) -> EntryRow {
    match list {
        List::Order | List::Quarantine => row_of(queue, element, score, read),
        List::Target => EntryRow {
            due: queue.due(score),
            id: EntryId::of_bytes(&element),
            form: None,
            size: element.len(),
            content: Ok(read(&element)),
            score,
            member: element,
        },
    }
}
