//! The choice of entries: what was typed, checked, and as the selection that reads them.

use anyhow::bail;

use crate::args;
use crate::clock::EpochMillis;
use crate::clock::when::TypedMoment;
use crate::ops::entries::{EntryPlace, Selection};
use crate::payload::Habit;
use crate::queue::Filter;

/// The entries that were asked for, checked.
#[derive(Clone, Debug)]
pub(super) struct CheckedPick {
    /// The place to look for them.
    pub(super) from: EntryPlace,
    ids: Vec<String>,
    due_before: Option<TypedMoment>,
    due_after: Option<TypedMoment>,
    filter: Filter,
}

impl CheckedPick {
    /// Reads what was typed; refused where it would silently match nothing, or be passed over.
    pub(super) fn of(asked: &args::Pick) -> anyhow::Result<Self> {
        let filter = filter(asked.grep.as_deref().unwrap_or(""))?;
        let elsewhere = matches!(
            asked.from,
            Some(
                args::FromFlag::Delivered
                    | args::FromFlag::Order
                    | args::FromFlag::OrderOnly
                    | args::FromFlag::Quarantined
            )
        );
        if asked.late && elsewhere {
            bail!("--late looks into timeouts, --from elsewhere. Give one of them.");
        }
        let by_time = asked.due_before.is_some() || asked.due_after.is_some();
        if by_time && asked.from == Some(args::FromFlag::OrderOnly) {
            bail!(
                "what only the order list holds has no due time. Leave out --due-before and --due-after."
            );
        }
        if by_time && matches!(asked.from, Some(args::FromFlag::Delivered)) {
            bail!(
                "what is delivered has no due time any more. Leave out --due-before and \
                 --due-after."
            );
        }
        check_place(&filter, asked.from)?;
        let ids = asked.ids.iter().map(|id| checked(id));
        Ok(Self {
            from: if asked.late {
                EntryPlace::Late
            } else {
                place(asked.from)
            },
            ids: ids.collect::<anyhow::Result<_>>()?,
            due_before: asked.due_before,
            due_after: asked.due_after,
            filter,
        })
    }

    /// The entries with these ids.
    pub(super) fn with_ids(ids: &[String]) -> anyhow::Result<Self> {
        let ids = ids.iter().map(|id| checked(id));
        Ok(Self {
            from: EntryPlace::Waiting,
            ids: ids.collect::<Result<_, _>>()?,
            due_before: None,
            due_after: None,
            filter: Filter::default(),
        })
    }

    /// The same, looked for in quarantine.
    pub(super) fn in_quarantine(self) -> Self {
        let from = EntryPlace::Quarantined;
        Self { from, ..self }
    }

    /// Tells whether it chooses: else it is all that there is in its place.
    pub(super) fn chooses(&self) -> bool {
        let by_time = self.due_before.is_some() || self.due_after.is_some();
        by_time || !self.ids.is_empty() || !self.filter.is_empty() || self.from == EntryPlace::Late
    }

    /// Tells whether their payloads are looked into.
    pub(super) fn asks_payload(&self) -> bool {
        self.filter.needs_payload()
    }

    /// The selection that reads them, at this time of the server's clock, their payloads read in
    /// that way.
    pub(super) fn selection(self, now: EpochMillis, habit: Habit, limit: Option<u64>) -> Selection {
        Selection {
            from: self.from,
            ids: self.ids,
            due_before: self.due_before.map(|when| when.nearest(now)),
            due_after: self.due_after.map(|when| when.nearest(now)),
            filter: self.filter,
            habit,
            limit,
        }
    }
}

/// A filter as it was typed; what is wrong with it is quoted.
pub(super) fn filter(typed: &str) -> anyhow::Result<Filter> {
    Filter::parse(typed).map_err(|bad| {
        let part = &typed[bad.at.clone()];
        anyhow::anyhow!("in the filter {typed:?}, at {part:?}: {bad}")
    })
}

/// An id as it was typed, when it can be one.
fn checked(id: &str) -> anyhow::Result<String> {
    let hex = id.len() == 16 && id.bytes().all(|b| b.is_ascii_hexdigit());
    if !hex {
        bail!("{id:?} is no entry's id. An id has 16 hex digits, such as 9f3c2a7714e08b55.");
    }
    Ok(id.to_ascii_lowercase())
}

/// Refuses a filter that asks for what there is not in the place where it is to look.
pub(super) fn check_place(filter: &Filter, from: Option<args::FromFlag>) -> anyhow::Result<()> {
    if filter.asks_due() && matches!(from, Some(args::FromFlag::Delivered)) {
        bail!("what is delivered has no due time any more. Leave late and due out of the filter.");
    }
    if filter.asks_due() && from == Some(args::FromFlag::OrderOnly) {
        bail!(
            "what only the order list holds has no due time. Leave late and due out of the filter."
        );
    }
    Ok(())
}

/// Returns the place to look in.
pub(super) fn place(from: Option<args::FromFlag>) -> EntryPlace {
    match from {
        None | Some(args::FromFlag::Waiting) => EntryPlace::Waiting,
        Some(args::FromFlag::Late) => EntryPlace::Late,
        Some(args::FromFlag::Delivered) => EntryPlace::Delivered,
        Some(args::FromFlag::Order) => EntryPlace::Order,
        Some(args::FromFlag::OrderOnly) => EntryPlace::OrderOnly,
        Some(args::FromFlag::Quarantined) => EntryPlace::Quarantined,
    }
}
