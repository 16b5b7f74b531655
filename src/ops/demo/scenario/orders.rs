//! A shop. Every order leaves a message that is due when something must have happened by then:
//! paid within 15 minutes, packed within the hour, reviewed on the next day.

use crate::ops::demo::dice::Dice;
use crate::ops::demo::stage::{DemoMessage, Stage};
use crate::store::StoreError;

const SECOND: i64 = 1_000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;

/// Number of entries that wait when the demo begins, and the time in ms within which they fall due.
const WAITING: [(usize, i64); 4] = [
    (30, MINUTE),
    (400, 10 * MINUTE),
    (1_400, HOUR),
    (1_800, 24 * HOUR),
];

pub(super) async fn open(stage: &Stage) -> Result<(), StoreError> {
    let mut shop = Shop::new(1);
    let spans = WAITING.into_iter();
    let waiting: Vec<_> = spans
        .flat_map(|(count, within_ms)| shop.spread(stage, count, within_ms))
        .collect();
    stage.offer(&waiting).await
}

pub(super) async fn play(stage: Stage) {
    let mut shop = Shop::new(2);
    loop {
        let pause = u64::try_from(shop.dice.number(150..650)).unwrap_or(400);
        if !stage.pause(stage.span(pause)).await {
            return;
        }
        let (delay_ms, action) = shop.next_step();
        let message = (stage.after(delay_ms), shop.order(action));
        stage.offer_or_tell(&[message]).await;
    }
}

struct Shop {
    dice: Dice,
    order_id: i64,
}

impl Shop {
    fn new(seed: u64) -> Self {
        let order_id = 465_801 + i64::try_from(seed).unwrap_or(0) * 7_000;
        Self {
            dice: Dice::new(seed),
            order_id,
        }
    }

    /// Orders of the hours before, due within that time, more of them soon than late.
    fn spread(&mut self, stage: &Stage, count: usize, within_ms: i64) -> Vec<DemoMessage> {
        let one = |_| {
            let due = stage.after(self.wave(within_ms));
            let action = self.dice.one_of(&[
                "cancel-if-unpaid",
                "remind-packing",
                "ask-for-review",
                "release-stock",
            ]);
            (due, self.order(action))
        };
        (0..count).map(one).collect()
    }

    /// A moment within that time: customers come in waves, three and a bit of them.
    fn wave(&mut self, within_ms: i64) -> i64 {
        let from_crest = within_ms * 3 / 20;
        loop {
            let at = self.dice.small(0..within_ms);
            let away = (at % (2 * from_crest) - from_crest).abs();
            // From certain at a crest to one in four between two.
            if self.dice.number(0..4 * from_crest) >= 3 * away {
                return at;
            }
        }
    }

    /// Returns the ms after which an order is looked at again, and what for.
    fn next_step(&mut self) -> (i64, &'static str) {
        match self.dice.number(0..20) {
            0..5 => (self.dice.number(100..900), "retry-payment"),
            5..12 => (self.dice.number(3 * SECOND..MINUTE), "confirm-by-mail"),
            12..16 => (self.dice.number(MINUTE..10 * MINUTE), "release-stock"),
            16..18 => (15 * MINUTE, "cancel-if-unpaid"),
            18 => (HOUR, "remind-packing"),
            _ => (24 * HOUR, "ask-for-review"),
        }
    }

    /// An order's message, as a JSON codec without Java types writes it.
    fn order(&mut self, action: &str) -> Vec<u8> {
        self.order_id += self.dice.number(1..4);
        let customer = self.dice.number(1..10_000);
        let cents = self.dice.small(499..40_000);
        let country = self.dice.one_of(&["AT", "DE", "NL", "PL"]);
        let items = self.dice.small(1..9);
        let text = format!(
            r#"{{"orderId":{},"action":"{action}","customer":"c-{customer:05}","amount":{}.{:02},"items":{items},"country":"{country}"}}"#,
            self.order_id,
            cents / 100,
            cents % 100,
        );
        text.into_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::payload::{Codec, decode};

    #[test]
    fn an_order_is_json_with_an_id_of_its_own() {
        let mut shop = Shop::new(3);
        let orders = [shop.order("retry-payment"), shop.order("retry-payment")];
        let decoded = orders.map(|payload| decode(&payload));
        assert!(decoded.iter().all(|d| d.codec == Codec::TypedJson));
        assert_ne!(decoded[0].value["orderId"], decoded[1].value["orderId"]);
    }
}
