//! CUPTI's range profiler: the hardware's own counters for the work between two calls.
//!
//! A GPU can count only a few things at a time, so the counters are collected in passes: the same
//! launch runs again for each pass, and the values are available after the last one.

mod params;

use self::params::{
    AddMetrics, Decode, Disable, Enable, Evaluate, GetAvailability, GetChipName, GetConfig,
    GetConfigSize, GetImageSize, GetMetricProperties, Handle, HostDeinitialize, HostInitialize,
    Initialize, InitializeImage, Params, PopRange, PushRange, SetConfig, Start, Stop,
};
use super::library::{self, CUPTI, LoadedLibrary};
use crate::timing::GpuError;
use std::collections::BTreeMap;
use std::ffi::{CStr, CString, c_char, c_int};
use std::sync::OnceLock;

type ResultString = unsafe extern "C" fn(c_int, *mut *const c_char) -> c_int;

/// `CUPTI_ERROR_INVALID_METRIC_NAME`.
const NO_SUCH_METRIC: c_int = 17;
/// `CUPTI_ERROR_INSUFFICIENT_PRIVILEGES`, and the error for a GPU shared by several virtual
/// machines.
const REFUSED: [c_int; 2] = [35, 40];
/// `CUPTI_PROFILER_TYPE_RANGE_PROFILER`.
const RANGE_PROFILER: c_int = 0;
/// `CUPTI_UserRange`: the work between two calls is counted together.
const BETWEEN_CALLS: c_int = 2;
/// `CUPTI_UserReplay`: the caller repeats the launch, and so controls what is in the caches.
const USER_REPLAY: c_int = 3;
/// The number of ranges.
const RANGES: usize = 1;

/// The library. It hooks into the driver, so it is never unloaded.
#[derive(Debug)]
struct Cupti(LoadedLibrary);

/// The library, looked for once per process.
fn cupti() -> Result<&'static Cupti, GpuError> {
    static NEVER_CLOSED: OnceLock<Result<Option<Cupti>, GpuError>> = OnceLock::new();
    let open = || {
        let found = library::open(&CUPTI)?;
        // CUPTI opens these by their bare names, and they are in its folder. A library that is
        // already open is found.
        if let Some(found) = &found {
            library::open_beside(found, library::NVPERF);
        }
        Ok(found.map(Cupti))
    };
    match NEVER_CLOSED.get_or_init(open) {
        Ok(Some(cupti)) => Ok(cupti),
        Ok(None) => Err(GpuError::NoCupti { searched: library::searched(&CUPTI) }),
        Err(error) => Err(error.clone()),
    }
}

impl Cupti {
    /// Calls the function that these parameters belong to, and returns them with its results in
    /// them.
    fn call<P: Params>(&self, params: P) -> Result<P, GpuError> {
        match self.status_of(params)? {
            (0, params) => Ok(params),
            (status, _) => Err(self.failed(P::FUNCTION, status)),
        }
    }

    fn status_of<P: Params>(&self, params: P) -> Result<(c_int, P), GpuError> {
        type Function<P> = unsafe extern "C" fn(*mut P) -> c_int;
        let name = P::FUNCTION.to_bytes_with_nul();
        // SAFETY: the type that CUPTI's headers give to this function.
        let function = unsafe { self.0.library.get::<Function<P>>(name) };
        let function = function.map_err(|error| failure(P::FUNCTION, format!("{error}{OLD}")))?;
        let mut params = params.sized();
        // SAFETY: the function's own parameters; their creator keeps what they point to valid.
        let status = unsafe { function(&raw mut params) };
        Ok((status, params))
    }

    fn failed(&self, function: &CStr, status: c_int) -> GpuError {
        if REFUSED.contains(&status) {
            return GpuError::CountersRefused;
        }
        let words = self.words(status).unwrap_or_else(|| format!("CUptiResult {status}"));
        failure(function, words)
    }

