//! What CUPTI's functions are given: each takes one block of parameters, as its headers lay it out.

use std::ffi::{CStr, c_char, c_int, c_void};

/// Something that CUPTI or the driver has made and alone can look into.
pub(super) type Handle = *mut c_void;

/// The parameters of one function.
///
/// # Safety
/// Of the type that CUPTI's headers give to the function; zeros are a value of it.
pub(super) unsafe trait Params: Sized {
    /// The function that takes them.
    const FUNCTION: &'static CStr;

    /// Where the last one ends, as the headers' `STRUCT_SIZE` has it: what comes behind it is
    /// padding. By this a newer CUPTI knows which parameters it is given.
    const SIZE: usize;

    /// Says how large they are.
    fn sized(self) -> Self;

    /// All nothing.
    fn blank() -> Self {
        // SAFETY: zeros are a value of it.
        unsafe { std::mem::zeroed() }
    }
}

macro_rules! params {
    ($($(#[$doc:meta])* $name:ident $function:literal { $($field:ident: $type:ty),* })*) => { $(
        $(#[$doc])*
        #[repr(C)]
        pub(super) struct $name {
            pub(super) size: usize,
            pub(super) private: *mut c_void,
            $(pub(super) $field: $type),*
        }

        // SAFETY: written after the headers, and made of numbers and pointers alone.
        unsafe impl Params for $name {
            const FUNCTION: &'static CStr = $function;
            const SIZE: usize = {
                let ends = [
                    2 * size_of::<usize>(),
                    $(std::mem::offset_of!(Self, $field) + size_of::<$type>()),*
                ];
                ends[ends.len() - 1]
            };
            fn sized(self) -> Self {
                Self { size: Self::SIZE, ..self }
            }
        }
    )* };
}

// After cupti_profiler_target.h, cupti_target.h, cupti_profiler_host.h and cupti_range_profiler.h of
// CUDA 12.6, which newer ones have only added to.
params! {
    /// Gets CUPTI ready.
    Initialize c"cuptiProfilerInitialize" {}
    /// What the chip of a GPU is called.
    GetChipName c"cuptiDeviceGetChipName" { device: usize, chip: *const c_char }
    /// Which counters it has: first the size of the answer, then the answer.
    GetAvailability c"cuptiProfilerGetCounterAvailability" {
        context: Handle, image_size: usize, image: *mut u8
    }

    /// The host's side: what metrics are made of.
    HostInitialize c"cuptiProfilerHostInitialize" {
        profiler: c_int, chip: *const c_char, availability: *const u8, host: Handle
    }
    HostDeinitialize c"cuptiProfilerHostDeinitialize" { host: Handle }
    /// Fails for a metric that the chip has not.
    GetMetricProperties c"cuptiProfilerHostGetMetricProperties" {
        host: Handle,
        metric: *const c_char,
        description: *const c_char,
        unit: *const c_char,
        dimension: *const c_char,
        kind: c_int
    }
    AddMetrics c"cuptiProfilerHostConfigAddMetrics" {
        host: Handle, metrics: *const *const c_char, count: usize
    }
    GetConfigSize c"cuptiProfilerHostGetConfigImageSize" { host: Handle, image_size: usize }
    GetConfig c"cuptiProfilerHostGetConfigImage" {
        host: Handle, image_size: usize, image: *mut u8
    }
    /// The metrics of one range, from what was counted.
    Evaluate c"cuptiProfilerHostEvaluateToGpuValues" {
        host: Handle,
        image: *const u8,
        image_size: usize,
        range: usize,
        metrics: *const *const c_char,
        count: usize,
        values: *mut f64
    }

    /// The GPU's side: counting.
    Enable c"cuptiRangeProfilerEnable" { context: Handle, profiler: Handle }
    Disable c"cuptiRangeProfilerDisable" { profiler: Handle }
    GetImageSize c"cuptiRangeProfilerGetCounterDataSize" {
        profiler: Handle,
        metrics: *const *const c_char,
        count: usize,
        ranges: usize,
        nodes: u32,
        image_size: usize
    }
    InitializeImage c"cuptiRangeProfilerCounterDataImageInitialize" {
        profiler: Handle, image_size: usize, image: *mut u8
    }
    SetConfig c"cuptiRangeProfilerSetConfig" {
        profiler: Handle,
        config_size: usize,
        config: *const u8,
        image_size: usize,
        image: *mut u8,
        range: c_int,
        replay: c_int,
        ranges: usize,
        levels: u16,
        least_level: u16,
        pass: usize,
        level: u16
    }
    Start c"cuptiRangeProfilerStart" { profiler: Handle }
    PushRange c"cuptiRangeProfilerPushRange" { profiler: Handle, name: *const c_char }
    PopRange c"cuptiRangeProfilerPopRange" { profiler: Handle }
    /// Tells whether that was the last pass.
    Stop c"cuptiRangeProfilerStop" { profiler: Handle, pass: usize, level: usize, last: u8 }
    Decode c"cuptiRangeProfilerDecodeData" { profiler: Handle, dropped: usize }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_size_is_that_of_the_headers() {
        // The sizes that NVIDIA's own headers of CUDA 12.9 come to.
        let sizes = [
            (Initialize::SIZE, 16),
            (GetChipName::SIZE, 32),
            (GetAvailability::SIZE, 40),
            (HostInitialize::SIZE, 48),
            (GetMetricProperties::SIZE, 60),
            (AddMetrics::SIZE, 40),
            (Evaluate::SIZE, 72),
            (Enable::SIZE, 32),
            (GetImageSize::SIZE, 64),
            (InitializeImage::SIZE, 40),
            (SetConfig::SIZE, 90),
            (Start::SIZE, 24),
            (PushRange::SIZE, 32),
            (Stop::SIZE, 41),
            (Decode::SIZE, 32),
        ];
        for (ours, theirs) in sizes {
            assert_eq!(ours, theirs);
        }
    }
}
