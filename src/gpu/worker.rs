//! The worker, the process that measures: reads requests from stdin, writes answers, and nothing
//! else, to stdout.

use super::bench;
use super::compiled;
use super::count;
use super::cpu::Cpu;
use super::device::Device;
use super::driver::Driver;
use super::multi_gpu;
use super::probe;
use super::time;
use crate::kernel;
use crate::timing::GpuError;
use crate::timing::protocol::{Execute, Phase, Request, Response};
use crate::timing::{Measure, Measurement, Subject};
use std::io::{self, BufRead, Write};
use std::process;
use std::sync::mpsc;

/// Serves requests until the program exits, or until an error from which no CUDA context recovers.
/// The client then starts a new process for the next request.
///
/// # Errors
/// The sticky error, which has already been sent to the program.
pub fn serve() -> Result<(), GpuError> {
    std::panic::set_hook(Box::new(|panic| {
        _ = writeln!(io::stderr(), "{}", one_line(&panic.to_string()));
    }));
    let mut worker = Worker { driver: Driver::chosen(), open: None };
    for line in requests() {
        let answer = worker.answer(&line).unwrap_or_else(Response::Failed);
        say(&answer);
        if let Response::Failed(error @ GpuError::Driver { .. }) = answer {
            return Err(error);
        }
    }
    Ok(())
}

struct Worker {
    driver: Driver,
    /// The GPU in use and its number, kept because making a context takes a tenth of a second.
    open: Option<(u32, Box<dyn Device>)>,
}

impl Worker {
    fn answer(&mut self, line: &str) -> Result<Response, GpuError> {
        let request = serde_json::from_str(line)
            .map_err(|error| GpuError::Protocol { line: error.to_string() })?;
        match request {
            Request::Probe => self.driver.gpus().map(Response::Gpus),
            Request::Libraries => Ok(Response::Libraries(probe::libraries())),
            Request::Compile { kernel, tile, rolled } => {
                let found = kernel::find(&kernel).ok_or(GpuError::NoKernel { name: kernel })?;
                compiled::live(found, tile, rolled).map(|ptx| Response::Ptx { ptx })
            }
            Request::CompileSource(source) => {
                compiled::source(&source).map(|ptx| Response::Ptx { ptx })
            }
            Request::Measure(measure) => {
                self.measure(&measure).map(|row| Response::Measured(Box::new(row)))
            }
            Request::Count(request) => {
                let device = self.device(request.device)?;
                let say = &mut |phase| say(&Response::Progress(phase));
                count::count(device, &request, say).map(Response::Counted)
            }
            Request::Spread(spread) => {
                // Each GPU is opened by the thread that uses it.
                self.open = None;
                let say = &mut |phase| say(&Response::Progress(phase));
                let done = multi_gpu::spread(self.driver, &spread, say)?;
                Ok(Response::Spread(Box::new(done)))
            }
            Request::Ceilings { device } => {
                let device = self.device(device)?;
                let ceilings = device.ceilings(&mut |phase| say(&Response::Progress(phase)))?;
                Ok(Response::Ceilings(Box::new(ceilings)))
            }
            Request::Time(timing) => {
                let device = self.device(timing.device)?;
                let say = &mut |phase| say(&Response::Progress(phase));
                time::time(device, &timing, say).map(|timed| Response::Timed(Box::new(timed)))
            }
            Request::Execute(Execute { call, buffers, device }) => {
                let buffers = self.device(device)?.execute(&call, &buffers)?;
                Ok(Response::Executed { buffers })
            }
        }
    }

    fn measure(&mut self, request: &Measure) -> Result<Measurement, GpuError> {
        let mut cpu;
        let device = match request.subject {
            Subject::Cpu { .. } => {
                cpu = Cpu::open();
                &mut cpu
            }
            Subject::Kernel { .. } | Subject::Cublas { .. } => self.device(request.device)?,
        };
        bench::measure(device, request, &mut |phase: Phase| say(&Response::Progress(phase)))
    }

    /// Returns GPU number `index`, opening it if necessary.
    fn device(&mut self, index: u32) -> Result<&mut dyn Device, GpuError> {
        let device = match self.open.take() {
            Some((open, device)) if open == index => device,
            Some(_) | None => self.driver.open(index)?,
        };
        let (_, device) = self.open.insert((index, device));
        Ok(&mut **device)
    }
}

/// The lines of stdin. The end of stdin ends the process at once, even in the middle of a launch
/// that hangs: the program that would read the answer has gone.
fn requests() -> mpsc::Receiver<String> {
    let (sender, lines) = mpsc::channel();
    std::thread::spawn(move || {
        for line in io::stdin().lock().lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
        process::exit(0);
    });
    lines
}

fn say(answer: &Response) {
    let line = serde_json::to_string(answer).expect("an answer holds nothing that JSON cannot");
    let mut out = io::stdout().lock();
    if writeln!(out, "{line}").and_then(|()| out.flush()).is_err() {
        process::exit(0);
    }
}

fn one_line(text: &str) -> String {
    text.lines().collect::<Vec<_>>().join(" ")
}