    /// CUPTI's name for a status.
    fn words(&self, status: c_int) -> Option<String> {
        let name = b"cuptiGetResultString\0";
        // SAFETY: the type that cupti_result.h gives to this function.
        let text_of = unsafe { self.0.library.get::<ResultString>(name) }.ok()?;
        let mut text = std::ptr::null();
        // SAFETY: a valid place for a pointer.
        let known = unsafe { text_of(status, &raw mut text) } == 0 && !text.is_null();
        // SAFETY: CUPTI's strings are constants that end in NUL.
        known.then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
    }
}

/// The note on the CUDA version that introduced the functions.
const OLD: &str = " (CUPTI has this since CUDA 12.6)";

fn failure(function: &CStr, reason: String) -> GpuError {
    GpuError::Cupti { function: function.to_string_lossy().into_owned(), reason }
}

/// A buffer that CUPTI fills and reads; it is 8-byte aligned and never moves.
struct AlignedBuffer {
    words: Vec<u64>,
    bytes: usize,
}

impl AlignedBuffer {
    fn new(bytes: usize) -> Self {
        Self { words: vec![0; bytes.div_ceil(8)], bytes }
    }

    fn start(&mut self) -> *mut u8 {
        self.words.as_mut_ptr().cast()
    }
}

/// Names of metrics as C strings.
struct MetricNames {
    texts: Vec<CString>,
    starts: Vec<*const c_char>,
}

impl MetricNames {
    fn new(texts: Vec<CString>) -> Self {
        let starts = texts.iter().map(|text| text.as_ptr()).collect();
        Self { texts, starts }
    }
}

/// CUPTI's host object: the metrics of a chip.
struct CuptiHost {
    cupti: &'static Cupti,
    handle: Handle,
    /// The counters that are available on the chip; CUPTI may read it as long as the host object
    /// lives.
    _availability: AlignedBuffer,
}

impl CuptiHost {
    fn open(cupti: &'static Cupti, context: Handle, device: u32) -> Result<Self, GpuError> {
        let chip = cupti.call(GetChipName { device: device as usize, ..Params::blank() })?.chip;
        let size = cupti.call(GetAvailability { context, ..Params::blank() })?.image_size;
        let mut image = AlignedBuffer::new(size);
        let (start, image_size) = (image.start(), image.bytes);
        cupti.call(GetAvailability { context, image: start, image_size, ..Params::blank() })?;
        let profiler = RANGE_PROFILER;
        let host = HostInitialize { profiler, chip, availability: start, ..Params::blank() };
        Ok(Self { cupti, handle: cupti.call(host)?.host, _availability: image })
    }

    fn has(&self, metric: &CStr) -> Result<bool, GpuError> {
        let asked =
            GetMetricProperties { host: self.handle, metric: metric.as_ptr(), ..Params::blank() };
        match self.cupti.status_of(asked)? {
            (0, _) => Ok(true),
            (NO_SUCH_METRIC, _) => Ok(false),
            (status, _) => Err(self.cupti.failed(GetMetricProperties::FUNCTION, status)),
        }
    }

    /// The configuration that makes the GPU count these metrics.
    fn config(&self, names: &MetricNames) -> Result<AlignedBuffer, GpuError> {
        let (host, metrics, count) = (self.handle, names.starts.as_ptr(), names.starts.len());
        self.cupti.call(AddMetrics { host, metrics, count, ..Params::blank() })?;
        let size = self.cupti.call(GetConfigSize { host, ..Params::blank() })?.image_size;
        let mut image = AlignedBuffer::new(size);
        let (start, image_size) = (image.start(), image.bytes);
        self.cupti.call(GetConfig { host, image_size, image: start, ..Params::blank() })?;
        Ok(image)
    }
}

impl Drop for CuptiHost {
    fn drop(&mut self) {
        // A failure matters to no one at this point.
        let _ = self.cupti.call(HostDeinitialize { host: self.handle, ..Params::blank() });
    }
}

/// A profiler that is enabled on the GPU, and disabled when this is dropped.
pub(super) struct CuptiProfiler {
    host: CuptiHost,
    profiler: Handle,
    names: MetricNames,
    config: AlignedBuffer,
    counted: AlignedBuffer,
}

