//! What only runs tell: findings and their steps, orders that spoil C, where values came from, counts.

pub mod approximate;
pub mod counts;
pub mod errors;
pub mod findings;
pub mod schedule;
pub mod simulation;
pub mod value;
