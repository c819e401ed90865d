//! The panels of the screen: each borrows its data, draws it and owns nothing.

pub mod blocks;
pub mod bricks;
pub mod buffers;
pub mod chosen;
pub mod compare;
pub mod cost;
pub mod course;
pub mod dials;
pub mod finale;
pub mod findings;
pub mod footer;
pub mod goals;
pub mod help;
pub mod launch;
pub mod matrices;
pub mod measured;
pub mod page;
pub mod palette;
pub mod panel;
pub mod pictures;
pub mod scrubber;
pub mod shared;
pub mod source;
pub mod stage;
pub mod status;
pub mod tiles;
pub mod timeline;
pub mod value;
pub mod warps;

mod canvas;
mod pen;
mod scale;
mod stroke;

#[cfg(test)]
#[path = "../../tests/shared/picture.rs"]
mod picture;
