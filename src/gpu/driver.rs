//! The choice of a driver, and of one of its GPUs.

use super::device::Device;
use super::{cuda, nccl, stand_in};
use crate::timing::GpuError;
use crate::timing::Gpus;

/// The driver that this process uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Driver {
    /// NVIDIA's.
    Cuda,
    /// The stand-in that computes on the CPU, for tests of the protocol.
    StandIn(stand_in::Behaviour),
}

impl Driver {
    /// NVIDIA's driver, unless the environment asks for the stand-in.
    pub(super) fn chosen() -> Self {
        stand_in::Behaviour::asked_for().map_or(Self::Cuda, Self::StandIn)
    }

    /// Lists the GPUs.
    pub(super) fn gpus(self) -> Result<Gpus, GpuError> {
        match self {
            Self::Cuda => cuda::gpus(),
            Self::StandIn(mood) => Ok(stand_in::gpus(mood)),
        }
    }

    /// The identifier of a new communicator of several GPUs, for [`Device::join`].
    pub(super) fn circle(self) -> Result<nccl::NcclId, GpuError> {
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
