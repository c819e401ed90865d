//! The commands, their options and their files, as a shell sees them.

mod access;
mod check;
mod command_line;
mod commands;
mod figures;
mod files;
mod generated;
mod grade;
mod hostile;
mod json;
mod options;
mod options_heeded;
mod progress;
mod readme;
mod schema;
mod told;

#[path = "../shared/need.rs"]
mod need;
#[cfg(unix)]
#[path = "../shared/session.rs"]
#[expect(dead_code, reason = "these commands take few keys and one size of a terminal")]
mod session;
#[path = "../shared/stderr.rs"]
mod stderr;
