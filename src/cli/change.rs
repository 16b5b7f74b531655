//! The parts that all commands which change a queue share: the plan, the question, the doing, the
//! summary.

mod apply;
mod plan;
mod summary;

use std::io::Write;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context as _, anyhow, bail};

use super::codec;
use super::confirm::{can_ask, confirm, protection};
use super::entries::check_that_it_is_there;
use super::meter::{self, Meter};
use super::output::Output;
use super::pick::CheckedPick;
use super::session::{Session, meant};
use super::stop::StopSignal;
use super::{CommandOutcome, NothingMatched, say};
use crate::args;
use crate::config::Config;
use crate::ops::apply::missing;
use crate::ops::entries::{EntryPlace, Selection};
use crate::ops::journal::Journal;
use crate::ops::plan::{ChangeError, ChangeRequest, EntryChoice, PreparedChange, Wish, plan};
use crate::ops::undo::plan_undo;
use crate::payload::Habit;
use crate::queue::asks::{Confirmation, NameReason};
use crate::queue::{Change, Plan, Queue};
use crate::store::write::Writer;
pub(super) use summary::{SummaryFigures, entry, fields};

/// The entries that a change is about, checked.
pub(super) struct ChangeChoice {
    picked: CheckedPick,
    limit: Option<u64>,
    /// Of those with equal payloads the first is left alone.
    but_one: bool,
}

impl ChangeChoice {
    const fn new(picked: CheckedPick, limit: Option<u64>) -> Self {
        Self {
            picked,
            limit,
            but_one: false,
        }
    }

    /// Reads what was typed. A change must say what it is about: nothing said is not all.
    pub(super) fn of(asked: &args::ChoiceFlags) -> anyhow::Result<Self> {
        let picked = CheckedPick::of(&asked.pick)?;
        if !picked.chooses() && !asked.all {
            bail!(
                "which entries? Choose some with --id, --late, --due-before, --due-after or \
                 --grep, or name --all."
            );
        }
        Ok(Self::new(picked, asked.limit))
    }

    /// The same; `but_one`: without the first of those that have equal payloads.
    pub(super) fn but_one(self, but_one: bool) -> Self {
        Self { but_one, ..self }
    }

    /// The same where nothing said is everything due.
    pub(super) fn or_due(asked: &args::ChoiceFlags) -> anyhow::Result<Option<Self>> {
        let picked = CheckedPick::of(&asked.pick)?;
        if !picked.chooses() && asked.limit.is_none() && picked.from == EntryPlace::Waiting {
            return Ok(None);
        }
        Self::new(picked, asked.limit).undelivered().map(Some)
    }

    /// The same for what goes to the target list, where what was delivered is already.
    pub(super) fn undelivered(self) -> anyhow::Result<Self> {
        if self.picked.from == EntryPlace::Delivered {
            bail!("what is delivered is in the target list already. Leave out --from.");
        }
        Ok(self)
    }

    /// The entry with this id.
    pub(super) fn one(id: &str) -> anyhow::Result<Self> {
        Ok(Self::new(CheckedPick::with_ids(&[id.to_owned()])?, None))
    }

    /// Reads what was typed; none when that is nothing.
    pub(super) fn if_any(asked: &args::ChoiceFlags) -> anyhow::Result<Option<Self>> {
        let picked = CheckedPick::of(&asked.pick)?;
        let limit = asked.limit;
        let any = picked.chooses() || asked.all || limit.is_some() || asked.pick.from.is_some();
        Ok(any.then_some(Self::new(picked, limit)))
    }

    /// Reads what was typed, of what is in quarantine.
    pub(super) fn quarantined(asked: &args::ChoiceFlags) -> anyhow::Result<Self> {
        let elsewhere = asked.pick.from != Some(args::FromFlag::Quarantined);
        if asked.pick.late || asked.pick.from.is_some() && elsewhere {
            bail!("what is restored is in quarantine. Leave out --late and --from.");
        }
        let picked = CheckedPick::of(&asked.pick)?.in_quarantine();
        if !picked.chooses() && !asked.all {
            bail!(
                "which entries? Choose some with --id, --due-before, --due-after or --grep, or \
                 name --all."
            );
        }
        Ok(Self::new(picked, asked.limit))
    }

    /// The selection that reads them.
    pub(super) async fn selection(
        self,
        session: &Session,
        queue: &Queue,
        config: &Config,
    ) -> anyhow::Result<Selection> {
        let habit = if self.picked.asks_payload() {
            codec::voted(None, session, queue, self.picked.from, config).await?
        } else {
            Habit::default()
        };
        let now = session.now();
        Ok(self.picked.selection(now, habit, self.limit))
    }
}

