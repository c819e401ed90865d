//! [`Device`](crate::gpu::device::Device) on NVIDIA's driver.

use super::failed::failed;
use super::{Cuda, DeviceMatrices, LoadedWork, ceilings, counting, elapsed_ms};
use crate::gpu::device::{Device, DeviceMemory, Profiler, SingleLaunch};
use crate::gpu::nccl::{Communicator, Rank};
use crate::gpu::nvml::Nvml;
use crate::kernel::Call;
use crate::matrix::Size;
use crate::timing::GpuError;
use crate::timing::protocol::Phase;
use crate::timing::{Ceilings, Resources, Sensors, Subject};
use cudarc::driver::DevicePtr;
use cudarc::driver::sys;
use std::time::Instant;

impl Device for Cuda {
    fn name(&self) -> &str {
        &self.name
    }

    fn memory(&mut self) -> Result<DeviceMemory, GpuError> {
        (self.matrices, self.filler) = (None, None);
        self.buffers.clear();
        let doing = |error| failed("asking for the free memory", error);
        self.context.synchronize().map_err(doing)?;
        let (free, total) = self.context.mem_get_info().map_err(doing)?;
        Ok(DeviceMemory { free: free as u64, total: total as u64 })
    }

    fn load(&mut self, subject: &Subject) -> Result<(), GpuError> {
        self.loaded = Some(match subject {
            Subject::Kernel { call, .. } => LoadedWork::Kernel(self.kernel(call)?),
            Subject::Cublas { precision } => {
                self.cublas()?;
                LoadedWork::Cublas(*precision)
            }
            Subject::Cpu { .. } => {
                let line = "a GPU is asked for the CPU's loops".to_owned();
                return Err(GpuError::Protocol { line });
            }
        });
        Ok(())
    }

    fn has_cublas(&mut self) -> bool {
        self.cublas().is_ok()
    }

    fn fill(&mut self, size: Size, [a, b]: [&[f32]; 2], c: usize) -> Result<(), GpuError> {
        let needed = 4 * (a.len() + b.len() + c) as u64;
        let sending =
            |this: &Self, error| this.shortage(needed, "sending A and B to the GPU", error);
        let a = self.stream.clone_htod(a).map_err(|error| sending(self, error))?;
        let b = self.stream.clone_htod(b).map_err(|error| sending(self, error))?;
        let c = self.stream.alloc_zeros(c);
        let c = c.map_err(|error| self.shortage(needed, "making room for C", error))?;
        self.buffers.clear();
        self.matrices = Some(DeviceMatrices { size, a, b, c });
        self.wait("sending A and B to the GPU")
    }

    fn blank(&mut self, value: f32) -> Result<(), GpuError> {
        let Some(matrices) = &mut self.matrices else { return Ok(()) };
        let words = matrices.c.len();
        // SAFETY: C has that number of 32-bit words, and the stream orders this before the next
        // launch.
        unsafe { sys::cuMemsetD32_v2(matrices.address_of_c(&self.stream), value.to_bits(), words) }
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
        let start = self.event()?;
        for _ in 0..times {
            self.launch()?;
        }
        elapsed_ms(&start, &self.event()?)
    }

    fn run_cold(&mut self) -> Result<Option<SingleLaunch>, GpuError> {
        if !self.empty_l2()? {
            return Ok(None);
        }
        // The GPU is still writing the filler when the launch is submitted, so it need not wait for
        // the launch after that.
        let start = self.event()?;
        let handing_over = Instant::now();
        self.launch()?;
        let submit_us = handing_over.elapsed().as_secs_f64() * 1e6;
        let ms = elapsed_ms(&start, &self.event()?)?;
        Ok(Some(SingleLaunch { ms, submit_us }))
    }

    fn copy(&mut self, a: &[f32], b: &[f32]) -> Result<Option<[f64; 2]>, GpuError> {
        let Some(mut matrices) = self.matrices.take() else { return Ok(None) };
        // Not zeros: the system would allocate zeroed memory only when it is written to.
        let mut c = vec![1.0; matrices.c.len()];
        let sending = |error| failed("sending A and B to the GPU", error);
        self.wait("running the kernel")?;
        let there = Instant::now();
        self.stream.memcpy_htod(a, &mut matrices.a).map_err(sending)?;
        self.stream.memcpy_htod(b, &mut matrices.b).map_err(sending)?;
        self.wait("sending A and B to the GPU")?;
        let (there, back) = (there.elapsed(), Instant::now());
        let fetched = self.stream.memcpy_dtoh(&matrices.c, &mut c);
        fetched.map_err(|error| failed("fetching C from the GPU", error))?;
        self.wait("fetching C from the GPU")?;
        let back = back.elapsed();
        self.matrices = Some(matrices);
        Ok(Some([there, back].map(|time| time.as_secs_f64() * 1e3)))
    }

