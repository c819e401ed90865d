//! NVIDIA's driver, through cudarc: the only file that names it.

use super::cublas::{Addresses, Cublas};
use super::device::Device;
use super::error::GpuError;
use super::isa;
use super::protocol::{Gpu, Gpus, Subject};
use crate::kernel::{Arg, Call};
use crate::launch::Dim3;
use crate::matrix::{Operand, Size};
use cudarc::driver::sys::{self, CUevent_flags, cudaError_enum};
use cudarc::driver::{
    CudaContext, CudaFunction, CudaSlice, CudaStream, DevicePtr, DriverError, LaunchConfig,
    PushKernelArg, result,
};
use cudarc::nvrtc::Ptx;
use std::fs;
use std::sync::Arc;

/// One GPU, with at most one product and one loaded subject on it.
pub(super) struct Cuda {
    name: String,
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    loaded: Option<Loaded>,
    matrices: Option<Matrices>,
    cublas: Option<Cublas>,
}

/// What the next launch runs.
enum Loaded {
    Kernel { function: CudaFunction, launch: LaunchConfig, args: Vec<Arg> },
    Cublas,
}

struct Matrices {
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

/// How many GPUs the driver sees; at least one.
fn count() -> Result<u32, GpuError> {
    // SAFETY: loads libcuda, which runs nothing on load that asks for more than a C run time.
    if !unsafe { sys::is_culib_present() } {
        return Err(GpuError::NoDriver);
    }
    let none = |reason: String| GpuError::NoGpu { reason };
    let count = CudaContext::device_count().map_err(|error| none(words(error)))?;
    if count < 1 { Err(none("it counts 0".to_owned())) } else { Ok(count as u32) }
}

fn gpu(index: u32) -> Result<Gpu, GpuError> {
    use sys::CUdevice_attribute_enum as Attribute;
    let doing = |error| failed("asking the GPU what it is", error);
    let device = result::device::get(index as i32).map_err(doing)?;
    // SAFETY: `device` is a handle that the driver has just given out.
    let attribute = |which| unsafe { result::device::get_attribute(device, which) }.map_err(doing);
    let major = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
    let minor = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
    // SAFETY: as above.
    let memory = unsafe { result::device::total_mem(device) }.map_err(doing)?;
    Ok(Gpu {
        name: result::device::get_name(device).map_err(doing)?,
        compute_capability: format!("{major}.{minor}"),
        memory: memory as u64,
    })
}

/// The newest CUDA that the driver knows, for example `13.0`.
fn cuda_version() -> Result<String, GpuError> {
    let mut version = 0;
    // SAFETY: a valid place for an int.
    let status = unsafe { sys::cuDriverGetVersion(&raw mut version) };
    status.result().map_err(|error| failed("asking the driver its version", error))?;
    Ok(format!("{}.{}", version / 1000, version % 1000 / 10))
}

/// The driver's release. CUDA does not tell it: the kernel module does, and so does the full name
/// of the file behind libcuda.so.1 (`libcuda.so.580.159.03`).
fn release() -> Option<String> {
    let module = fs::read_to_string("/proc/driver/nvidia/version").unwrap_or_default();
    let maps = fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let words = module.split_whitespace();
    words.chain(maps.split("libcuda.so.").skip(1)).find_map(dotted_release)
}

/// `580.159.03` at the start of `text`: a word of digits and dots with three digits before the first.
fn dotted_release(text: &str) -> Option<String> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (release, rest) = text.split_at(end);
    let (major, _) = release.split_once('.')?;
    let whole = rest.is_empty() || rest.starts_with(char::is_whitespace);
    (whole && major.len() == 3).then(|| release.to_owned())
}

impl Cuda {
    pub(super) fn open(index: u32) -> Result<Self, GpuError> {
        let found = count()?;
        if index >= found {
            return Err(GpuError::NoSuchGpu { asked: index, found });
        }
        let doing = |error| failed("opening the GPU", error);
        let context = CudaContext::new(index as usize).map_err(doing)?;
        let stream = context.default_stream();
        let name = context.name().map_err(doing)?;
        Ok(Self { name, context, stream, loaded: None, matrices: None, cublas: None })
    }

