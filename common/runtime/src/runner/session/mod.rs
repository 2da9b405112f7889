//! Processes session deliveries. Fence, read, run, publish, advance the fence, ack; always in this order.
//!
//! A crash between any two steps causes a repeat, never a loss: the broker keeps the message until the ack.
//!
//! | file | what it owns |
//! | --- | --- |
//! | `hold` | processes a delivery from arrival to ack |
//! | `claim` | claims the delivery at the fence |
//! | `ruling` | what the fence's answer means for the delivery |
//! | `wait` | how long it waits for another holder |
//! | `claimed` | a claimed delivery, and its ack |
//! | `assemble` | reads the pages the message refers to |
//! | `lease` | runs the phase |
//! | `parked` | tells that a session waits for a newer worker |
//! | `phase_result` | the result of the run |
//! | `end` | carries out the settlement |

mod assemble;
mod claim;
mod claimed;
mod end;
mod hold;
mod lease;
mod parked;
mod phase_result;
mod ruling;
mod wait;

pub(super) use assemble::CARRYING_KIB;
pub(super) use hold::hold;
