//! The form that gives entries another due time: what has been filled in, and what it means.

pub mod view;

use crate::clock::EpochMillis;
use crate::clock::when::Span;
use crate::queue::change::{Base, NewDue};
use crate::queue::{Queue, text};
use crate::tui::change::plan::MarkedEntries;
use crate::tui::field::Field;
use crate::tui::form::{FieldRemark, InputForm, Part, next};
use crate::tui::marks::Marks;
use crate::tui::offer::check::moment;

/// The form that gives entries another due time.
#[derive(Clone, Debug, PartialEq)]
pub struct RequeueForm {
    /// The queue of the entries.
    pub queue: Queue,
    /// The entries, as they were when the form was opened.
    pub marked: MarkedEntries,
    /// The marks, when it is about them.
    pub marks: Option<Box<Marks>>,
    /// Number of the entries, and whether that is exact.
    pub count: (u64, bool),
    /// When the only one is due now.
    pub due: Option<EpochMillis>,
    /// They do not wait: they have no due time.
    pub timeless: bool,
    /// The reference that the new time is reckoned from.
    pub how: DueReference,
    /// The new time, as typed.
    pub when: Field,
    /// The span that the entries are spread over, as typed.
    pub spread: Field,
    /// The part that the keys act on.
    pub at: Part,
}

/// The reference that a new due time is reckoned from.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum DueReference {
    /// A span from now.
    In,
    /// A moment.
    At,
    /// A span from the due time that it had.
    By,
}

impl DueReference {
    const ALL: [Self; 3] = [Self::In, Self::At, Self::By];

    /// The word for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::In => "in",
            Self::At => "at",
            Self::By => "by",
        }
    }

    /// Returns its meaning in words.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::In => "from now, by the server's clock",
            Self::At => "a time of day, a date, or epoch ms",
            Self::By => "from each one's own due time",
        }
    }

    /// Returns the text that stands there before anything is typed.
    const fn usual(self) -> &'static str {
        match self {
            Self::In => "5m",
            Self::At => "",
            Self::By => "+5m",
        }
    }
}

impl RequeueForm {
    /// Five minutes from now, all at once.
    #[must_use]
    pub fn new(queue: Queue, marked: MarkedEntries, marks: Option<Box<Marks>>) -> Self {
        Self {
            queue,
            marked,
            marks,
            count: (1, true),
            due: None,
            timeless: false,
            how: DueReference::In,
            when: Field::proposing(DueReference::In.usual()),
            spread: Field::proposing("0"),
            at: Part::When,
        }
    }

    /// It is about what is late: no marks of the user's have chosen it.
    #[must_use]
    pub const fn is_late(&self) -> bool {
        self.marks.is_none() && matches!(self.marked, MarkedEntries::Marks(_))
    }

    /// It is about a single entry.
    #[must_use]
    pub const fn is_one(&self) -> bool {
        matches!(self.count, (1, true))
    }

    /// Returns the new due time that is asked for, `now` by the server's clock; or the first part
    /// that is wrong, and why.
    pub fn new_due(&self, now: EpochMillis) -> Result<NewDue, (Part, String)> {
        Ok(NewDue {
            base: self.base(now).map_err(|why| (Part::When, why))?,
            spread_ms: self.spread_ms().map_err(|why| (Part::Spread, why))?,
        })
    }

    /// Returns the moment that the new time is reckoned from.
    pub fn base(&self, now: EpochMillis) -> Result<Base, String> {
        let typed = self.when.text();
        let typed = typed.trim();
        match self.how {
            DueReference::In => {
                let span = typed.strip_prefix('+').unwrap_or(typed);
                let span: Span = span.parse().map_err(|why| format!("{why}"))?;
                moment(&self.queue, typed, now)?;
                Ok(Base::In(span.ms()))
            }
            DueReference::At if typed.is_empty() => {
                Err("write 14:10, 2026-11-20T14:10 or epoch ms".to_owned())
            }
            DueReference::At => Ok(Base::At(moment(&self.queue, typed, now)?)),
            DueReference::By if self.timeless => {
                Err("what does not wait has no due time to move".to_owned())
            }
            DueReference::By => {
                let (sign, span) = match typed.as_bytes().first() {
                    Some(b'-') => (-1, &typed[1..]),
                    Some(b'+') => (1, &typed[1..]),
                    _ => (1, typed),
                };
                let span: Span = span.parse().map_err(|why| format!("{why}"))?;
                let by = span.signed_ms().saturating_mul(sign);
                match self.due {
                    _ if by == 0 => Err("that would change nothing".to_owned()),
                    Some(due)
                        if self
                            .queue
                            .due(self.queue.score(due.plus(by)))
                            .at()
                            .is_none() =>
                    {
                        Err("no client could read such a time".to_owned())
                    }
                    _ => Ok(Base::By(by)),
                }
            }
        }
    }

