//! What a request needs of a connection.

use redis::{Pipeline, RedisResult, Value};

/// What requests go over.
pub(in crate::store) trait Exchange: Send {
    /// Sends a request and takes its raw answers, errors in their places.
    fn exchange(
        &mut self,
        pipeline: &Pipeline,
    ) -> impl Future<Output = RedisResult<Vec<Value>>> + Send;
}
