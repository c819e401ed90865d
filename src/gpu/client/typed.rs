//! One method for each kind of request, returning the matching kind of answer.

use super::Client;
use crate::kernel::{Kernel, Tile};
use crate::timing::GpuError;
use crate::timing::protocol::{Compile, Execute, Libraries, Phase, Request, Response};
use crate::timing::{
    Ceilings, CountRequest, Gpus, HardwareCounts, Measure, Measurement, MultiGpuRequest,
    MultiGpuResult, Timed, Timing,
};

/// Sends a request and unwraps the answer of the matching kind.
macro_rules! ask {
    ($client:expr, $request:expr, $on_progress:expr, $answer:pat => $value:expr) => {
        match $client.ask(&$request, $on_progress)? {
            $answer => Ok($value),
            other => Err(GpuError::Protocol { line: format!("{other:?}") }),
        }
    };
}

impl Client {
    /// Lists the GPUs.
    ///
    /// # Errors
    /// No driver or no GPU; or how the worker ended.
    pub fn probe(&mut self) -> Result<Gpus, GpuError> {
        ask!(self, Request::Probe, |_| (), Response::Gpus(gpus) => gpus)
    }

    /// Finds NVIDIA's libraries.
    ///
    /// # Errors
    /// How the worker ended.
    pub fn libraries(&mut self) -> Result<Libraries, GpuError> {
        ask!(self, Request::Libraries, |_| (), Response::Libraries(libraries) => libraries)
    }

    /// The PTX of a kernel of the catalogue for a tile; if `rolled`, its loop over k is kept as
    /// written.
    ///
    /// # Errors
    /// No NVRTC, a source that does not compile, or how the worker ended.
    pub fn compile(
        &mut self,
        kernel: &Kernel,
        tile: Tile,
        rolled: bool,
    ) -> Result<String, GpuError> {
        let request = Request::Compile { kernel: kernel.name.to_owned(), tile, rolled };
        ask!(self, request, |_| (), Response::Ptx { ptx } => ptx)
    }

    /// The PTX of any source.
    ///
    /// # Errors
    /// No NVRTC, a source that does not compile, or how the worker ended.
    pub fn compile_source(&mut self, source: Compile) -> Result<String, GpuError> {
        ask!(self, Request::CompileSource(source), |_| (), Response::Ptx { ptx } => ptx)
    }

    /// Measures one row.
    ///
    /// # Errors
    /// The worker's error, or how the worker ended.
    pub fn measure(
        &mut self,
        row: Measure,
        on_progress: impl FnMut(Phase),
    ) -> Result<Measurement, GpuError> {
        ask!(self, Request::Measure(row), on_progress, Response::Measured(row) => *row)
    }

    /// Reads the hardware's counters of one launch.
    ///
    /// # Errors
    /// The worker's error, or how the worker ended.
    pub fn count(
        &mut self,
        launch: CountRequest,
        on_progress: impl FnMut(Phase),
    ) -> Result<HardwareCounts, GpuError> {
        ask!(self, Request::Count(launch), on_progress, Response::Counted(counted) => counted)
    }

    /// Times a launch on any buffers.
    ///
    /// # Errors
    /// The worker's error, or how the worker ended.
    pub fn time(
        &mut self,
        launch: Timing,
        on_progress: impl FnMut(Phase),
    ) -> Result<Timed, GpuError> {
        ask!(self, Request::Time(launch), on_progress, Response::Timed(timed) => *timed)
    }

    /// Runs a launch once and returns the contents of its buffers afterwards, each as 4-byte words.
    ///
    /// # Errors
    /// The worker's error, or how the worker ended.
    pub fn execute(&mut self, launch: Execute) -> Result<Vec<Vec<u32>>, GpuError> {
        ask!(self, Request::Execute(launch), |_| (), Response::Executed { buffers } => buffers)
    }

    /// Runs one matrix product on several GPUs.
    ///
    /// # Errors
    /// The worker's error, or how the worker ended.
    pub fn spread(
        &mut self,
        product: MultiGpuRequest,
        on_progress: impl FnMut(Phase),
    ) -> Result<MultiGpuResult, GpuError> {
        ask!(self, Request::Spread(product), on_progress, Response::Spread(spreading) => *spreading)
    }

    /// Measures the ceilings of a GPU, counted from 0.
    ///
    /// # Errors
    /// The worker's error, or how the worker ended.
    pub fn ceilings(
        &mut self,
        device: u32,
        on_progress: impl FnMut(Phase),
    ) -> Result<Ceilings, GpuError> {
        let request = Request::Ceilings { device };
        ask!(self, request, on_progress, Response::Ceilings(ceilings) => *ceilings)
    }
}
