//! A recorded run: its places, and where its values come from.

mod command;
mod provenance;
mod replay;

#[path = "../shared/kernel.rs"]
mod kernel;