impl CuptiProfiler {
    /// Prepares the GPU of a CUDA context to count `metrics`, and also returns the metrics that it
    /// does not have.
    ///
    /// [`GpuError::NoCupti`], [`GpuError::CountersRefused`], or CUPTI's error.
    pub(super) fn open(
        context: Handle,
        device: u32,
        metrics: &[String],
    ) -> Result<(Self, Vec<String>), GpuError> {
        let cupti = cupti()?;
        cupti.call(Initialize::blank())?;
        let host = CuptiHost::open(cupti, context, device)?;
        let (mut names, mut missing) = (Vec::new(), Vec::new());
        for metric in metrics {
            match CString::new(metric.as_str()) {
                Ok(name) if host.has(&name)? => names.push(name),
                Ok(_) | Err(_) => missing.push(metric.clone()),
            }
        }
        if names.is_empty() {
            return Err(failure(AddMetrics::FUNCTION, "this GPU has none of them".to_owned()));
        }
        let names = MetricNames::new(names);
        let config = host.config(&names)?;
        let profiler = cupti.call(Enable { context, ..Params::blank() })?.profiler;
        let mut counting = Self { host, profiler, names, config, counted: AlignedBuffer::new(0) };
        counting.set_up()?;
        Ok((counting, missing))
    }

    fn set_up(&mut self) -> Result<(), GpuError> {
        let (cupti, profiler) = (self.host.cupti, self.profiler);
        let (metrics, count) = (self.names.starts.as_ptr(), self.names.starts.len());
        let nodes = RANGES as u32;
        let size = cupti.call(GetImageSize {
            profiler,
            metrics,
            count,
            ranges: RANGES,
            nodes,
            ..Params::blank()
        })?;
        self.counted = AlignedBuffer::new(size.image_size);
        let (image, image_size) = (self.counted.start(), self.counted.bytes);
        cupti.call(InitializeImage { profiler, image_size, image, ..Params::blank() })?;
        let (config, config_size) = (self.config.start(), self.config.bytes);
        cupti.call(SetConfig {
            profiler,
            config_size,
            config,
            image_size,
            image,
            range: BETWEEN_CALLS,
            replay: USER_REPLAY,
            ranges: RANGES,
            levels: 1,
            least_level: 1,
            level: 1,
            ..Params::blank()
        })?;
        Ok(())
    }
}

impl super::device::Profiler for CuptiProfiler {
    fn begin(&mut self) -> Result<(), GpuError> {
        let (cupti, profiler, name) = (self.host.cupti, self.profiler, c"launch".as_ptr());
        cupti.call(Start { profiler, ..Params::blank() })?;
        cupti.call(PushRange { profiler, name, ..Params::blank() })?;
        Ok(())
    }

    fn end(&mut self) -> Result<bool, GpuError> {
        let (cupti, profiler) = (self.host.cupti, self.profiler);
        cupti.call(PopRange { profiler, ..Params::blank() })?;
        let stopped = cupti.call(Stop { profiler, ..Params::blank() })?;
        Ok(stopped.last != 0)
    }

    fn values(&mut self) -> Result<BTreeMap<String, f64>, GpuError> {
        let cupti = self.host.cupti;
        cupti.call(Decode { profiler: self.profiler, ..Params::blank() })?;
        let mut values = vec![0.0; self.names.texts.len()];
        cupti.call(Evaluate {
            host: self.host.handle,
            image: self.counted.start(),
            image_size: self.counted.bytes,
            range: 0,
            metrics: self.names.starts.as_ptr(),
            count: values.len(),
            values: values.as_mut_ptr(),
            ..Params::blank()
        })?;
        let names = self.names.texts.iter().map(|text| text.to_string_lossy().into_owned());
        // A ratio with a denominator of 0 has no value.
        Ok(names.zip(values).filter(|(_, value)| value.is_finite()).collect())
    }
}

impl Drop for CuptiProfiler {
    fn drop(&mut self) {
        // A failure matters to no one at this point.
        let _ = self.host.cupti.call(Disable { profiler: self.profiler, ..Params::blank() });
    }
}
