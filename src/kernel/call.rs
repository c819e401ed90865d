//! One complete launch of one entry point: everything sent to the GPU.

use super::tensor_map::TensorMapArg;
use crate::launch::{Dim3, Launch};
use crate::matrix::Operand;
use crate::sim::TENSOR_MAP_BYTES;
use serde::{Deserialize, Serialize};

/// One argument of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Arg {
    /// The address of a buffer, by its number; 0, 1 and 2 are A, B and C.
    Buffer(usize),
    /// The address of a byte in a buffer.
    Inside { buffer: usize, offset: u64 },
    /// A value of 1, 2, 4 or 8 bytes, in its low bits.
    Value {
        bits: u64,
        /// The parameter's width in bytes.
        bytes: u8,
    },
    /// A structure, by its bytes.
    Structure(Vec<u8>),
    /// A tensor map (`CUtensorMap`); a GPU gets it from its driver.
    TensorMap(TensorMapArg),
    /// The address of a tensor map in global memory.
    TensorMapAddress {
        map: TensorMapArg,
        /// The number of the buffer that holds it, after those of the launch.
        buffer: usize,
    },
    /// A structure, by its members, each with its offset.
    Members {
        bytes: u32,
        /// The members; between them are zeros.
        members: Vec<(u32, Self)>,
    },
}

impl Arg {
    /// A pointer to a matrix.
    pub const fn matrix(operand: Operand) -> Self {
        Self::Buffer(operand as usize)
    }

    pub const fn word(value: u32) -> Self {
        Self::Value { bits: value as u64, bytes: 4 }
    }

    /// Returns the size of its parameter in bytes.
    pub fn width(&self) -> usize {
        match self {
            Self::Buffer(_) | Self::Inside { .. } | Self::TensorMapAddress { .. } => 8,
            Self::Value { bytes, .. } => usize::from(*bytes),
            Self::Structure(bytes) => bytes.len(),
            Self::TensorMap(_) => TENSOR_MAP_BYTES,
            Self::Members { bytes, .. } => *bytes as usize,
        }
    }

    /// The matrices to which it points, each with the offset of the pointer in the argument.
    pub fn pointers(&self) -> Vec<(u32, Operand)> {
        match self {
            Self::Buffer(number) => {
                Operand::ALL.get(*number).map(|operand| (0, *operand)).into_iter().collect()
            }
            Self::Value { .. }
            | Self::Inside { .. }
            | Self::Structure(_)
            | Self::TensorMap(_)
            | Self::TensorMapAddress { .. } => Vec::new(),
            Self::Members { members, .. } => {
                let of = |(offset, member): &(u32, Self)| {
                    let pointers = member.pointers().into_iter();
                    pointers.map(|(at, operand)| (offset + at, operand)).collect::<Vec<_>>()
                };
                members.iter().flat_map(of).collect()
            }
        }
    }

    /// Whether a matrix is behind it.
    pub fn has(&self, operand: Operand) -> bool {
        match self {
            Self::TensorMap(map) | Self::TensorMapAddress { map, .. } => {
                map.buffer == operand as usize
            }
            Self::Members { members, .. } => members.iter().any(|(_, one)| one.has(operand)),
            Self::Buffer(_) | Self::Inside { .. } | Self::Value { .. } | Self::Structure(_) => {
                *self == Self::matrix(operand)
            }
        }
    }

    /// The tensor map that it points to, if it is such a pointer.
    pub fn map_in_memory(&self) -> Option<&TensorMapArg> {
        match self {
            Self::TensorMapAddress { map, .. } => Some(map),
            _ => None,
        }
    }

    /// Returns its bytes as the simulator takes them, little-endian, where buffer number `n` begins at `bases[n]`.
    ///
    /// # Panics
    /// If the buffer does not exist.
    pub fn bytes(&self, bases: &[u64]) -> Vec<u8> {
        match self {
            Self::Buffer(number) | Self::TensorMapAddress { buffer: number, .. } => {
                bases[*number].to_le_bytes().to_vec()
            }
            Self::Inside { buffer, offset } => (bases[*buffer] + offset).to_le_bytes().to_vec(),
            Self::Value { bits, bytes } => bits.to_le_bytes()[..usize::from(*bytes)].to_vec(),
            Self::Structure(bytes) => bytes.clone(),
            Self::TensorMap(map) => map.bytes(bases),
            Self::Members { bytes, members } => {
                let mut all = vec![0; *bytes as usize];
                for (offset, member) in members {
                    let bytes = member.bytes(bases);
                    all[*offset as usize..][..bytes.len()].copy_from_slice(&bytes);
                }
                all
            }
        }
    }
}

/// A module, one of its entry points, and everything needed to launch it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Call {
    /// The entry point's name in the PTX.
    pub entry: String,
    pub ptx: String,
    pub launch: Launch,
    /// Bytes of dynamic shared memory for each block.
    pub shared: u32,
    /// The size of clusters in blocks, if the launch gives one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<Dim3>,
    /// One for each parameter, in order.
    pub args: Vec<Arg>,
}
