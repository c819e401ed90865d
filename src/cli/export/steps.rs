//! The steps of a run, and the memory of a roofline, as the command line has them.

use crate::cli::BadUse;
use crate::cli::names::NameParser;
use crate::report::charts::Traffic;

/// The steps that are shown.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(super) struct Steps {
    /// First step of a run [default: 0]
    #[arg(long, value_name = "N")]
    pub(super) from: Option<usize>,
    /// Last step of a run [default: its last]
    #[arg(long, value_name = "N")]
    pub(super) to: Option<usize>,
}

impl Steps {
    /// Whether any is given.
    pub(super) const fn is_given(&self) -> bool {
        self.from.is_some() || self.to.is_some()
    }
}

/// The memory whose traffic the roofline counts.
pub(super) type MemoryTraffic = Traffic;

pub(super) const MEMORY: NameParser<Traffic> = NameParser {
    of: || vec![("dram", ""), ("shared", "")],
    parse: |text| match text {
        "dram" => Ok(Traffic::Dram),
        "shared" => Ok(Traffic::Shared),
        _ => Err(BadUse("give dram or shared".to_owned())),
    },
};
