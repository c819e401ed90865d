//! Tensor maps as the driver encodes them.

use super::failed::failed;
use crate::kernel::TensorMapArg;
use crate::matrix::ElementType;
use crate::timing::GpuError;
use cudarc::driver::sys::{
    CUtensorMap, CUtensorMapDataType, CUtensorMapFloatOOBfill, CUtensorMapInterleave,
    CUtensorMapL2promotion, CUtensorMapSwizzle, cuTensorMapEncodeTiled,
};
use cudarc::driver::{CudaSlice, CudaStream, DevicePtr};
use std::cell::RefCell;
use std::sync::Arc;

/// The maps whose addresses a kernel takes, in global memory: copied once, for all launches.
#[derive(Default)]
pub(super) struct MapsInMemory(RefCell<Vec<(Vec<u8>, CudaSlice<u8>)>>);

impl MapsInMemory {
    /// The address of a map that the driver has encoded.
    pub(super) fn address(
        &self,
        stream: &Arc<CudaStream>,
        encoded: Vec<u8>,
    ) -> Result<u64, GpuError> {
        let mut all = self.0.borrow_mut();
        if let Some((_, copied)) = all.iter().find(|(bytes, _)| *bytes == encoded) {
            return Ok(copied.device_ptr(stream).0);
        }
        let copied = stream.clone_htod(&encoded);
        let copied = copied.map_err(|error| failed("copying a tensor map", error))?;
        let address = copied.device_ptr(stream).0;
        all.push((encoded, copied));
        Ok(address)
    }
}

/// The bytes of a map, where buffer number `n` begins at `addresses[n]`.
pub(super) fn encoded(map: &TensorMapArg, addresses: &[u64]) -> Result<Vec<u8>, GpuError> {
    let ty = match map.of {
        ElementType::F32 => CUtensorMapDataType::CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
        ElementType::F64 => CUtensorMapDataType::CU_TENSOR_MAP_DATA_TYPE_FLOAT64,
        ElementType::F16 => CUtensorMapDataType::CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
        ElementType::Bf16 => CUtensorMapDataType::CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,
        // The driver knows no signed bytes and shorts; a copy changes none of their bits.
        ElementType::I8 | ElementType::U8 => CUtensorMapDataType::CU_TENSOR_MAP_DATA_TYPE_UINT8,
        ElementType::I16 | ElementType::U16 => CUtensorMapDataType::CU_TENSOR_MAP_DATA_TYPE_UINT16,
        ElementType::I32 => CUtensorMapDataType::CU_TENSOR_MAP_DATA_TYPE_INT32,
        ElementType::U32 => CUtensorMapDataType::CU_TENSOR_MAP_DATA_TYPE_UINT32,
        ElementType::I64 => CUtensorMapDataType::CU_TENSOR_MAP_DATA_TYPE_INT64,
        ElementType::U64 => CUtensorMapDataType::CU_TENSOR_MAP_DATA_TYPE_UINT64,
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
