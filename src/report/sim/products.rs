//! Several products of one launch, as text and JSON.

use crate::matrix::Size;
use crate::study::batches::JudgedBatch;
use serde::Serialize;
use std::fmt;

/// Several products of one launch.
#[derive(Debug, Serialize)]
pub(super) struct ProductsReport {
    products: u32,
    size: Size,
    /// The elements of all C that are wrong.
    pub(super) wrong: u64,
    /// The first wrong one, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    first: Option<String>,
}

impl From<JudgedBatch> for ProductsReport {
    fn from(of: JudgedBatch) -> Self {
        let first = of.first.map(|wrong| {
            format!(
                "C[{}][{}] of product {} is {}, and {} is right",
                wrong.row, wrong.column, wrong.product, wrong.is, wrong.expected
            )
        });
        Self { products: of.count, size: of.size, wrong: of.wrong, first }
    }
}

impl fmt::Display for ProductsReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { products, size, wrong, first } = self;
        match first {
            None => write!(f, "C is right: {products} products of {size}"),
            Some(first) => {
                write!(f, "C is WRONG: of {products} products of {size}, {wrong} elements: {first}")
            }
        }
    }
}
