//! The part of a connection that requests need.

use redis::{Pipeline, RedisResult, Value};

/// A connection that requests go over.
pub(in crate::store) trait Exchange: Send {
    /// Sends a request and takes its raw answers, errors in their places.
    fn exchange(
        &mut self,
        pipeline: &Pipeline,
    ) -> impl Future<Output = RedisResult<Vec<Value>>> + Send;
}
