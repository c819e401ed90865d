//! Findings and counters as sentences and tables.

mod advice;
mod counters;
mod findings;
mod reconcile;
mod superstep;
