//! What reading takes: a global allocator that counts what each thread holds.

#![expect(
    unsafe_code,
    reason = "an allocator cannot be written without it; it only counts and passes on"
)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// Counts, and passes on to the system's.
pub struct Counting;

thread_local! {
    static HELD: Cell<usize> = const { Cell::new(0) };
    static MOST: Cell<usize> = const { Cell::new(0) };
}

#[global_allocator]
static COUNTING: Counting = Counting;

fn took(bytes: usize) {
    // A thread that ends counts no more.
    let _ = HELD.try_with(|held| {
        held.set(held.get().wrapping_add(bytes));
        let _ = MOST.try_with(|most| most.set(most.get().max(held.get())));
    });
}

fn gave(bytes: usize) {
    let _ = HELD.try_with(|held| held.set(held.get().saturating_sub(bytes)));
}

// SAFETY: every call is passed on as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        took(layout.size());
        // SAFETY: the caller's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        gave(layout.size());
        // SAFETY: the caller's.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        took(size.saturating_sub(layout.size()));
        gave(layout.size().saturating_sub(size));
        // SAFETY: the caller's.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

/// The most bytes that this thread held while `work` ran, beyond what it held before.
pub fn most_held<T>(work: impl FnOnce() -> T) -> (usize, T) {
    let before = HELD.get();
    MOST.set(before);
    let done = work();
    (MOST.get().saturating_sub(before), done)
}
