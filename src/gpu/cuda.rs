//! NVIDIA's driver, through cudarc: only this file and its submodules name cudarc.

mod ceilings;
mod counting;
mod device;
mod failed;
mod hierarchy;
mod launch_ex;
mod limits;
mod refusal;
mod tensor_map;
mod timed;
mod version;

use self::failed::{failed, words};
use self::limits::{limits, taken};
use self::refusal::refused;
use self::tensor_map::MapsInMemory;
use self::version::{cuda_version, release};
use super::cublas::{Addresses, Cublas};
use super::nccl::Communicator;
use super::nvml::Nvml;
use crate::kernel::{Arg, Call};
use crate::launch::Dim3;
use crate::matrix::{Operand, Precision, Size};
use crate::timing::GpuError;
use crate::timing::excess::Excess;
use crate::timing::pack::NoSuchGpu;
use crate::timing::{Gpu, Gpus, Limits, Resources};
use cudarc::driver::sys::{self, CUevent_flags, cudaError_enum};
use cudarc::driver::{
    CudaContext, CudaEvent, CudaFunction, CudaSlice, CudaStream, DevicePtr, DriverError,
    LaunchConfig, PushKernelArg, result,
};
use cudarc::nvrtc::Ptx;
use std::cell::RefCell;
use std::ffi::{CStr, c_char};
use std::sync::Arc;

/// A GPU, with at most one product and one loaded subject on it.
pub(super) struct Cuda {
    name: String,
    capability: (u32, u32),
    limits: Limits,
    nvml: Option<Nvml>,
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    loaded: Option<LoadedWork>,
    matrices: Option<DeviceMatrices>,
    /// The buffers of a launch that computes no product.
    buffers: Vec<CudaSlice<u32>>,
    /// The buffer that is written to evict everything else from the L2 cache.
    filler: Option<CudaSlice<u32>>,
    cublas: Option<Cublas>,
    circle: Option<Communicator>,
}

/// The work that the next launch runs.
enum LoadedWork {
    Kernel(LoadedKernel),
    Cublas(Precision),
}

/// A kernel that is ready to launch.
struct LoadedKernel {
    function: CudaFunction,
    launch: LaunchConfig,
    /// The size of clusters, if the launch gives one.
    cluster: Option<Dim3>,
    args: Vec<Arg>,
    maps: MapsInMemory,
    /// Those of the last launch.
    last: RefCell<Option<ArgumentBytes>>,
    taken: Resources,
}

/// The bytes of each argument, for buffers at these addresses.
struct ArgumentBytes {
    addresses: Vec<u64>,
    values: Vec<Vec<u8>>,
}

struct DeviceMatrices {
    size: Size,
    a: CudaSlice<f32>,
    b: CudaSlice<f32>,
    c: CudaSlice<f32>,
}

/// The driver and its GPUs.
pub(super) fn gpus() -> Result<Gpus, GpuError> {
    let count = count()?;
    let gpus = (0..count).map(gpu).collect::<Result<_, _>>()?;
    Ok(Gpus { driver: release(), cuda: cuda_version()?, gpus })
}

/// The number of GPUs that the driver sees, at least one.
fn count() -> Result<u32, GpuError> {
    // SAFETY: loads libcuda, whose initialisers need no more than a C run time.
    if !unsafe { sys::is_culib_present() } {
        return Err(GpuError::NoDriver);
    }
    let none = |reason: String| GpuError::NoGpu { reason };
    let count = CudaContext::device_count().map_err(|error| none(words(error)))?;
    if count < 1 { Err(none("it counts 0".to_owned())) } else { Ok(count as u32) }
}

fn gpu(index: u32) -> Result<Gpu, GpuError> {
    let doing = |error| failed("asking the GPU what it is", error);
    let device = result::device::get(index as i32).map_err(doing)?;
    let (major, minor) = capability(device)?;
    // SAFETY: `device` is a handle that the driver has just returned.
    let memory = unsafe { result::device::total_mem(device) }.map_err(doing)?;
    Ok(Gpu {
        name: result::device::get_name(device).map_err(doing)?,
        compute_capability: format!("{major}.{minor}"),
        memory: memory as u64,
        limits: Some(limits(device)?),
    })
}

