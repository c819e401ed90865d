//! The report on one order of a block's warps.

use super::same::Changed;
use crate::matrix::judge::Mismatch;
use serde::{Serialize, Serializer};

/// One order of the block's warps.
#[derive(Clone, Debug, Serialize)]
pub struct OrderRun {
    /// In the format of `--order`.
    pub order: String,
    /// How often a warp was left that could have continued and had not reached a barrier.
    pub preemptions: u64,
    /// The number of elements of C that the block writes.
    pub elements: usize,
    /// The number of wrong elements.
    pub wrong: usize,
    /// The first wrong element: row, column, actual and expected value.
    #[serde(serialize_with = "as_list")]
    pub first: Option<Mismatch>,
    /// Of a kernel that computes no product: the first element that is not as in the usual order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changed: Option<Changed>,
    /// Whether the block completed.
    pub ended: bool,
}

/// A number with no more digits than it needs.
#[derive(Serialize)]
#[serde(untagged)]
enum FloatValue {
    Single(f32),
    Double(f64),
}

impl From<f64> for FloatValue {
    fn from(value: f64) -> Self {
        let single = value as f32;
        let is_single = f64::from(single).to_bits() == value.to_bits();
        if is_single { Self::Single(single) } else { Self::Double(value) }
    }
}

#[expect(clippy::ref_option, reason = "serde passes a reference")]
fn as_list<S: Serializer>(first: &Option<Mismatch>, to: S) -> Result<S::Ok, S::Error> {
    let list = first.map(|off| (off.row, off.column, FloatValue::from(off.is), off.should));
    list.serialize(to)
}