/// Changes the entries that were chosen.
pub(super) async fn those<W: Write>(
    those: &args::ChangedEntries,
    what: ChangeRequest,
    config: &Config,
    out: &mut Output<W>,
) -> anyhow::Result<CommandOutcome> {
    chosen(those, ChangeChoice::of(&those.which)?, what, config, out).await
}

/// Changes these entries.
pub(super) async fn chosen<W: Write>(
    those: &args::ChangedEntries,
    chosen: ChangeChoice,
    what: ChangeRequest,
    config: &Config,
    out: &mut Output<W>,
) -> anyhow::Result<CommandOutcome> {
    let making = ChangeCommand::begin(&those.how, config).await?;
    making.queue(&those.queue, what, Some(chosen), out).await
}

/// A change that was asked for on the command line.
pub(super) struct ChangeCommand<'a> {
    how: &'a args::ChangeFlags,
    config: &'a Config,
    /// The link to the server.
    pub(super) session: Session,
    journal: Journal,
    stop: StopSignal,
}

impl<'a> ChangeCommand<'a> {
    /// Connects. From here on a signal ends it, where it must not leave anything half done.
    pub(super) async fn begin(
        how: &'a args::ChangeFlags,
        config: &'a Config,
    ) -> anyhow::Result<Self> {
        Ok(Self {
            how,
            config,
            session: Session::open(config).await?,
            journal: Journal::of_user(config.keep_days),
            stop: StopSignal::listen(),
        })
    }

    /// Changes chosen entries of a queue; none chosen: what is due, or the queue as a whole.
    pub(super) async fn queue<W: Write>(
        mut self,
        queue: &Queue,
        what: ChangeRequest,
        chosen: Option<ChangeChoice>,
        out: &mut Output<W>,
    ) -> anyhow::Result<CommandOutcome> {
        let queue = meant(queue, self.config);
        let name = queue.name.text().into_owned();
        let failed = || format!("could not change {name:?}");
        self.session = self.session.at(&queue).await.with_context(failed)?;
        let writer = self.writer(&queue).with_context(failed)?;
        check_that_it_is_there(&self.session, &queue, self.config, failed).await?;
        let which = match chosen {
            None => EntryChoice::Due,
            Some(chosen) => {
                let but_one = chosen.but_one;
                let selection = chosen.selection(&self.session, &queue, self.config);
                let which = EntryChoice::Selected(selection.await?);
                if but_one {
                    EntryChoice::ButOne(Box::new(which))
                } else {
                    which
                }
            }
        };
        let wish = Wish {
            queue,
            what,
            which,
            profile: self.config.profile.as_ref().map(|p| p.name.clone()),
        };
        let prepared = self.planned(wish).await.with_context(failed)?;
        let made = self.make(writer, prepared, out).await;
        made.or_else(|why| but_nothing(why, failed))
    }

    /// Takes a change of the journal back.
    pub(super) async fn undo<W: Write>(
        mut self,
        id: Option<&str>,
        force: bool,
        out: &mut Output<W>,
    ) -> anyhow::Result<CommandOutcome> {
        let failed = || match id {
            Some(id) => format!("could not take {id} back"),
            None => "could not take the newest change back".to_owned(),
        };
        // Who may change nothing is told so before anything is looked up.
        if !self.how.dry_run {
            self.session.store.writer().with_context(failed)?;
        }
        let planning = plan_undo(&self.session.store, &self.journal, id, force);
        let prepared = tokio::select! {
            biased;
            () = self.stop.asked() => None,
            prepared = planning => match prepared {
                Err(ChangeError::Nothing(why)) => return Err(NothingMatched(why).into()),
                prepared => Some(prepared.with_context(failed)?),
            }
        };
        let profile = self.config.profile.as_ref().map(|p| p.name.clone());
        let prepared = prepared.map(|mut prepared| {
            prepared.plan.profile = profile;
            prepared
        });
        let writer = match &prepared {
            Some(prepared) => self.writer(&prepared.plan.queue).with_context(failed)?,
            None => None,
        };
        let made = self.make(writer, prepared, out).await;
        made.or_else(|why| but_nothing(why, failed))
    }

    /// The right to change a queue; none for a dry run, which needs none.
    fn writer(&self, queue: &Queue) -> anyhow::Result<Option<Writer>> {
        if self.how.dry_run {
            return Ok(None);
        }
        Ok(Some(self.session.store.writer_of(queue)?))
    }

