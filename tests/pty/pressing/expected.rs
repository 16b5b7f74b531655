//! What each action does, where it can be seen.

use delayscope::tui::keys::{Action, KeyPlace};
use delayscope::tui::tabs::Tab;

/// What is seen of it.
#[derive(Clone, Copy)]
pub(crate) enum Seen {
    /// A text appears.
    Text(&'static str),
    /// A text goes.
    Gone(&'static str),
    /// The last line begins with that.
    Line(&'static str),
    /// The mark of a cursor stands elsewhere.
    Cursor,
    /// The hints are others.
    Hints,
    /// Other lines are in sight.
    Scroll,
    /// Every cell is written again.
    Redrawn,
    /// The server is looked through for queues.
    Looked,
    /// The shell has the terminal.
    Stopped,
    /// The program has ended well.
    Ended,
}

/// What is to be done first, each with what is seen then; and what is seen of the key.
pub(crate) struct Expected {
    pub(crate) before: Vec<(&'static str, &'static str)>,
    pub(crate) seen: Seen,
}

/// Where something is due: in a minute and a half.
const TENTH_BAR: &str = "\x1b[C\x1b[C\x1b[C\x1b[C\x1b[C\x1b[C\x1b[C\x1b[C\x1b[C\x1b[C";

fn at_once(seen: Seen) -> Expected {
    after(&[], seen)
}

fn after(before: &[(&'static str, &'static str)], seen: Seen) -> Expected {
    Expected {
        before: before.to_vec(),
        seen,
    }
}

/// What a key of `action` does in `place`; none where nothing can be seen of it, as on the tabs
/// that have no rows.
pub(crate) fn expected(action: Action, place: KeyPlace) -> Option<Expected> {
    use Action as A;
    Some(match action {
        A::Up | A::Down | A::PageUp | A::PageDown | A::First | A::Last => moved(action, place)?,
        A::Open => opened(place)?,
        A::Back | A::Quit | A::QuitNow | A::Suspend => left(action, place)?,
        A::NextPane | A::PreviousPane => turned(action, place)?,
        A::Tab(tab) => at_once(Seen::Text(tab_label(tab, place)?)),
        A::BarLeft | A::BarRight if place == KeyPlace::Timeline => return None,
        A::BarLeft | A::BarRight => at_once(Seen::Text("⏎ list")),
        A::ZoomIn => at_once(Seen::Text("[60 s]")),
        A::ZoomOut => at_once(Seen::Text("[1 h]")),
        A::ZoomReset => after(&[("+", "[60 s]")], Seen::Text("[10 min]")),
        // The rules need two looks: by then there is a moment to go back to.
        A::Earlier | A::ChangeBefore => after(&[("", "CRIT")], Seen::Text("THEN ")),
        A::Later => at_once(Seen::Text("this is now")),
        A::ChangeAfter => at_once(Seen::Text("has come or gone since")),
        A::LogHeight => at_once(Seen::Text("log ─")),
        A::Filter
            if matches!(
                place,
                KeyPlace::Queues
                    | KeyPlace::Traffic
                    | KeyPlace::Findings
                    | KeyPlace::Changes
                    | KeyPlace::Nodes
            ) =>
        {
            at_once(Seen::Text("⇥ complete"))
        }
        A::Filter => at_once(Seen::Line("/")),
        A::Jump => at_once(Seen::Line("@")),
        A::NextMatch | A::PreviousMatch => matched(action, place),
        A::Palette => at_once(Seen::Text("⇥ complete")),
        A::Sort if place == KeyPlace::Queues => at_once(Seen::Text("queues by most late")),
        A::Sort => at_once(Seen::Text("last first")),
        A::Mark => at_once(Seen::Text("1 marked")),
        A::MarkRange => at_once(Seen::Text("a range begins here")),
        A::MarkAll if place == KeyPlace::Timeline => {
            after(&[(TENTH_BAR, "▲")], Seen::Text("marked"))
        }
        A::MarkAll => at_once(Seen::Text("marked")),
        A::ReadAs => at_once(Seen::Text("is read as")),
        // The commands of a finding are there once the rules have decided.
        A::CopyPayload | A::CopyCommand if place == KeyPlace::Findings => {
            after(&[("", "PUBSUB NUMSUB")], Seen::Text("copied"))
        }
        A::CopyPayload => at_once(Seen::Text("copied the payload")),
        A::CopyCommand => at_once(Seen::Text("copied")),
        A::Offer => at_once(Seen::Text("^S offer")),
        A::Worker => at_once(Seen::Text("⇥ button")),
        // Its rows are read after it.
        A::Transfer | A::Deliver | A::Requeue | A::Delete | A::Edit | A::Duplicate => {
            let seen = Seen::Text(changed(action, place));
            match place {
                // Its rows are read after its tab is shown.
                KeyPlace::Order => after(&[("", " of 301")], seen),
                _ => at_once(seen),
            }
        }
        A::Kick => at_once(Seen::Text("Wake clients?")),
        A::Examine => at_once(Seen::Text("looked at")),
        A::Repair if place == KeyPlace::Findings => {
            after(&[("", "CRIT")], Seen::Text("Repair ── "))
        }
        A::Repair => at_once(Seen::Text("Repair ── ")),
        A::Undo => at_once(Seen::Text("there is no change of")),
        // Nothing takes long here: they are pressed where something does.
        A::Pause | A::Stop => return None,
        A::Confirm => at_once(Seen::Text("WORKER")),
        A::Refuse => at_once(Seen::Gone("⇥ button")),
        A::Submit => after(&[("hello", "hello")], Seen::Text("offered 1")),
        A::Editor => at_once(Seen::Text("from the editor")),
        A::Toggle | A::Fold => at_once(Seen::Text("› 100 values")),
        A::Unfold => at_once(Seen::Cursor),
        A::CopyPath => at_once(Seen::Text("copied the path")),
        A::Face => at_once(Seen::Text("[text]")),
        A::Freeze => at_once(Seen::Text("FROZEN")),
        A::Refresh if place == KeyPlace::Dialog => at_once(Seen::Text("is no answer")),
        A::Refresh => at_once(Seen::Looked),
        A::Interval => at_once(Seen::Text("refreshed every")),
        A::Redraw => at_once(Seen::Redrawn),
        A::Monitor => at_once(Seen::Text("Run MONITOR for")),
        A::Lives => at_once(Seen::Text("Lives of messages")),
        A::Help if place == KeyPlace::Help => at_once(Seen::Gone("Why is it late")),
        A::Help => at_once(Seen::Text("Why is it late")),
    })
}

/// What the keys for the next and the previous one of several do.
fn turned(action: Action, place: KeyPlace) -> Option<Expected> {
    match place {
        KeyPlace::Form => Some(at_once(Seen::Cursor)),
        KeyPlace::Dialog => Some(at_once(Seen::Text("[›y start"))),
        // The next pane is the one that shows the same beside it.
        KeyPlace::Traffic if action == Action::NextPane => None,
        KeyPlace::Help => Some(at_once(Seen::Gone("Why is it late"))),
        _ => Some(at_once(Seen::Hints)),
    }
}

/// What a key that changes shows: on entries what it does, elsewhere why it does nothing.
fn changed(action: Action, place: KeyPlace) -> &'static str {
    use Action as A;
    let waits = matches!(place, KeyPlace::Entries | KeyPlace::Order | KeyPlace::Entry);
    match (action, place) {
        (A::Requeue, KeyPlace::Delivered | KeyPlace::Queues | KeyPlace::Timeline) => "⏎ requeue",
        (A::Delete, KeyPlace::Delivered) => "Delete?",
        (_, KeyPlace::Delivered) => "delivered already",
        (A::Transfer, _) => "Transfer?",
        (A::Deliver, _) if waits => "Transfer now?",
        (A::Requeue, _) if waits => "⏎ requeue",
        (A::Delete, _) if waits => "Delete?",
        (A::Edit, _) if waits => "^S save",
        (_, _) if waits => "Duplicate?",
        _ => "choose entries first",
    }
}

fn moved(action: Action, place: KeyPlace) -> Option<Expected> {
    let seen = match place {
        KeyPlace::Queues | KeyPlace::Entries | KeyPlace::Delivered | KeyPlace::Order => {
            Seen::Cursor
        }
        KeyPlace::Entry | KeyPlace::Help => Seen::Scroll,
        _ => return None,
    };
    let upwards = matches!(action, Action::Up | Action::PageUp | Action::First);
    let end = match place {
        KeyPlace::Queues => "zeta  ",
        KeyPlace::Entries | KeyPlace::Order => "entry 300",
        KeyPlace::Delivered => "delivered 59",
        KeyPlace::Entry => "line-099",
        _ => "there is no such thing",
    };
    // The keys are more than there is room for.
    let page = (place == KeyPlace::Help).then_some(("?", "open; list a bar"));
    let to_end = upwards.then_some(("G", end));
    let before: Vec<_> = page.into_iter().chain(to_end).collect();
    Some(after(&before, seen))
}

fn opened(place: KeyPlace) -> Option<Expected> {
    Some(match place {
        KeyPlace::Queues | KeyPlace::Findings => at_once(Seen::Gone("Queues")),
        KeyPlace::Timeline => at_once(Seen::Text("chooses a bar")),
        KeyPlace::Entries | KeyPlace::Delivered | KeyPlace::Order => {
            at_once(Seen::Text("next view"))
        }
        KeyPlace::Traffic => at_once(Seen::Text("nothing has been announced")),
        KeyPlace::Changes => at_once(Seen::Text("no change to open")),
        KeyPlace::Nodes => at_once(Seen::Text("has no more to show")),
        _ => return None,
    })
}

/// On the first screen Esc has nothing to close; what is typed into a form is no command.
fn left(action: Action, place: KeyPlace) -> Option<Expected> {
    let back = match place {
        KeyPlace::Entry => Some("next view"),
        KeyPlace::Help => Some("Why is it late"),
        KeyPlace::Dialog => Some("⇥ button"),
        KeyPlace::Form => Some("^S offer"),
        _ => None,
    };
    Some(match (action, back) {
        (Action::QuitNow, _) => at_once(Seen::Ended),
        (Action::Suspend, _) => at_once(Seen::Stopped),
        (Action::Quit, _) if place == KeyPlace::Form => return None,
        (_, Some(text)) => at_once(Seen::Gone(text)),
        (Action::Quit, None) => at_once(Seen::Ended),
        (_, None) if place == KeyPlace::Entries => {
            after(&[(" ", "1 marked")], Seen::Gone("1 marked"))
        }
        _ => return None,
    })
}

fn matched(action: Action, place: KeyPlace) -> Expected {
    if place != KeyPlace::Entry {
        return at_once(Seen::Text("no filter is on"));
    }
    let other = match action {
        Action::NextMatch => "2 of 100",
        _ => "100 of 100",
    };
    after(
        &[("/line-", "/line-"), ("\r", "1 of 100")],
        Seen::Text(other),
    )
}

/// A tab is seen where it was not yet.
fn tab_label(tab: Tab, place: KeyPlace) -> Option<&'static str> {
    let (label, own) = match tab {
        Tab::Waiting => ("[1 waiting", KeyPlace::Entries),
        Tab::Delivered => ("[2 delivered", KeyPlace::Delivered),
        Tab::Order => ("[3 order list", KeyPlace::Order),
        Tab::Traffic => ("[4 traffic", KeyPlace::Traffic),
        Tab::Findings => ("[5 findings", KeyPlace::Findings),
        Tab::Changes => ("[6 journal", KeyPlace::Changes),
        // The order list has the same keys, and is another tab.
        Tab::Quarantine => return Some("[7 quarantine"),
        Tab::Nodes => ("[8 nodes", KeyPlace::Nodes),
    };
    let on_waiting = matches!(place, KeyPlace::Queues | KeyPlace::Timeline);
    (place != own && !(tab == Tab::Waiting && on_waiting)).then_some(label)
}
