//! `--gpu`: one GPU, several that share each product, all, or none.

use super::BadUse;
use crate::timing::GpuError;
use crate::timing::pack::NoSuchGpu;
use std::str::FromStr;

/// The GPUs that are used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum GpuChoice {
    /// None: what is shown was recorded.
    None,
    /// All that the driver sees.
    All,
    /// These, counted from 0.
    These(Vec<u32>),
}

impl FromStr for GpuChoice {
    type Err = BadUse;

    fn from_str(text: &str) -> Result<Self, BadUse> {
        match text {
            "all" => return Ok(Self::All),
            "none" => return Ok(Self::None),
            _ => {}
        }
        let numbers: Result<Vec<u32>, _> = text.split(',').map(str::parse).collect();
        let numbers = numbers.map_err(|error| {
            let told = "is neither `all`, `none` nor numbers of GPUs such as 0,1";
            BadUse(format!("`{text}` {told} ({error})"))
        })?;
        let mut once = numbers.clone();
        once.sort_unstable();
        once.dedup();
        if once.len() < numbers.len() {
            return Err(BadUse(format!("`{text}` names a GPU twice")));
        }
        Ok(Self::These(numbers))
    }
}

/// Several GPUs where there can be only one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("--gpu: give one number, or none; several share the work of `matviz bench`")]
pub(super) struct SeveralGpus;

impl GpuChoice {
    /// The GPU where there can be only one, or none.
    ///
    /// # Errors
    /// Several are given.
    pub(super) fn one(&self) -> Result<Option<u32>, SeveralGpus> {
        match self {
            Self::None => Ok(None),
            Self::These(numbers) if numbers.len() == 1 => Ok(numbers.first().copied()),
            Self::These(_) | Self::All => Err(SeveralGpus),
        }
    }

    /// Their numbers, given the number of GPUs found.
    pub(super) fn numbers(&self, found: u32) -> Result<Vec<u32>, GpuError> {
        match self {
            Self::None => Ok(Vec::new()),
            Self::All => Ok((0..found).collect()),
            Self::These(numbers) => match numbers.iter().find(|number| **number >= found) {
                Some(asked) => Err(GpuError::NoSuchGpu(NoSuchGpu { asked: *asked, found })),
                None => Ok(numbers.clone()),
            },
        }
    }
}