/// Its compute capability: (major, minor).
fn capability(device: sys::CUdevice) -> Result<(u32, u32), GpuError> {
    use sys::CUdevice_attribute_enum as Attribute;
    let ask = |which| {
        // SAFETY: `device` is a handle that the driver has returned.
        let answer = unsafe { result::device::get_attribute(device, which) };
        answer.map(|part| part as u32).map_err(|e| failed("asking the GPU what it is", e))
    };
    let major = ask(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
    Ok((major, ask(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?))
}

/// The sensors of a GPU, or `None` without NVML. NVML numbers GPUs its own way, so the PCI bus id
/// identifies the GPU.
fn sensors_of(device: sys::CUdevice) -> Option<Nvml> {
    let mut bus: [c_char; 32] = [0; 32];
    // SAFETY: a live handle, and a buffer of the length passed with it.
    let status = unsafe { sys::cuDeviceGetPCIBusId(bus.as_mut_ptr(), bus.len() as i32, device) };
    status.result().ok()?;
    // SAFETY: the driver has written a string that ends in NUL.
    Nvml::open(unsafe { CStr::from_ptr(bus.as_ptr()) })
}

impl Cuda {
    pub(super) fn open(index: u32) -> Result<Self, GpuError> {
        let found = count()?;
        if index >= found {
            return Err(GpuError::NoSuchGpu(NoSuchGpu { asked: index, found }));
        }
        let doing = |error| failed("opening the GPU", error);
        let context = CudaContext::new(index as usize).map_err(doing)?;
        let device = context.cu_device();
        Ok(Self {
            name: context.name().map_err(doing)?,
            capability: capability(device)?,
            limits: limits(device)?,
            nvml: sensors_of(device),
            stream: context.default_stream(),
            context,
            loaded: None,
            matrices: None,
            buffers: Vec::new(),
            filler: None,
            cublas: None,
            circle: None,
        })
    }

    fn kernel(&self, call: &Call) -> Result<LoadedKernel, GpuError> {
        let Call { entry, ptx, launch, shared, cluster, args } = call;
        if let Some(excess) = Excess::of_launch(launch, *shared, &self.limits) {
            return Err(GpuError::Excess(excess));
        }
        let function = self.function(ptx, entry)?;
        let sides = |d: Dim3| (d.x, d.y, d.z);
        let (grid_dim, block_dim) = (sides(launch.grid), sides(launch.block));
        let launch = LaunchConfig { grid_dim, block_dim, shared_mem_bytes: *shared };
        let taken = taken(&function, launch, &self.limits)?;
        let (args, maps) = (args.clone(), MapsInMemory::default());
        let (cluster, last) = (*cluster, RefCell::default());
        Ok(LoadedKernel { function, launch, cluster, args, maps, last, taken })
    }

    fn function(&self, ptx: &str, entry: &str) -> Result<CudaFunction, GpuError> {
        let module = self.context.load_module(Ptx::from_src(ptx));
        let module = module.map_err(|error| refused(ptx, error, self.capability, &self.limits))?;
        let function = module.load_function(entry);
        function.map_err(|error| failed("finding the kernel in its PTX", error))
    }

    /// The number of words to write to empty the L2 cache: twice its size, since its replacement
    /// policy is not documented.
    fn filler_words(&self) -> usize {
        self.limits.l2_bytes as usize / 4 * 2
    }

    /// Writes more than the L2 cache holds; returns `false` if there is no memory for that.
    fn empty_l2(&mut self) -> Result<bool, GpuError> {
        let doing = |error| failed("emptying the L2 cache", error);
        let mut filler = match self.filler.take() {
            Some(filler) => filler,
            // SAFETY: its contents are written before they are read.
            None => match unsafe { self.stream.alloc(self.filler_words()) } {
                Ok(filler) => filler,
                Err(error) if is_shortage(error) => return Ok(false),
                Err(error) => return Err(doing(error)),
            },
        };
        self.stream.memset_zeros(&mut filler).map_err(doing)?;
        self.filler = Some(filler);
        Ok(true)
    }

    fn event(&self) -> Result<CudaEvent, GpuError> {
        let timed = Some(CUevent_flags::CU_EVENT_DEFAULT);
        self.stream.record_event(timed).map_err(|error| failed("running the kernel", error))
    }

    fn wait(&self, doing: &str) -> Result<(), GpuError> {
        self.stream.synchronize().map_err(|error| failed(doing, error))
    }

    /// The error when an allocation fails although there was memory a moment ago: the driver keeps
    /// some for itself.
    fn shortage(&self, needed: u64, doing: &str, error: DriverError) -> GpuError {
        match self.context.mem_get_info() {
            Ok((free, total)) if is_shortage(error) => {
                GpuError::OutOfMemory { needed, free: free as u64, total: total as u64 }
            }
            Ok(_) | Err(_) => failed(doing, error),
        }
    }

    fn cublas(&mut self) -> Result<&Cublas, GpuError> {
        let cublas = match self.cublas.take() {
            Some(cublas) => cublas,
            None => Cublas::open()?,
        };
        Ok(self.cublas.insert(cublas))
    }

    fn launch(&self) -> Result<(), GpuError> {
        if let (Some(LoadedWork::Kernel(kernel)), [_, ..]) = (&self.loaded, &self.buffers[..]) {
            let address = |slice: &CudaSlice<u32>| slice.device_ptr(&self.stream).0;
            return kernel
                .start(&self.stream, &self.buffers.iter().map(address).collect::<Vec<_>>());
        }
        let (Some(loaded), Some(matrices)) = (&self.loaded, &self.matrices) else {
            return Err(GpuError::Protocol { line: "a launch before load and fill".to_owned() });
        };
        match (loaded, &self.cublas) {
            (LoadedWork::Kernel(kernel), _) => {
                let Addresses { a, b, c } = matrices.addresses(&self.stream);
                kernel.start(&self.stream, &[a, b, c])
            }
            (LoadedWork::Cublas(precision), Some(cublas)) => {
                cublas.multiply(*precision, matrices.size, matrices.addresses(&self.stream))
            }
            (LoadedWork::Cublas(_), None) => Err(GpuError::NoCublas),
        }
    }
}

impl DeviceMatrices {
    fn slice(&self, operand: Operand) -> &CudaSlice<f32> {
        match operand {
            Operand::A => &self.a,
            Operand::B => &self.b,
            Operand::C => &self.c,
        }
    }

    /// The addresses of the matrices. One stream does everything in order, so no borrow need
    /// outlive this.
    fn addresses(&self, stream: &CudaStream) -> Addresses {
        let [a, b, c] = Operand::ALL.map(|operand| self.slice(operand).device_ptr(stream).0);
        Addresses { a, b, c }
    }

    fn address_of_c(&self, stream: &CudaStream) -> u64 {
        self.addresses(stream).c
    }
}

fn elapsed_ms(start: &CudaEvent, end: &CudaEvent) -> Result<f64, GpuError> {
    start.elapsed_ms(end).map(f64::from).map_err(|error| failed("running the kernel", error))
}

fn is_shortage(error: DriverError) -> bool {
    error.0 == cudaError_enum::CUDA_ERROR_OUT_OF_MEMORY
}

impl LoadedKernel {
    /// The bytes of each argument, with buffer number `n` at `addresses[n]`.
    fn values(
        &self,
        stream: &Arc<CudaStream>,
        addresses: &[u64],
    ) -> Result<Vec<Vec<u8>>, GpuError> {
        let value = |arg: &Arg| match arg {
            Arg::TensorMap(map) => tensor_map::encoded(map, addresses),
            Arg::TensorMapAddress { map, .. } => {
                let encoded = tensor_map::encoded(map, addresses)?;
                self.maps.address(stream, encoded).map(|at| at.to_le_bytes().to_vec())
            }
            arg => Ok(arg.bytes(addresses)),
        };
        self.args.iter().map(value).collect()
    }

    /// Launches the kernel, with buffer number `n` at `addresses[n]`. Tensor maps are encoded for the
    /// first launch alone: otherwise a short kernel would wait for the next.
    fn start(&self, stream: &Arc<CudaStream>, addresses: &[u64]) -> Result<(), GpuError> {
        let mut last = self.last.borrow_mut();
        let last = match &mut *last {
            Some(last) if last.addresses == addresses => last,
            last => {
                let values = self.values(stream, addresses)?;
                last.insert(ArgumentBytes { addresses: addresses.to_vec(), values })
            }
        };
        let values = &last.values;
        if let Some(cluster) = self.cluster {
            return launch_ex::in_clusters(stream, &self.function, self.launch, cluster, values)
                .map_err(|error| failed("launching the kernel in clusters", error));
        }
        let mut builder = stream.launch_builder(&self.function);
        for first in values.iter().filter_map(|value| value.first()) {
            // The driver receives the address of a value's first byte, and reads the size of its
            // parameter.
            builder.arg(first);
        }
        let doing = |error| failed("launching the kernel", error);
        // SAFETY: a value for each parameter, of its size, which lives until the call returns. The
        // kernel may access any address: it runs in a process that may die of it.
        unsafe { builder.launch(self.launch) }.map_err(doing)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_driver_the_answer_is_an_error_and_not_a_panic() {
        match gpus() {
            Ok(found) => assert!(!found.gpus.is_empty()),
            Err(error) => {
                assert!(matches!(error, GpuError::NoDriver | GpuError::NoGpu { .. }), "{error}");
            }
        }
    }
}
