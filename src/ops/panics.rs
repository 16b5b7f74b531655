//! Work in a task of its own whose panic is told like any other failure.

use std::any::Any;
use std::panic::AssertUnwindSafe;

use futures_util::{FutureExt as _, TryFutureExt as _};

use crate::store::{Store, StoreError};

/// Returns what the work came to; of work that panicked: that, in a sentence without its full stop.
/// State that the work has borrowed stays as the panic left it.
pub(super) fn caught<T>(work: impl Future<Output = T>) -> impl Future<Output = Result<T, String>> {
    // Some of it is large.
    let work = AssertUnwindSafe(Box::pin(work)).catch_unwind();
    work.map_err(|panic| {
        let words = words(&*panic);
        format!("delayscope itself broke off, a mistake in it that should be reported: {words}")
    })
}

/// The same of work that asks a server, as an error: it was to `attempt` that.
pub(super) fn caught_in<T>(
    store: &Store,
    attempt: &'static str,
    work: impl Future<Output = T>,
) -> impl Future<Output = Result<T, StoreError>> {
    caught(work).map_err(move |why| StoreError::Impossible {
        server: store.endpoint().to_string(),
        attempt,
        why,
    })
}

/// Returns the words of a panic.
fn words(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("it said no more")
}
