//! Redis. The only room that says `redis::`: one link with reconnection as state, bounded reads,
//! writes that need a [`Writer`](write::Writer), subscriptions as streams.
