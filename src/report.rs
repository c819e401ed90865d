//! Presents results as sentences, tables and JSON.

pub mod access;
pub mod approximate;
pub mod bench;
pub mod block_summary;
pub mod ceilings;
pub mod charts;
pub mod costly;
pub mod counted;
mod csv;
pub mod doctor;
pub mod figures;
pub mod finding;
pub mod found;
pub mod harmless;
pub mod ladder;
pub mod multi_gpu;
pub mod number;
pub mod place;
pub mod pointed;
pub mod race;
pub mod reconcile;
pub mod recorded;
pub mod sentence;
pub mod sim;
pub mod tiles;
pub mod value;
pub mod vectorised;
