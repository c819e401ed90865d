//! The same facts as text and as JSON, for the commands without a screen.

pub mod bench;
pub mod doctor;
