//! The same facts in words, tables and JSON.

pub mod sentence;
