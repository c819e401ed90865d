//! The same facts in words, tables and JSON.

pub mod access;
pub mod bench;
pub mod doctor;
pub mod sentence;
pub mod sim;
pub mod value;
