//! The screens, composed of panels.

mod buffers;
pub mod course;
pub mod edit;
mod exercise;
pub mod finale;
pub mod footer;
pub mod lesson;
pub mod listing;
pub mod main;
pub mod measure;
pub mod measured;
pub mod micro;
pub mod numbers;
pub mod panels;
pub mod stage;
pub mod tiles;
pub mod value;
