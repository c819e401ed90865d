//! The choice of a driver, and of one of its GPUs.

use super::device::Device;
use super::protocol::Gpus;
use super::{GpuError, cuda, nccl, stand_in};

/// Who answers for the driver in this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Driver {
    /// NVIDIA's.
    Cuda,
    /// The one that computes on the CPU, for tests of the way there and back.
    StandIn(stand_in::Mood),
}

impl Driver {
    /// NVIDIA's driver, unless the environment asks for the stand-in.
    pub(super) fn chosen() -> Self {
        stand_in::Mood::asked_for().map_or(Self::Cuda, Self::StandIn)
    }

    /// What GPUs there are.
    pub(super) fn gpus(self) -> Result<Gpus, GpuError> {
        match self {
            Self::Cuda => cuda::gpus(),
            Self::StandIn(mood) => Ok(stand_in::gpus(mood)),
        }
    }

    /// The name of a new circle of GPUs, for [`Device::join`].
    pub(super) fn circle(self) -> Result<nccl::Id, GpuError> {
        match self {
            Self::Cuda => nccl::circle(),
            Self::StandIn(mood) => stand_in::circle(mood),
        }
    }

    /// Opens GPU number `index`.
    pub(super) fn open(self, index: u32) -> Result<Box<dyn Device>, GpuError> {
        match self {
            Self::Cuda => Ok(Box::new(cuda::Cuda::open(index)?)),
            Self::StandIn(mood) => Ok(Box::new(stand_in::StandIn::open(mood, index)?)),
        }
    }
}
