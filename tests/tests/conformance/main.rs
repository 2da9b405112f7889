//! The laws of the broker and the store on the implementations in this process, and what only those have: failure points, a
//! cache directory; and the content store.

mod content;
mod disk;
mod faults;
mod memory;
