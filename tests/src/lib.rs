//! What the integration tests share.
//!
//! | module | what it owns |
//! | --- | --- |
//! | [`documents`] | documents made by hand, hostile ones among them |
//! | [`evidence`] | how well evidence is found: labelled questions and recall |
//! | [`world`] | a fleet in one process that can be torn apart |
//! | [`fleet`] | a fleet of real processes that is torn apart |
//! | [`finished`] | the law that every finished report holds |
//! | [`fuzz`] | wrong inputs for whoever reads what others wrote |
//! | [`conformance`] | suites that every implementation of a seam passes |
//! | [`provider`] | a scripted model server that misbehaves on demand |
//! | [`search`] | a scripted search server that speaks for every provider, and misbehaves on demand |
//! | [`servers`] | real servers for a test of its own, and a way to break them |
//! | [`vector_server`] | a scripted server of vectors that misbehaves on demand |
//! | [`http_client`] | as much of an HTTP client as the tests of the door need |
//! | [`gold`] | questions with gold facts, and where in a report they stand |
//! | [`page_site`] | pages that can be fetched, and who asked for them |
//! | [`privacy`] | words that are private, a model that copies them, and sinks that would show them |
//! | [`program`] | the built program, run as a person would |

pub mod conformance;
pub mod documents;
pub mod evidence;
pub mod finished;
pub mod fleet;
pub mod fuzz;
pub mod gold;
pub mod http_client;
pub mod page_site;
pub mod privacy;
pub mod program;
pub mod provider;
pub mod scan;
pub mod search;
pub mod servers;
pub mod vector_server;
pub mod world;
