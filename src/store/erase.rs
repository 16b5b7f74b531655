//! Removing whole keys: only what the caller made itself.

use redis::Pipeline;

use super::error::StoreError;
use super::link::LIMIT;
use super::write::Writer;

impl Writer {
    /// Removes keys, whatever they are. Missing ones do not matter.
    pub async fn erase(&self, keys: &[Vec<u8>]) -> Result<(), StoreError> {
        const ATTEMPT: &str = "remove keys";
        let mut pipeline = Pipeline::new();
        for key in keys {
            // One by one: in a cluster they lie in different slots. UNLINK frees the memory of a
            // large one beside the server's work.
            pipeline.cmd("UNLINK").arg(key);
        }
        for answer in self.store().query(ATTEMPT, &pipeline, LIMIT).await? {
            self.store().accept(ATTEMPT, answer)?;
        }
        Ok(())
    }
}