    /// The span that the entries are spread over, in ms.
    pub fn spread_ms(&self) -> Result<u64, String> {
        let typed = self.spread.text();
        match typed.trim() {
            "" => Ok(0),
            span => span
                .parse::<Span>()
                .map(Span::ms)
                .map_err(|why| why.to_string()),
        }
    }

    /// Returns the remark on how they are spread.
    #[must_use]
    pub fn what_spread(&self) -> FieldRemark {
        let (count, exact) = self.count;
        match self.spread_ms() {
            Err(why) => FieldRemark::Wrong(why),
            Ok(0) if count == 1 => FieldRemark::Note("spread only for more than one".to_owned()),
            Ok(_) if count == 1 && exact => {
                FieldRemark::Careful("spread only for more than one".to_owned())
            }
            Ok(0) => FieldRemark::Note("0: all at the same moment".to_owned()),
            Ok(ms) => {
                let each = text::span(ms / count.saturating_sub(1).max(1));
                let about = if exact { "" } else { "about " };
                FieldRemark::Note(format!("in their order, {about}one every {each}"))
            }
        }
    }
}

impl InputForm for RequeueForm {
    fn parts(&self) -> &'static [Part] {
        &[Part::How, Part::When, Part::Spread, Part::Button]
    }

    fn at(&self) -> Part {
        self.at
    }

    fn go(&mut self, to: Part) {
        self.at = to;
    }

    fn line(&mut self) -> Option<&mut Field> {
        match self.at {
            Part::When => Some(&mut self.when),
            Part::Spread => Some(&mut self.spread),
            _ => None,
        }
    }

    fn choose(&mut self, on: bool) {
        let kept = self.when.text() != self.how.usual();
        let hows: &[DueReference] = if self.timeless {
            &DueReference::ALL[..2]
        } else {
            &DueReference::ALL
        };
        self.how = next(hows, Some(self.how), on).unwrap_or(DueReference::In);
        if !kept {
            self.when.propose(self.how.usual());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: EpochMillis = EpochMillis::new(1_700_000_000_000);

    fn form(how: DueReference, typed: &str) -> RequeueForm {
        let mut form = RequeueForm::new(Queue::redisson("orders"), MarkedEntries::Due, None);
        form.how = how;
        form.when.set(typed);
        form
    }

    fn base(how: DueReference, typed: &str) -> Result<Base, String> {
        form(how, typed).base(NOW)
    }

    #[test]
    fn a_new_time_is_in_at_or_by() {
        assert_eq!(base(DueReference::In, "5m"), Ok(Base::In(300_000)));
        assert_eq!(base(DueReference::In, " +90s "), Ok(Base::In(90_000)));
        assert_eq!(base(DueReference::In, "0"), Ok(Base::In(0)));
        let at = Base::At(NOW.plus(123));
        assert_eq!(base(DueReference::At, "1700000000123"), Ok(at));
        assert_eq!(base(DueReference::By, "-2h"), Ok(Base::By(-7_200_000)));
        assert_eq!(base(DueReference::By, "5m"), Ok(Base::By(300_000)));
        assert_eq!(base(DueReference::By, "+5m"), Ok(Base::By(300_000)));
    }

    #[test]
    fn what_is_no_new_time_says_why() {
        for (how, typed) in [
            (DueReference::In, ""),
            (DueReference::In, "5"),
            (DueReference::In, "-5m"),
            (DueReference::In, "14:10"),
            (DueReference::At, ""),
            (DueReference::At, "soon"),
            (DueReference::By, "0s"),
            (DueReference::By, "14:10"),
            (DueReference::By, "--5m"),
        ] {
            assert!(base(how, typed).is_err(), "{how:?} {typed:?}");
        }
        let mut delivered = form(DueReference::By, "5m");
        delivered.timeless = true;
        assert!(delivered.base(NOW).is_err());
        let mut first = form(DueReference::By, "-40000d");
        first.due = Some(NOW);
        assert!(first.base(NOW).is_err(), "before 1970");
    }

    #[test]
    fn a_spread_says_how_far_apart() {
        let mut form = form(DueReference::In, "5m");
        form.count = (11, true);
        form.spread.set("10m");
        let words = form.what_spread().words().to_owned();
        assert_eq!(words, "in their order, one every 1:00");
        form.spread.set("10");
        assert!(form.what_spread().is_wrong());
        form.spread.set("");
        assert_eq!(form.spread_ms(), Ok(0));
    }

    #[test]
    fn another_way_to_say_it_keeps_what_was_typed() {
        let mut form = form(DueReference::In, "5m");
        form.at = Part::How;
        form.choose(true);
        assert_eq!(
            (form.how, form.when.text().as_str()),
            (DueReference::At, "")
        );
        form.when.set("14:10");
        form.choose(true);
        assert_eq!(
            (form.how, form.when.text().as_str()),
            (DueReference::By, "14:10")
        );
        form.timeless = true;
        form.how = DueReference::At;
        form.choose(true);
        assert_eq!(
            form.how,
            DueReference::In,
            "what was delivered has no time of its own"
        );
    }
}