    fn kernel(&self, call: &Call) -> Result<Loaded, GpuError> {
        let Call { entry, ptx, launch, shared, args } = call;
        let module =
            self.context.load_module(Ptx::from_src(ptx)).map_err(|error| refused(ptx, error))?;
        let function = module.load_function(entry);
        let function = function.map_err(|error| failed("finding the kernel in its PTX", error))?;
        allow_shared(&function, *shared)?;
        let sides = |d: Dim3| (d.x, d.y, d.z);
        let (grid_dim, block_dim) = (sides(launch.grid), sides(launch.block));
        let launch = LaunchConfig { grid_dim, block_dim, shared_mem_bytes: *shared };
        Ok(Loaded::Kernel { function, launch, args: args.clone() })
    }

    fn cublas(&mut self) -> Result<&Cublas, GpuError> {
        let cublas = match self.cublas.take() {
            Some(cublas) => cublas,
            None => Cublas::open()?,
        };
        Ok(self.cublas.insert(cublas))
    }

    fn launch(&self) -> Result<(), GpuError> {
        let (Some(loaded), Some(matrices)) = (&self.loaded, &self.matrices) else {
            return Err(GpuError::Protocol { line: "a launch before load and fill".to_owned() });
        };
        match (loaded, &self.cublas) {
            (Loaded::Kernel { function, launch, args }, _) => {
                let Addresses { a, b, c } = matrices.addresses(&self.stream);
                start(&self.stream, function, *launch, args, &[a, b, c])
            }
            (Loaded::Cublas, Some(cublas)) => {
                cublas.sgemm(matrices.size, matrices.addresses(&self.stream))
            }
            (Loaded::Cublas, None) => Err(GpuError::NoCublas),
        }
    }
}

impl Device for Cuda {
    fn name(&self) -> &str {
        &self.name
    }

    fn free_memory(&mut self) -> Result<u64, GpuError> {
        self.matrices = None;
        let doing = |error| failed("asking for the free memory", error);
        self.context.synchronize().map_err(doing)?;
        let (free, _) = self.context.mem_get_info().map_err(doing)?;
        Ok(free as u64)
    }

    fn load(&mut self, subject: &Subject) -> Result<(), GpuError> {
        self.loaded = Some(match subject {
            Subject::Kernel { call, .. } => self.kernel(call)?,
            Subject::Cublas => {
                self.cublas()?;
                Loaded::Cublas
            }
        });
        Ok(())
    }

    fn has_cublas(&mut self) -> bool {
        self.cublas().is_ok()
    }

    fn fill(&mut self, size: Size, a: &[f32], b: &[f32]) -> Result<(), GpuError> {
        let sending = |error| failed("sending A and B to the GPU", error);
        let elements = size.elements(Operand::C) as usize;
        let a = self.stream.clone_htod(a).map_err(sending)?;
        let b = self.stream.clone_htod(b).map_err(sending)?;
        let c = self.stream.alloc_zeros(elements).map_err(|e| failed("making room for C", e))?;
        self.matrices = Some(Matrices { size, a, b, c });
        self.stream.synchronize().map_err(sending)
    }

    fn blank(&mut self, value: f32) -> Result<(), GpuError> {
        let Some(matrices) = &mut self.matrices else { return Ok(()) };
        let elements = matrices.size.elements(Operand::C) as usize;
        // SAFETY: C has that many 32-bit words, and the stream orders this before the next launch.
        unsafe {
            sys::cuMemsetD32_v2(matrices.address_of_c(&self.stream), value.to_bits(), elements)
        }
        .result()
        .map_err(|error| failed("filling C", error))
    }

    fn give(&mut self, c: &[f32]) -> Result<(), GpuError> {
        let Some(matrices) = &mut self.matrices else { return Ok(()) };
        let sending = |error| failed("sending C to the GPU", error);
        self.stream.memcpy_htod(c, &mut matrices.c).map_err(sending)?;
        self.stream.synchronize().map_err(sending)
    }

    fn run(&mut self, times: u32) -> Result<f64, GpuError> {
        let doing = |error| failed("running the kernel", error);
        let timed = Some(CUevent_flags::CU_EVENT_DEFAULT);
        let start = self.stream.record_event(timed).map_err(doing)?;
        for _ in 0..times {
            self.launch()?;
        }
        let end = self.stream.record_event(timed).map_err(doing)?;
        start.elapsed_ms(&end).map(f64::from).map_err(doing)
    }

