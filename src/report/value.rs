//! The history of a value, in a few lines and as a table.

mod heading;
mod json;
mod table;

pub use table::{Column, HistoryStep};