    fn counting(
        &mut self,
        metrics: &[String],
    ) -> Result<(Box<dyn Profiler>, Vec<String>), GpuError> {
        counting::open(self, metrics)
    }

    fn clear_cache(&mut self) -> Result<(), GpuError> {
        counting::clear_cache(self)
    }

    fn resources(&self) -> Option<Resources> {
        match self.loaded.as_ref()? {
            LoadedWork::Kernel(kernel) => Some(kernel.taken),
            LoadedWork::Cublas(_) => None,
        }
    }

    fn ceilings(&mut self, progress: &mut dyn FnMut(Phase)) -> Result<Ceilings, GpuError> {
        // Free the last product first.
        self.memory()?;
        ceilings::ceilings(self, progress)
    }

    fn sensors(&mut self) -> Option<Sensors> {
        self.nvml.as_ref().map(Nvml::read)
    }

    fn load_call(&mut self, call: &Call) -> Result<(), GpuError> {
        self.loaded = Some(LoadedWork::Kernel(self.kernel(call)?));
        Ok(())
    }

    fn place(&mut self, buffers: &[Vec<u32>]) -> Result<(), GpuError> {
        self.buffers.clear();
        let needed = buffers.iter().map(|words| 4 * words.len() as u64).sum();
        let doing = "sending the buffers to the GPU";
        for words in buffers {
            let there = self.stream.clone_htod(words);
            let there = there.map_err(|error| self.shortage(needed, doing, error))?;
            self.buffers.push(there);
        }
        self.wait(doing)
    }

    fn fetch(&mut self) -> Result<Vec<Vec<u32>>, GpuError> {
        let moving = |error| failed("fetching the buffers from the GPU", error);
        let back = self.buffers.iter().map(|slice| self.stream.clone_dtoh(slice));
        let back = back.collect::<Result<_, _>>().map_err(moving)?;
        self.stream.synchronize().map_err(moving)?;
        Ok(back)
    }

    fn execute(&mut self, call: &Call, buffers: &[Vec<u32>]) -> Result<Vec<Vec<u32>>, GpuError> {
        let moving = |error| failed("moving the buffers", error);
        let there = buffers.iter().map(|words| self.stream.clone_htod(words));
        let there = there.collect::<Result<Vec<_>, _>>().map_err(moving)?;
        let addresses: Vec<_> =
            there.iter().map(|slice| slice.device_ptr(&self.stream).0).collect();
        self.kernel(call)?.start(&self.stream, &addresses)?;
        self.wait("running the kernel")?;
        let back = there.iter().map(|slice| self.stream.clone_dtoh(slice));
        let back = back.collect::<Result<_, _>>().map_err(moving)?;
        self.stream.synchronize().map_err(moving)?;
        Ok(back)
    }

    fn join(&mut self, seat: Rank) -> Result<(), GpuError> {
        let doing = |error| failed("joining the circle of GPUs", error);
        self.context.bind_to_thread().map_err(doing)?;
        self.circle = Some(Communicator::join(seat)?);
        Ok(())
    }

    fn share_b(&mut self) -> Result<(), GpuError> {
        let (Some(circle), Some(matrices)) = (&self.circle, &self.matrices) else { return Ok(()) };
        let b = matrices.addresses(&self.stream).b;
        circle.broadcast(b, matrices.b.len(), self.stream.cu_stream().cast())?;
        self.wait("sending B to the other GPUs")
    }

    fn read(&mut self) -> Result<Vec<f32>, GpuError> {
        let Some(matrices) = &self.matrices else { return Ok(Vec::new()) };
        let doing = |error| failed("fetching C from the GPU", error);
        let c = self.stream.clone_dtoh(&matrices.c).map_err(doing)?;
        self.stream.synchronize().map_err(doing)?;
        Ok(c)
    }
}
