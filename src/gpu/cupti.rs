//! CUPTI: the hardware's own counters of what runs between two calls, by its range profiler.
//!
//! A GPU counts only so much at a time. What is asked for is counted in passes: the same launch has
//! to be run again for each, and only after the last one are there figures.

mod params;

use self::params::{
    AddMetrics, Decode, Disable, Enable, Evaluate, GetAvailability, GetChipName, GetConfig,
    GetConfigSize, GetImageSize, GetMetricProperties, Handle, HostDeinitialize, HostInitialize,
    Initialize, InitializeImage, Params, PopRange, PushRange, SetConfig, Start, Stop,
};
use super::GpuError;
use super::library::{self, CUPTI, LoadedLibrary};
use std::collections::BTreeMap;
use std::ffi::{CStr, CString, c_char, c_int};
use std::sync::OnceLock;

type ResultString = unsafe extern "C" fn(c_int, *mut *const c_char) -> c_int;

/// `CUPTI_ERROR_INVALID_METRIC_NAME`.
const NO_SUCH_METRIC: c_int = 17;
/// `CUPTI_ERROR_INSUFFICIENT_PRIVILEGES`, and the same of a GPU that several machines share.
const REFUSED: [c_int; 2] = [35, 40];
/// `CUPTI_PROFILER_TYPE_RANGE_PROFILER`.
const RANGE_PROFILER: c_int = 0;
/// `CUPTI_UserRange`: what lies between two calls is counted together.
const BETWEEN_CALLS: c_int = 2;
/// `CUPTI_UserReplay`: whoever asks runs the launch again, and so knows what is in the caches.
const USER_REPLAY: c_int = 3;
/// Ranges that are counted: one.
const RANGES: usize = 1;

/// The library. It hooks itself into the driver, so it is never closed.
#[derive(Debug)]
struct Cupti(LoadedLibrary);

/// Where a library was found for this process, once it was looked for.
fn cupti() -> Result<&'static Cupti, GpuError> {
    static NEVER_CLOSED: OnceLock<Result<Option<Cupti>, GpuError>> = OnceLock::new();
    let open = || {
        let found = library::open(&CUPTI)?;
        // It opens these by their bare names, and they lie beside it. What is open already is found.
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
    /// Calls the function that these are the parameters of; they come back with its answer.
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
        // SAFETY: its own parameters; who made them answers for what they point to.
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

    /// Its name for a status.
    fn words(&self, status: c_int) -> Option<String> {
        let name = b"cuptiGetResultString\0";
        // SAFETY: the type that cupti_result.h gives to this function.
        let text_of = unsafe { self.0.library.get::<ResultString>(name) }.ok()?;
        let mut text = std::ptr::null();
        // SAFETY: a valid place for a pointer.
        let known = unsafe { text_of(status, &raw mut text) } == 0 && !text.is_null();
        // SAFETY: CUPTI's texts are constants that end in a zero byte.
        known.then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
    }
}

/// Since when the functions are there.
const OLD: &str = " (CUPTI has this since CUDA 12.6)";

fn failure(function: &CStr, reason: String) -> GpuError {
    GpuError::Cupti { function: function.to_string_lossy().into_owned(), reason }
}

/// Bytes that CUPTI fills and reads; they begin at a multiple of 8, and never move.
struct Image {
    words: Vec<u64>,
    bytes: usize,
}

impl Image {
    fn new(bytes: usize) -> Self {
        Self { words: vec![0; bytes.div_ceil(8)], bytes }
    }

    fn start(&mut self) -> *mut u8 {
        self.words.as_mut_ptr().cast()
    }
}

/// Names of metrics, as C has them.
struct Names {
    texts: Vec<CString>,
    starts: Vec<*const c_char>,
}

impl Names {
    fn new(texts: Vec<CString>) -> Self {
        let starts = texts.iter().map(|text| text.as_ptr()).collect();
        Self { texts, starts }
    }
}

/// What CUPTI knows of the metrics of a chip.
struct Host {
    cupti: &'static Cupti,
    handle: Handle,
    /// Which of the chip's counters are to be had; it may be looked at as long as the host lives.
    _availability: Image,
}

impl Host {
    fn open(cupti: &'static Cupti, context: Handle, device: u32) -> Result<Self, GpuError> {
        let chip = cupti.call(GetChipName { device: device as usize, ..Params::blank() })?.chip;
        let size = cupti.call(GetAvailability { context, ..Params::blank() })?.image_size;
        let mut image = Image::new(size);
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

    /// What the GPU is to be told in order to count these.
    fn config(&self, names: &Names) -> Result<Image, GpuError> {
        let (host, metrics, count) = (self.handle, names.starts.as_ptr(), names.starts.len());
        self.cupti.call(AddMetrics { host, metrics, count, ..Params::blank() })?;
        let size = self.cupti.call(GetConfigSize { host, ..Params::blank() })?.image_size;
        let mut image = Image::new(size);
        let (start, image_size) = (image.start(), image.bytes);
        self.cupti.call(GetConfig { host, image_size, image: start, ..Params::blank() })?;
        Ok(image)
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        // Nobody is left to whom a failure would matter.
        let _ = self.cupti.call(HostDeinitialize { host: self.handle, ..Params::blank() });
    }
}

/// The GPU, told to count; left in peace again when this is dropped.
pub(super) struct Counting {
    host: Host,
    profiler: Handle,
    names: Names,
    config: Image,
    counted: Image,
}

impl Counting {
    /// Gets the GPU of a CUDA context ready to count `metrics`; those that it does not have are
    /// handed back beside it.
    ///
    /// # Errors
    /// [`GpuError::NoCupti`], [`GpuError::CountersRefused`], or what CUPTI says.
    pub(super) fn open(
        context: Handle,
        device: u32,
        metrics: &[String],
    ) -> Result<(Self, Vec<String>), GpuError> {
        let cupti = cupti()?;
        cupti.call(Initialize::blank())?;
        let host = Host::open(cupti, context, device)?;
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
        let names = Names::new(names);
        let config = host.config(&names)?;
        let profiler = cupti.call(Enable { context, ..Params::blank() })?.profiler;
        let mut counting = Self { host, profiler, names, config, counted: Image::new(0) };
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
        self.counted = Image::new(size.image_size);
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

impl super::device::Counting for Counting {
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
        // A rate of nothing has no value.
        Ok(names.zip(values).filter(|(_, value)| value.is_finite()).collect())
    }
}

impl Drop for Counting {
    fn drop(&mut self) {
        // Nobody is left to whom a failure would matter.
        let _ = self.host.cupti.call(Disable { profiler: self.profiler, ..Params::blank() });
    }
}
