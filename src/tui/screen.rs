//! The screens, composed of panels.

pub mod end_card;
pub mod facts;
mod listing;
pub mod main;
pub mod measure;
pub mod measured;
pub mod micro;
mod motion;
pub mod numbers;
pub mod panels;
pub mod pointed;
pub mod staged;
pub mod value;
