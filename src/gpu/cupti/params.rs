//! The parameters of CUPTI's functions: each takes one struct, laid out as in its headers.

use std::ffi::{CStr, c_char, c_int, c_void};

/// A pointer to an object that only CUPTI or the driver reads.
pub(super) type Handle = *mut c_void;

/// The parameters of one function.
///
/// # Safety
/// The type is the one that CUPTI's headers give to the function, and all zeros is a valid value of
/// it.
pub(super) unsafe trait Params: Sized {
    /// The function that takes them.
    const FUNCTION: &'static CStr;

    /// The end of the last parameter, as the headers' `STRUCT_SIZE` has it, without the padding
    /// after it. It tells a newer CUPTI which parameters it receives.
    const SIZE: usize;

    /// Stores the size in the struct.
    fn sized(self) -> Self;

    /// All zeros.
    fn blank() -> Self {
        // SAFETY: all zeros is a valid value of it.
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

        // SAFETY: laid out as in the headers, and made only of numbers and pointers.
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

// From cupti_profiler_target.h, cupti_target.h, cupti_profiler_host.h and cupti_range_profiler.h of
// CUDA 12.6, to which newer ones have only added.
params! {
    Initialize c"cuptiProfilerInitialize" {}
    GetChipName c"cuptiDeviceGetChipName" { device: usize, chip: *const c_char }
    /// The counters that it has: first the size of the answer, then the answer.
    GetAvailability c"cuptiProfilerGetCounterAvailability" {
        context: Handle, image_size: usize, image: *mut u8
    }

    /// The host object, which knows how metrics are computed.
    HostInitialize c"cuptiProfilerHostInitialize" {
        profiler: c_int, chip: *const c_char, availability: *const u8, host: Handle
    }
    HostDeinitialize c"cuptiProfilerHostDeinitialize" { host: Handle }
    /// Fails for a metric that the chip does not have.
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
    /// Computes the metrics of one range from its counters.
    Evaluate c"cuptiProfilerHostEvaluateToGpuValues" {
        host: Handle,
        image: *const u8,
        image_size: usize,
        range: usize,
        metrics: *const *const c_char,
        count: usize,
        values: *mut f64
    }

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
    /// Stops a pass and reports whether it was the last.
    Stop c"cuptiRangeProfilerStop" { profiler: Handle, pass: usize, level: usize, last: u8 }
    Decode c"cuptiRangeProfilerDecodeData" { profiler: Handle, dropped: usize }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_size_is_that_of_the_headers() {
        // The sizes according to NVIDIA's own headers of CUDA 12.9.
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
