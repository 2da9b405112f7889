//! What the integration tests share.
//!
//! | module | what it owns |
//! | --- | --- |
//! | [`bench`] | measurements for the `bench` program |
//! | [`world`] | a fleet in one process that can be torn apart |
//! | [`conformance`] | suites that every implementation of a seam passes |
//! | [`provider`] | a scripted model server that misbehaves on demand |
//! | [`program`] | the built program, run as a person would |

pub mod bench;
pub mod conformance;
pub mod program;
pub mod provider;
pub mod world;
