//! The built program, as a person or another program starts it.

mod ask_research;
mod caches;
mod canary;
mod cli;
mod conditional_put;
mod corpus;
mod digest_command;
mod digest_events;
mod digest_limits;
mod documents;
mod extract_service;
mod fetching;
mod folders;
mod follow_up;
mod fork;
mod known_tools;
mod names;
mod refresh;
mod request_memory;
mod research;
mod sandbox;
mod search;
mod verify;
mod waiting;
mod web;
mod windows;
