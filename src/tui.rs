//! The screen: an event loop around a value, drawn by pure functions.

pub mod theme;
pub mod widget;
