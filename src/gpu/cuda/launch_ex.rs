//! Launches with attributes (`cuLaunchKernelEx`): blocks in clusters.

use crate::launch::Dim3;
use cudarc::driver::sys::{
    CUlaunchAttribute, CUlaunchAttributeID, CUlaunchAttributeValue,
    CUlaunchAttributeValue_union__bindgen_ty_1 as ClusterDimension, CUlaunchConfig,
    cuLaunchKernelEx,
};
use cudarc::driver::{CudaFunction, CudaStream, DriverError, LaunchConfig};
use std::ffi::c_void;

/// Launches a kernel in clusters of this many blocks. `values` has the bytes of each argument.
///
/// # Errors
/// The driver refuses the launch.
pub(super) fn in_clusters(
    stream: &CudaStream,
    function: &CudaFunction,
    launch: LaunchConfig,
    Dim3 { x, y, z }: Dim3,
    values: &[Vec<u8>],
) -> Result<(), DriverError> {
    let value = CUlaunchAttributeValue { clusterDim: ClusterDimension { x, y, z } };
    let id = CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    let mut attribute = CUlaunchAttribute { id, pad: [0; 4], value };
    let ((grid_x, grid_y, grid_z), (block_x, block_y, block_z)) =
        (launch.grid_dim, launch.block_dim);
    let config = CUlaunchConfig {
        gridDimX: grid_x,
        gridDimY: grid_y,
        gridDimZ: grid_z,
        blockDimX: block_x,
        blockDimY: block_y,
        blockDimZ: block_z,
        sharedMemBytes: launch.shared_mem_bytes,
        hStream: stream.cu_stream(),
        attrs: &raw mut attribute,
        numAttrs: 1,
    };
    let values = values.iter().filter(|value| !value.is_empty());
    let mut args: Vec<*mut c_void> = values.map(|value| value.as_ptr().cast_mut().cast()).collect();
    // SAFETY: the configuration and its attribute live until the call returns, as does a value for
    // each parameter, of its size. The kernel may access any address: it runs in a process that may
    // die of it.
    unsafe {
        cuLaunchKernelEx(
            &raw const config,
            function.cu_function(),
            args.as_mut_ptr(),
            std::ptr::null_mut(),
        )
    }
    .result()
}
