//! Holding a session's delivery: the lease. Fence, read, run, publish, advance the fence, ack; always in this order.
//!
//! A crash between any two steps leads to a repeat, never to a loss: until the ack the broker still has the message.
//!
//! | file | what it owns |
//! | --- | --- |
//! | `hold` | a delivery from its arrival to its end: one step after the other |
//! | `claim` | asks the fence whose the delivery is |
//! | `claimed` | a delivery that is held, and its ack |
//! | `assemble` | reads what the message refers to |
//! | `lease` | runs the phase |
//! | `phase_result` | what the run left behind |
//! | `end` | does what the settlement says |

mod assemble;
mod claim;
mod claimed;
mod end;
mod hold;
mod lease;
mod phase_result;

pub(super) use assemble::CARRYING_KIB;
pub(super) use hold::hold;