    /// Plans; none: it was interrupted.
    async fn planned(&mut self, wish: Wish) -> anyhow::Result<Option<PreparedChange>> {
        let meter = Mutex::new(Meter::new());
        let metered = |act: &dyn Fn(&mut Meter)| {
            act(&mut meter.lock().unwrap_or_else(PoisonError::into_inner));
        };
        let planning = plan(&self.session.store, wish, |far| {
            metered(&|meter| meter.show(&plan::looked(&far)));
        });
        let prepared = tokio::select! {
            biased;
            () = self.stop.asked() => Ok(None),
            prepared = planning => prepared.map(Some),
        };
        metered(&Meter::clear);
        prepared.map_err(|why| match why {
            ChangeError::OnlyStrays(words) => anyhow!("{words}. {}", plan::THREE_WAYS),
            why => why.into(),
        })
    }

    /// Goes on from the plan; none: it was interrupted.
    async fn make<W: Write>(
        &mut self,
        writer: Option<Writer>,
        prepared: Option<PreparedChange>,
        out: &mut Output<W>,
    ) -> anyhow::Result<CommandOutcome> {
        let Some(prepared) = prepared else {
            say::note("interrupted: nothing was changed");
            return Ok(CommandOutcome::Partly);
        };
        let limits = self.how.limits();
        let prepared = prepared.within(limits.max_block);
        let mut prepared = match self.how.rate {
            Some(per_s) => prepared.paced(per_s),
            None => prepared,
        };
        if let Some(confirm) = limits.confirm
            && prepared.plan.planned > 0
        {
            let announced = confirm.announce(&self.session.store, &mut prepared.plan);
            announced.await?;
        }
        let plan = &prepared.plan;
        if plan.planned == 0 && plan.change != Change::Kick {
            let mut notes: Vec<String> = plan::notes(plan).collect();
            notes.extend(missing(&self.session.store, &plan.queue).await);
            if out.is_json() {
                let figures = SummaryFigures {
                    dry_run: self.how.dry_run,
                    ..SummaryFigures::of(plan.change, &plan.queue)
                };
                summary::print(&figures, &notes, out)?;
            }
            for note in &notes {
                say::note(note);
            }
            return Err(NothingMatched(plan::nothing(plan)).into());
        }
        let Some(writer) = writer else {
            plan::print(plan, out)?;
            let by_hand = plan.commands.iter().any(|line| line.contains("redis-cli"));
            if let Some(caveat) = self
                .config
                .programs()
                .redis_cli
                .caveat()
                .filter(|_| by_hand)
            {
                say::note(caveat);
            }
            return Ok(CommandOutcome::Done);
        };
        if !self.how.yes && !self.agreed(plan).await? {
            say::note("nothing was changed");
            return Ok(CommandOutcome::Partly);
        }
        apply::ChangeFollower::of(plan, self.how.each, self.config.program())
            .follow(
                crate::ops::apply::apply(&writer, &self.journal, prepared, limits),
                &mut self.stop,
                out,
            )
            .await
    }

    /// Asks as the plan wants it asked; where nobody can be asked, what is small is done. A signal
    /// is a no.
    async fn agreed(&mut self, plan: &Plan) -> anyhow::Result<bool> {
        let protection = protection(self.config);
        let protected = protection.is_some();
        if plan.goes_unasked(protected) && !can_ask() {
            return Ok(true);
        }
        let by_name = match plan.asks(protected) {
            Confirmation::Yes => None,
            Confirmation::Name(why) => Some(match (why, protection) {
                (NameReason::Protected, Some(protection)) => protection,
                (why, _) => plan::why_by_name(plan, why),
            }),
        };
        let question = plan::question(plan, meter::columns(), by_name.is_some());
        let otherwise = format!(
            "this would {}, and there is no terminal to ask on. Give --yes, or --dry-run to see \
             the plan.",
            plan::headline(plan)
        );
        let queue = plan.queue.clone();
        // Beside us, so that a signal is heeded while the answer is waited for.
        let asking = tokio::task::spawn_blocking(move || {
            confirm(&question, &queue, by_name.as_deref(), &otherwise)
        });
        tokio::select! {
            biased;
            () = self.stop.asked() => {
                // The question stands in a line that has no end yet.
                say::lines("");
                Ok(false)
            }
            agreed = asking => agreed.context("could not ask")?,
        }
    }
}

/// Says what could not be done, before the reason; nothing before a word that there was nothing to
/// do.
fn but_nothing(why: anyhow::Error, failed: impl Fn() -> String) -> anyhow::Result<CommandOutcome> {
    Err(if why.is::<NothingMatched>() {
        why
    } else {
        why.context(failed())
    })
}
