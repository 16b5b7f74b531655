//! The changes of what was delivered.

use delayscope::store::change::{Fate, TakeBack};

use super::Walk;

impl Walk<'_> {
    pub(super) async fn take_back(&mut self) -> &'static str {
        let elements = self.dice_some(|walk| TakeBack {
            element: walk.element(),
            member: walk.member(),
            score: walk.new_score(),
        });
        let told = self
            .writer
            .take_back(&self.queue, &elements)
            .await
            .unwrap()
            .done;
        let (mut fates, mut added) = (Vec::new(), Vec::new());
        for taken in &elements {
            if let Some(score) = self.model.score(&taken.member) {
                fates.push(Fate::Changed(score));
            } else if self.take_element(&taken.element).is_none() {
                fates.push(Fate::Gone);
            } else {
                self.model.set(&taken.member, Some(taken.score));
                self.offer_to_order(self.model.order.len(), &taken.member);
                added.push(taken.member.clone());
                fates.push(Fate::Done);
            }
        }
        self.check(&told, &fates, &added);
        "take back"
    }

    pub(super) async fn discard(&mut self) -> &'static str {
        let elements = self.dice_some(Self::element);
        let told = self
            .writer
            .discard(&self.queue, &elements)
            .await
            .unwrap()
            .done;
        let take = |element: &Vec<u8>| match self.take_element(element) {
            Some(_) => Fate::Done,
            None => Fate::Gone,
        };
        let fates: Vec<Fate> = elements.iter().map(take).collect();
        assert_eq!(told, fates);
        let back = self.dice_some(Self::element);
        let told = self
            .writer
            .put_elements_back(&self.queue, &back)
            .await
            .unwrap()
            .done;
        assert_eq!(told, vec![Fate::Done; back.len()]);
        if self.pushes_left() {
            self.model.target.extend(back.into_iter().rev());
        } else {
            self.model.target.splice(0..0, back);
        }
        "discard and put elements back"
    }
}
