//! Tensor maps as the driver encodes them.

use super::failed::failed;
use crate::gpu::GpuError;
use crate::kernel::TensorMap;
use crate::matrix::ElementType;
use cudarc::driver::sys::{
    CUtensorMap, CUtensorMapDataType, CUtensorMapFloatOOBfill, CUtensorMapInterleave,
    CUtensorMapL2promotion, CUtensorMapSwizzle, cuTensorMapEncodeTiled,
};

/// The bytes of a map, where buffer number `n` begins at `addresses[n]`.
pub(super) fn encoded(map: &TensorMap, addresses: &[u64]) -> Result<Vec<u8>, GpuError> {
    let ty = match map.matrix() {
        (_, ElementType::F16) => CUtensorMapDataType::CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
        _ => CUtensorMapDataType::CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
    };
    let swizzle = match map.swizzle {
        32 => CUtensorMapSwizzle::CU_TENSOR_MAP_SWIZZLE_32B,
        64 => CUtensorMapSwizzle::CU_TENSOR_MAP_SWIZZLE_64B,
        128 => CUtensorMapSwizzle::CU_TENSOR_MAP_SWIZZLE_128B,
        _ => CUtensorMapSwizzle::CU_TENSOR_MAP_SWIZZLE_NONE,
    };
    let (extents, strides) = (map.extents.map(u64::from), [map.pitch()]);
    let (boxes, steps) = (map.boxes.map(u32::from), [1_u32; 2]);
    let base = addresses[map.buffer] as *mut std::ffi::c_void;
    let mut encoded = CUtensorMap { opaque: [0; 16] };
    // SAFETY: the arrays have an entry for each of the two dimensions (the strides one less), and
    // the driver only reads them and writes `encoded`.
    let result = unsafe {
        cuTensorMapEncodeTiled(
            &raw mut encoded,
            ty,
            2,
            base,
            extents.as_ptr(),
            strides.as_ptr(),
            boxes.as_ptr(),
            steps.as_ptr(),
            CUtensorMapInterleave::CU_TENSOR_MAP_INTERLEAVE_NONE,
            swizzle,
            CUtensorMapL2promotion::CU_TENSOR_MAP_L2_PROMOTION_NONE,
            CUtensorMapFloatOOBfill::CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE,
        )
    };
    result.result().map_err(|error| failed("encoding a tensor map", error))?;
    Ok(encoded.opaque.iter().flat_map(|word| word.to_le_bytes()).collect())
}
