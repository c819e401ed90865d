//! What the help says.

pub mod glossary;
