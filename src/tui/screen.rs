//! The screens, composed of panels.

mod arrivals;
mod buffers;
pub mod course;
pub mod edit;
pub mod end_card;
pub mod facts;
pub mod footer;
pub mod lesson;
pub mod listing;
pub mod main;
pub mod measure;
pub mod measured;
pub mod micro;
pub mod motion;
pub mod numbers;
pub mod panels;
mod passes;
pub mod pointed;
pub mod staged;
pub mod tiles;
pub mod value;
