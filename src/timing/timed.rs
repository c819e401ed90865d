//! A request to time a launch on buffers of any kind, and its result.

use super::measure::SamplingPlan;
use super::telemetry::{Resources, Sensors};
use crate::kernel::{Call, Filled};
use crate::stats::Quartiles;
use serde::{Deserialize, Serialize};

/// A launch to time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Timing {
    /// The launch.
    pub call: Call,
    /// Its buffers, by their numbers.
    pub buffers: Vec<Filled>,
    /// The GPU's number, counted from 0.
    pub device: u32,
    /// When to stop timing.
    pub effort: SamplingPlan,
}

/// The times of a launch, and what it leaves in its buffers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Timed {
    pub device: String,
    /// Time of one launch in milliseconds. Each begins with what the one before it has left.
    pub ms: Quartiles,
    /// The same on an empty L2 cache.
    pub cold_ms: Option<Quartiles>,
    /// Resources of a block.
    pub resources: Option<Resources>,
    /// The GPU after the last sample.
    pub after: Option<Sensors>,
    /// SHA-256 of each buffer after one launch.
    pub sha256: Vec<String>,
    /// Whether a second launch, on buffers filled in the same way, has left the same.
    pub repeats: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Filling;
    use crate::launch::{Dim3, Launch};
    use crate::matrix::{ElementType, Elements, Operand, Values};
    use crate::timing::protocol::Request;

    #[test]
    fn a_request_arrives_as_it_was_sent() {
        let launch = Launch { grid: Dim3::flat(2, 1), block: Dim3::flat(32, 1) };
        let (entry, ptx, args) = ("k".to_owned(), String::new(), Vec::new());
        let elements =
            |values| Elements { of: ElementType::F64, values, seed: u64::MAX, number: 3 };
        let with = [
            Filling::Zeros,
            Filling::Matrix(u64::MAX, Operand::B, ElementType::F16),
            Filling::Elements(elements(Values::Random)),
            Filling::Elements(elements(Values::Constant(0.1))),
            Filling::Elements(elements(Values::Between(i64::MIN, i64::MAX))),
        ];
        let request = Request::Time(Timing {
            call: Call { entry, ptx, launch, shared: 0, cluster: None, args },
            buffers: with.map(|with| Filled { bytes: 30, with }).to_vec(),
            device: 0,
            effort: SamplingPlan::default(),
        });
        let line = serde_json::to_string(&request).expect("a request is JSON");
        assert_eq!(serde_json::from_str::<Request>(&line).expect("read back"), request);
    }
}
