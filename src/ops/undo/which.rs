//! The choice of the change that is taken back, and the check whether it can be.

use super::super::journal::{Journal, JournalledChange, ServerId};
use super::super::plan::ChangeError;
use crate::clock::{EpochMillis, local_now};
use crate::queue::{Outcome, Queue, Tally, text};

/// Finds the newest change on this server that can be taken back and was not, and needs no id for
/// that. `of`: of that queue only.
pub(super) async fn newest(
    journal: &Journal,
    server: &ServerId,
    of: Option<&Queue>,
) -> Result<JournalledChange, ChangeError> {
    let wanted = |kept: &JournalledChange| {
        let change = kept.head.change;
        change.is_undone_as_newest()
            && !kept.under_way
            && kept.undone_by.is_none()
            && kept
                .ended
                .is_none_or(|tally| tally.get(Outcome::Done) + tally.get(Outcome::Unknown) > 0)
    };
    let all = journal.list().await?;
    // What an undo has tried and found nothing left to do for is not tried for ever.
    let tried = |kept: &JournalledChange| {
        all.iter().any(|undo| {
            let over = |tally: Tally| tally.get(Outcome::Left) + tally.get(Outcome::Unknown) == 0;
            undo.head.undoes.as_ref() == Some(&kept.id)
                && undo.undone_by.is_none()
                && undo.ended.is_some_and(over)
        })
    };
    let mut open = all.iter().filter(|kept| wanted(kept) && !tried(kept));
    let other = open.clone().next();
    let is_here = |kept: &&JournalledChange| kept.is_of(server);
    let of_another = open.clone().find(is_here);
    let meant =
        |kept: &&JournalledChange| is_here(kept) && of.is_none_or(|queue| is_of(kept, queue));
    open.find(meant).cloned().ok_or_else(|| {
        let whose = match of {
            Some(queue) => text::printable_bytes(queue.name.as_bytes()),
            None => "this server".to_owned(),
        };
        let why = format!("there is no change of {whose} left that could be taken back");
        let more = match (of_another, other) {
            (Some(kept), _) => format!("; the newest, {}", said(kept, local_now())),
            (None, Some(JournalledChange { id, head, .. })) => {
                let on = &head.server.server;
                format!("; {id} was made on {on}, another one or this one before a restart")
            }
            (None, None) => String::new(),
        };
        ChangeError::Nothing(format!("{why}{more}"))
    })
}

/// True of a change of that queue.
fn is_of(kept: &JournalledChange, queue: &Queue) -> bool {
    Queue::typed(&kept.head.queue).is_ok_and(|of| of == *queue)
}

/// `"delete", is of bookings, 12 s ago`.
fn said(kept: &JournalledChange, now: EpochMillis) -> String {
    format!(
        "\"{}\", is {}",
        kept.head.change.label(),
        of_and_when(kept, now)
    )
}

/// `of bookings, 12 s ago`.
fn of_and_when(kept: &JournalledChange, now: EpochMillis) -> String {
    let queue = text::printable_bytes(&kept.head.queue);
    format!("of {queue}, {} ago", text::age(now.since(kept.at).max(0)))
}

/// Refuses a change that cannot be taken back. `elsewhere`: on another server than this one, which
/// a shell reaches by that.
pub(super) fn check(
    kept: &JournalledChange,
    elsewhere: Option<&String>,
    force: bool,
) -> Result<(), ChangeError> {
    let id = &kept.id;
    if kept.under_way {
        return Err(senseless(format!("the change {id} is still under way")));
    }
    if let Some(by) = kept.undone_by.as_ref().filter(|_| !force) {
        return Err(senseless(format!(
            "the change {id} was taken back by {by}; to have it again, undo {by}"
        )));
    }
    if !kept.head.change.can_be_undone() {
        let change = kept.head.change.label();
        return Err(senseless(format!("\"{change}\" cannot be taken back")));
    }
    if let Some(program) = elsewhere.filter(|_| !force) {
        return Err(senseless(format!(
            "the change {id} was made on {}, and this is another server or has lost its data \
             since. `{program} undo --force {id}` takes it back here all the same",
            kept.head.server.server
        )));
    }
    Ok(())
}

pub(super) fn senseless(why: String) -> ChangeError {
    ChangeError::Senseless(why)
}

/// The sentence that says what is taken back. `known`: what its last script was to try is.
pub(super) fn sentence(kept: &JournalledChange, known: bool, now: EpochMillis) -> String {
    let (id, change, of) = (&kept.id, kept.head.change.label(), of_and_when(kept, now));
    match kept.ended {
        Some(tally) => format!(
            "It takes back \"{change}\" {of} ({id}), {} of {} done.",
            text::thousands(tally.get(Outcome::Done)),
            text::thousands(kept.head.planned)
        ),
        None if known => format!(
            "It takes back \"{change}\" {of} ({id}), that was never ended. What its last script was to \
             do is looked up entry by entry."
        ),
        None => format!(
            "It takes back \"{change}\" {of} ({id}), that was never ended, and it is not known how far \
             it came: all without a result is looked up entry by entry."
        ),
    }
}
