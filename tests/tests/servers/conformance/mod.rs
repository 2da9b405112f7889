//! The laws of the broker and the store on the implementations in this process and on real servers, and what only some have: failure
//! points, a cache directory, a network, outages; and the content store.

mod content;
mod disk;
mod faults;
mod memory;
mod queues_on_disk;
mod rabbit;
mod rabbit_faults;
mod rabbit_tls;
mod redis;
mod redis_bounds;
mod redis_outage;
mod redis_reference;
mod store_on_disk;