    fn execute(&mut self, call: &Call, buffers: &[Vec<u32>]) -> Result<Vec<Vec<u32>>, GpuError> {
        let moving = |error| failed("moving the buffers", error);
        let there = buffers.iter().map(|words| self.stream.clone_htod(words));
        let there = there.collect::<Result<Vec<_>, _>>().map_err(moving)?;
        let addresses: Vec<_> =
            there.iter().map(|slice| slice.device_ptr(&self.stream).0).collect();
        let Loaded::Kernel { function, launch, args } = self.kernel(call)? else {
            return Err(GpuError::NoCublas);
        };
        start(&self.stream, &function, launch, &args, &addresses)?;
        self.stream.synchronize().map_err(|error| failed("running the kernel", error))?;
        let back = there.iter().map(|slice| self.stream.clone_dtoh(slice));
        let back = back.collect::<Result<_, _>>().map_err(moving)?;
        self.stream.synchronize().map_err(moving)?;
        Ok(back)
    }

    fn read(&mut self) -> Result<Vec<f32>, GpuError> {
        let Some(matrices) = &self.matrices else { return Ok(Vec::new()) };
        let doing = |error| failed("fetching C from the GPU", error);
        let c = self.stream.clone_dtoh(&matrices.c).map_err(doing)?;
        self.stream.synchronize().map_err(doing)?;
        Ok(c)
    }
}

impl Matrices {
    fn of(&self, operand: Operand) -> &CudaSlice<f32> {
        match operand {
            Operand::A => &self.a,
            Operand::B => &self.b,
            Operand::C => &self.c,
        }
    }

    /// Where they lie. One stream does everything in order, so no borrow need outlive this.
    fn addresses(&self, stream: &CudaStream) -> Addresses {
        let [a, b, c] = Operand::ALL.map(|operand| self.of(operand).device_ptr(stream).0);
        Addresses { a, b, c }
    }

    fn address_of_c(&self, stream: &CudaStream) -> u64 {
        self.addresses(stream).c
    }
}

/// Asks for more dynamic shared memory than every GPU gives unasked (CUDA Programming Guide,
/// "Compute Capabilities").
fn allow_shared(function: &CudaFunction, bytes: u32) -> Result<(), GpuError> {
    use sys::CUfunction_attribute_enum::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    if bytes == 0 {
        return Ok(());
    }
    function
        .set_attribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes as i32)
        .map_err(|error| failed("asking for so much dynamic shared memory", error))
}

/// Launches, with buffer number `n` at `addresses[n]`.
fn start(
    stream: &CudaStream,
    function: &CudaFunction,
    launch: LaunchConfig,
    args: &[Arg],
    addresses: &[u64],
) -> Result<(), GpuError> {
    let values: Vec<_> = args.iter().map(|arg| arg.bytes(addresses)).collect();
    let mut builder = stream.launch_builder(function);
    for first in values.iter().filter_map(|value| value.first()) {
        // The driver is given where a value begins, and reads as many bytes as its parameter has.
        builder.arg(first);
    }
    // SAFETY: a value for each parameter, as wide as it, for as long as the call lasts. What the
    // kernel does with them is its own: it runs in a process that may die of it.
    unsafe { builder.launch(launch) }.map_err(|error| failed("launching the kernel", error))?;
    Ok(())
}

/// The driver's refusal of a module.
fn refused(ptx: &str, error: DriverError) -> GpuError {
    if error.0 != cudaError_enum::CUDA_ERROR_UNSUPPORTED_PTX_VERSION {
        return failed("loading the PTX", error);
    }
    let version = isa::version(ptx).map(|(major, minor)| format!("{major}.{minor}"));
    let cuda = cuda_version().unwrap_or_else(|_| "unknown".to_owned());
    let driver =
        release().map_or(format!("CUDA {cuda}"), |release| format!("{release}, CUDA {cuda}"));
    GpuError::DriverTooOld { ptx: version.unwrap_or_default(), driver }
}

fn failed(doing: &str, error: DriverError) -> GpuError {
    GpuError::Driver { doing: doing.to_owned(), reason: words(error) }
}

/// The error's name and the driver's words for it.
fn words(error: DriverError) -> String {
    let told = error.error_string().map(|text| text.to_string_lossy().into_owned());
    format!("{:?}, {}", error.0, told.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_is_told_from_the_other_numbers_beside_it() {
        assert_eq!(dotted_release("580.159.03"), Some("580.159.03".to_owned()));
        assert_eq!(dotted_release("535.104\n7f00-7f01 r-xp"), Some("535.104".to_owned()));
        for other in ["x86_64", "1", "8.8.0", "2025", "12.2.0)", "libcuda.so", ""] {
            assert_eq!(dotted_release(other), None, "{other}");
        }
    }

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
