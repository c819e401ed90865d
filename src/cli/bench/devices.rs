//! The GPUs that share each product.

use crate::cli::BadUse;
use crate::timing::GpuError;
use crate::timing::pack::NoSuchGpu;
use std::str::FromStr;

/// The GPUs that share each product.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Devices {
    /// All that the driver sees.
    All,
    /// These, counted from 0.
    These(Vec<u32>),
}

impl FromStr for Devices {
    type Err = BadUse;

    fn from_str(text: &str) -> Result<Self, BadUse> {
        if text == "all" {
            return Ok(Self::All);
        }
        let numbers: Result<Vec<u32>, _> = text.split(',').map(str::parse).collect();
        let numbers = numbers.map_err(|error| {
            let told = "is neither `all` nor numbers of GPUs such as 0,1";
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

impl Devices {
    /// Their numbers, given the number of GPUs found.
    pub(super) fn numbers(&self, found: u32) -> Result<Vec<u32>, GpuError> {
        match self {
            Self::All => Ok((0..found).collect()),
            Self::These(numbers) => match numbers.iter().find(|number| **number >= found) {
                Some(asked) => Err(GpuError::NoSuchGpu(NoSuchGpu { asked: *asked, found })),
                None => Ok(numbers.clone()),
            },
        }
    }
}
