//! What is due, read before it is transferred.

use redis::{Pipeline, Value};

use super::Chosen;
use crate::clock::EpochMillis;
use crate::queue::Queue;
use crate::store::error::StoreError;
use crate::store::script::{self, Timed};
use crate::store::write::Writer;

const ATTEMPT: &str = "read what is due";
/// How long the answer may take.
const LIMIT: std::time::Duration = std::time::Duration::from_secs(10);

/// The entries that are expected to fall due next.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Foreseen {
    /// How many.
    pub count: usize,
    /// SHA-1 of their members one behind the other, in hex.
    pub sha1: String,
    /// Bytes before the payload in each of them; 0: not the same in all.
    pub header: usize,
}

impl Writer {
    /// What is due at `now`, in due order: up to `n` entries behind the first `skip`.
    pub async fn due_after(
        &self,
        queue: &Queue,
        now: EpochMillis,
        [skip, n]: [usize; 2],
    ) -> Result<Vec<Chosen>, StoreError> {
        let now = queue.score(now).to_string();
        let mut pipeline = Pipeline::new();
        pipeline.add_command(script::due_after(&queue.keys().timeouts, &now, [skip, n]));
        let mut answers = self.lane.send(ATTEMPT, &pipeline, LIMIT).await?;
        self.due(answers.pop().unwrap_or(Value::Nil))
    }

    /// Transfers what is foreseen of a queue with an order list, or nothing, when something else
    /// falls due next; whether it did. Then, in the same round trip, [`due_after`](Self::due_after)
    /// with `after`. `drain`: as for [`transfer_telling`](Self::transfer_telling).
    pub async fn transfer_foreseen(
        &self,
        queue: &Queue,
        now: EpochMillis,
        foreseen: &Foreseen,
        drain: bool,
        after: [usize; 2],
    ) -> Result<Timed<(bool, Result<Vec<Chosen>, StoreError>)>, StoreError> {
        let keys = queue.keys();
        let (Some(order), Some(aside)) = (&keys.order, &keys.aside) else {
            let why = "the queue has no order list".to_owned();
            return Err(self.impossible("transfer what is due", why));
        };
        let now = queue.score(now).to_string();
        let then = (after[1] > 0).then(|| script::due_after(&keys.timeouts, &now, after));
        let of = (foreseen.count, &*foreseen.sha1, foreseen.header);
        let keys = [keys.target.as_slice(), &keys.timeouts, order, aside];
        let done =
            script::transfer_foreseen(&self.lane, keys, &now, of, drain, then.as_ref()).await?;
        Ok(done.map(|(moved, rows)| match then {
            Some(_) => (moved, self.due(rows)),
            None => (moved, Ok(Vec::new())),
        }))
    }

    fn due(&self, answer: Value) -> Result<Vec<Chosen>, StoreError> {
        let answer = self.store().accept(ATTEMPT, answer)?;
        let rows = script::due(&answer);
        let rows = rows.ok_or_else(|| self.store().unexpected(ATTEMPT, &answer))?;
        let chosen = |(member, score)| Chosen { member, score };
        Ok(rows.into_iter().map(chosen).collect())
    }
}
