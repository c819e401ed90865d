//! NVML, NVIDIA's management library: the GPU's clocks, temperature and power, if it is installed.

use super::library::{self, LoadedLibrary, NVML};
use crate::timing::Sensors;
use std::ffi::{CStr, c_char, c_int, c_uint, c_ulonglong, c_void};

type Handle = *mut c_void;
type Init = unsafe extern "C" fn() -> c_int;
type ByBus = unsafe extern "C" fn(*const c_char, *mut Handle) -> c_int;
type Of = unsafe extern "C" fn(Handle, c_uint, *mut c_uint) -> c_int;
type Power = unsafe extern "C" fn(Handle, *mut c_uint) -> c_int;
type Reasons = unsafe extern "C" fn(Handle, *mut c_ulonglong) -> c_int;

/// `NVML_CLOCK_SM`.
const SM: c_uint = 1;
/// `NVML_CLOCK_MEM`.
const MEMORY: c_uint = 2;
/// `NVML_TEMPERATURE_GPU`.
const OF_THE_CHIP: c_uint = 0;

/// The reasons for reduced clocks, by bit (nvml.h, `nvmlClocksThrottleReason*`). An idle GPU is not
/// a reason that concerns a measurement.
const HELD_BACK_BY: &[(u64, &str)] = &[
    (0x2, "application clocks"),
    (0x4, "power limit"),
    (0x8, "hardware slowdown"),
    (0x10, "sync boost"),
    (0x20, "temperature"),
    (0x40, "temperature (hardware)"),
    (0x80, "power brake"),
    (0x100, "display clocks"),
];

/// One GPU's sensors.
pub(super) struct Nvml {
    found: LoadedLibrary,
    handle: Handle,
}

impl Nvml {
    /// The sensors of the GPU with this PCI bus id; `None` without NVML or if it fails.
    pub(super) fn open(bus: &CStr) -> Option<Self> {
        let found = library::open(&NVML).ok()??;
        // SAFETY: the type that nvml.h gives to this function.
        let init = unsafe { found.library.get::<Init>(b"nvmlInit_v2\0") }.ok()?;
        // SAFETY: it may be called any number of times.
        well(unsafe { init() })?;
        let by_bus = b"nvmlDeviceGetHandleByPciBusId_v2\0";
        // SAFETY: the type that nvml.h gives to this function.
        let by_bus = unsafe { found.library.get::<ByBus>(by_bus) }.ok()?;
        let mut handle = std::ptr::null_mut();
        // SAFETY: a string that ends in NUL, and a valid place for a handle.
        well(unsafe { by_bus(bus.as_ptr(), &raw mut handle) })?;
        Some(Self { found, handle })
    }

    /// Reads them now.
    pub(super) fn read(&self) -> Sensors {
        let clock = |which| self.read_figure(b"nvmlDeviceGetClockInfo\0", which);
        Sensors {
            sm_mhz: clock(SM),
            memory_mhz: clock(MEMORY),
            temperature_c: self.read_figure(b"nvmlDeviceGetTemperature\0", OF_THE_CHIP),
            power_w: self.milliwatts().map(|milliwatts| f64::from(milliwatts) / 1e3),
            held_back_by: words(self.reasons().unwrap_or(0)),
        }
    }

    fn read_figure(&self, function: &[u8], which: c_uint) -> Option<u32> {
        // SAFETY: the type that nvml.h gives to each function read here.
        let function = unsafe { self.found.library.get::<Of>(function) }.ok()?;
        let mut value = 0;
        // SAFETY: a live handle, a kind that nvml.h names, and a valid place for a number.
        well(unsafe { function(self.handle, which, &raw mut value) })?;
        Some(value)
    }

    fn milliwatts(&self) -> Option<u32> {
        let name = b"nvmlDeviceGetPowerUsage\0";
        // SAFETY: the type that nvml.h gives to this function.
        let power = unsafe { self.found.library.get::<Power>(name) }.ok()?;
        let mut value = 0;
        // SAFETY: a live handle and a valid place for a number.
        well(unsafe { power(self.handle, &raw mut value) })?;
        Some(value)
    }

    fn reasons(&self) -> Option<u64> {
        let name = b"nvmlDeviceGetCurrentClocksThrottleReasons\0";
        // SAFETY: the type that nvml.h gives to this function.
        let reasons = unsafe { self.found.library.get::<Reasons>(name) }.ok()?;
        let mut value = 0;
        // SAFETY: a live handle and a valid place for a number.
        well(unsafe { reasons(self.handle, &raw mut value) })?;
        Some(value)
    }
}

fn well(status: c_int) -> Option<()> {
    (status == 0).then_some(())
}

fn words(reasons: u64) -> Vec<String> {
    let given = HELD_BACK_BY.iter().filter(|(bit, _)| reasons & bit != 0);
    given.map(|(_, words)| (*words).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_idle_gpu_is_held_back_by_nothing() {
        assert!(words(0x1).is_empty());
        assert_eq!(words(0x24), ["power limit", "temperature"]);
    }
}
