//! What matviz chose of a launch since nobody stated it: what is found may come from that choice.

use crate::launch::Dim3;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Chosen {
    /// The threads of a block.
    Block(Dim3),
    Grid(Dim3),
    /// What the parameters stand for, by their types alone.
    Parameters(String),
    /// Numbers that are the size, where the host's code passes a name of one, as `n=1024`.
    Sizes(Vec<String>),
    /// What these buffers hold before the launch.
    Contents(Vec<String>),
}

impl Chosen {
    pub const fn option(&self) -> &'static str {
        match self {
            Self::Block(_) => "--block",
            Self::Grid(_) => "--grid",
            Self::Sizes(_) => "--size",
            Self::Parameters(_) | Self::Contents(_) => "--args",
        }
    }
}
