//! Shuffles and votes of a tile of a warp: those of the warp with the tile's lanes (CUDA C++ Programming
//! Guide, "Cooperative Groups").

use super::location::Lvalue;
use super::lowering::Lowering;
use super::stop::Result;
use super::value::Value;
use crate::ast::Expr;
use crate::at::Pos;
use crate::error::Error;
use crate::types::{Scalar, Type};

/// What a tile has beside its library, and the function of a warp that it is.
const OF_WARPS: [(&str, &str); 7] = [
    ("shfl", "__shfl_sync"),
    ("shfl_up", "__shfl_up_sync"),
    ("shfl_down", "__shfl_down_sync"),
    ("shfl_xor", "__shfl_xor_sync"),
    ("any", "__any_sync"),
    ("all", "__all_sync"),
    ("ballot", "__ballot_sync"),
];

impl<'a> Lowering<'a> {
    /// `tile.shfl_down(x, 4)`; `None` for another member.
    pub(super) fn of_tile(
        &mut self,
        at: Pos,
        of: &'a Expr,
        name: &str,
        given: &'a [Expr],
    ) -> Result<Option<Value>> {
        let Some((_, function)) = OF_WARPS.iter().find(|(own, _)| *own == name) else {
            return Ok(None);
        };
        let Type::Struct(tile) = self.type_of(of)? else { return Ok(None) };
        let size = tile.name.strip_prefix("thread_block_tile<");
        let size: Option<i64> = size.and_then(|rest| rest.trim_end_matches('>').parse().ok());
        let Some(size) = size else { return Ok(None) };
        let place = Lvalue::Fields(tile, Vec::new());
        let mask = match size {
            32 => Value::int(-1, Scalar::U32),
            _ => self.method_of(at, &place, "mask", &[])?,
        };
        let values = given.iter().map(|one| self.value(one)).collect::<Result<Vec<_>>>()?;
        let all = match (&*values, function.contains("shfl")) {
            ([value, lane], true) => {
                [mask, value.clone(), lane.clone(), Value::int(size, Scalar::I32)]
            }
            ([asked], false) => return self.vote(at, function, mask, asked.clone()).map(Some),
            _ => {
                let told = format!("`{name}` of a tile with {} arguments", values.len());
                return Err(Error::at(at, told).into());
            }
        };
        self.shuffled(at, function, &all).map(Some)
    }
}
