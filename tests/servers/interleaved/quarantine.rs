//! Into quarantine and out of it.

use delayscope::store::change::{ChosenEntry, Fate, ListPlace};
use proptest::sample::Index;

use crate::interleaved::model::{Model, fate_of};
use crate::interleaved::ours::{Checked, We, left_the_queue, refused, same};

impl We<'_> {
    /// What went into quarantine last, each with where it stood (or the tail).
    pub fn take_kept(&mut self) -> Vec<(ChosenEntry, ListPlace)> {
        let kept = std::mem::take(&mut self.kept).into_iter();
        let place = |place: Option<ListPlace>| place.unwrap_or(ListPlace::Tail);
        kept.map(|(chosen, stood)| (chosen, place(stood))).collect()
    }

    pub async fn quarantine(&mut self, model: &mut Model, which: &[Index]) -> Checked {
        let chosen = self.chosen(which);
        let told = self.writer.quarantine(self.queue, &chosen).await;
        let told = told.map_err(|e| e.to_string())?.done;
        for (chosen, left) in chosen.into_iter().zip(told) {
            if left_the_queue("quarantine", model, &chosen, &left)? {
                model.quarantine.insert(chosen.member.clone(), chosen.score);
                self.kept.push((chosen, left.stood));
            }
        }
        Ok(())
    }

    pub async fn restore(&mut self, model: &mut Model) -> Checked {
        let mut back = std::mem::take(&mut self.kept);
        back.reverse();
        let told = self.writer.restore(self.queue, &back).await;
        let Some(told) = refused(model, told)? else {
            return Ok(());
        };
        let mut expected = Vec::new();
        for (chosen, place) in back {
            let fate = match fate_of(&model.quarantine, &chosen) {
                Fate::Done => comes(model, &chosen, place),
                otherwise => otherwise,
            };
            expected.push(fate);
            if fate == Fate::Done {
                model.quarantine.remove(&chosen.member);
            }
        }
        same("restore", &told.done.fates, &expected)
    }
}

/// What is in quarantine comes to wait, unless it does already.
fn comes(model: &mut Model, chosen: &ChosenEntry, place: Option<ListPlace>) -> Fate {
    match fate_of(&model.waiting, chosen) {
        Fate::Gone => {}
        Fate::Done => return Fate::Done,
        _ => return Fate::NoFrame,
    }
    let ChosenEntry { member, score } = chosen.clone();
    model.waiting.insert(member.clone(), score);
    let tail = model.order.len();
    let behind = |other| model.order.iter().position(|m| *m == other);
    match place {
        None => {}
        Some(ListPlace::Head) => model.order.insert(0, member),
        Some(ListPlace::Tail) => model.order.push(member),
        Some(ListPlace::Behind(other) | ListPlace::BehindNth(other, _)) => {
            let at = behind(other).map_or(tail, |at| at + 1);
            model.order.insert(at, member);
        }
    }
    Fate::Done
}
