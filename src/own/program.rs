//! The launches of the host's program one after another, memory carried from each to the next.

use super::device::DeviceMemory;
use super::host::{self, HostCall};
use super::missing::OpenError;
use super::open::Opened;
use crate::kernel::{Assumption, Goal, LaunchSpec, Problem, find_entry, source_name};
use crate::matrix::SEED;
use crate::sim::Memory;
use cudac::{DeviceLaunch, HostRun, HostStep};

/// The program of a file: each launch in its turn, with what those before have left.
pub struct HostProgram<'o> {
    opened: &'o Opened<'o>,
    run: &'o HostRun,
    device: DeviceMemory,
    next: usize,
    number: usize,
}

/// A launch of the program.
#[derive(Debug)]
pub struct ProgramLaunch {
    /// Its number in the order of the program, from 1.
    pub number: usize,
    /// The kernel, with the arguments of its template.
    pub kernel: String,
    /// The line that launches it.
    pub line: u32,
    pub stream: u64,
    pub problem: Result<Problem, OpenError>,
    /// Its buffers by their names, and which of the program's they are.
    buffers: Vec<(String, usize)>,
    /// Whether what it leaves is not that of the program's data: its matrices are random.
    is_product: bool,
}

impl Opened<'_> {
    /// The program of the file's host, if it launches kernels with numbers that are known.
    pub fn program(&self) -> Option<HostProgram<'_>> {
        let run = self.code.host.as_ref().filter(|_| self.code.launch.args.is_none())?;
        let device = DeviceMemory::new(&run.buffers, !run.copies, SEED);
        Some(HostProgram { opened: self, run, device, next: 0, number: 0 })
    }

    /// The first launch of the kernel as the host's program has it, if all of that is known; what
    /// earlier kernels compute is random here.
    ///
    /// # Errors
    /// A block that the kernel does not take.
    pub(super) fn believed(&self) -> Result<Option<Problem>, OpenError> {
        let Some(mut program) = self.program() else { return Ok(None) };
        let own = |launch: &DeviceLaunch| self.function_of(launch).as_deref() == Some(&self.entry);
        for step in &program.run.steps {
            program.device.apply(step);
            let HostStep::Launch(launch) = step else { continue };
            let call = program.call(launch);
            if own(launch) && call.is_known() {
                let problem = self.launched(&call);
                return if self.request.launch.goal == Some(Goal::Product)
                    && problem.as_ref().is_ok_and(|problem| !problem.is_product())
                {
                    Ok(None)
                } else {
                    problem.map(Some)
                };
            }
            for (_, number) in call.buffers() {
                program.device.mark(number);
            }
        }
        Ok(None)
    }

    /// The name in the PTX of the kernel that is launched.
    fn function_of(&self, launch: &DeviceLaunch) -> Option<String> {
        let instance = launch.instance();
        let name = instance.as_deref().unwrap_or(&launch.kernel);
        let found = find_entry(&self.module, Some(name));
        let found = found.or_else(|_| find_entry(&self.module, Some(&launch.kernel)));
        found.ok().map(|function| function.name.clone())
    }

    /// A launch of the program as a problem.
    fn launched(&self, call: &HostCall<'_>) -> Result<Problem, OpenError> {
        let Self { request, code, module, .. } = self;
        let launch = call.launch;
        let Some(name) = self.function_of(launch) else {
            let why = format!(
                "line {} launches `{}`, which was not compiled",
                launch.line, launch.kernel
            );
            return Err(OpenError::Lacks(why));
        };
        let stated = &code.launch;
        let unknown = |what: &str, of: &cudac::Unknown| {
            let line = launch.line;
            OpenError::Lacks(format!(
                "line {line} launches `{}`, and its {what} is not known: line {}: {}; give --{what}",
                launch.kernel, of.line, of.why
            ))
        };
        let block = match (&stated.block, &launch.block) {
            (Some(block), _) => *block,
            (None, Ok(block)) => host::shape(*block),
            (None, Err(why)) => return Err(unknown("block", why)),
        };
        let grid = match (&stated.grid, &launch.grid) {
            (Some(grid), _) => *grid,
            (None, Ok(grid)) => host::shape(*grid),
            (None, Err(why)) => return Err(unknown("grid", why)),
        };
        let shared = match (stated.shared, &launch.shared) {
            (Some(shared), _) => shared,
            (None, Ok(shared)) => u32::try_from(*shared).unwrap_or(u32::MAX),
            (None, Err(why)) => return Err(unknown("shared", why)),
        };
        if grid.volume() == 0 || block.volume() == 0 {
            return Err(OpenError::Lacks(format!(
                "line {} launches `{}` with a grid of {} blocks of {} threads, which CUDA refuses",
                launch.line,
                launch.kernel,
                grid.place_in(grid),
                block.place_in(block)
            )));
        }
        let function = find_entry(module, Some(&name))?;
        let (source, others, unseen) = request.sources(code, module, function.own_file());
        let cluster = stated.cluster.or(launch.cluster.map(host::shape));
        let spec = LaunchSpec {
            entry: Some(name),
            grid: Some(grid),
            block,
            shared,
            cluster,
            source,
            ..LaunchSpec::default()
        };
        let is_open = request.launch.goal != Some(Goal::Any);
        let product = is_open.then(|| call.product(&spec, module, &code.ptx)).flatten();
        let problem = match product {
            Some(product) => product,
            None => call.problem(spec, module, &code.ptx)?,
        };
        let mut assumed = code.told.clone();
        assumed.extend([self.told(call, &problem)]);
        let in_header = request.is_in_header(problem.source.as_deref());
        Ok(Problem { in_header, others, unseen, assumed, ..problem })
    }

    /// What is taken from the host's program, in a line.
    fn told(&self, call: &HostCall<'_>, problem: &Problem) -> Assumption {
        let block = problem.launch.block.spelt();
        let grid = problem.launch.grid.spelt();
        let args =
            if problem.words.is_empty() { String::new() } else { format!("({})", problem.words) };
        let is_sketch = !call.run.copies && !call.buffers().is_empty();
        let data =
            if is_sketch { "; it copies no data, so what nobody writes is random" } else { "" };
        let why = format!("as line {} launches it{data}", call.launch.line);
        Assumption::new(format!("<<<{grid},{block}>>>{args}"), why)
    }
}

impl HostProgram<'_> {
    fn call<'c>(&'c self, launch: &'c DeviceLaunch) -> HostCall<'c> {
        let whole = self.opened.code.whole.as_ref();
        let names = whole.map(|whole| whole.parameters(&launch.kernel)).unwrap_or_default();
        HostCall { run: self.run, launch, names, device: &self.device }
    }

    /// Takes what a launch has left in memory.
    pub fn took(&mut self, launch: &ProgramLaunch, memory: &Memory) {
        if launch.is_product {
            // Its matrices were random: what it computes is as good as known to be written.
            for (_, number) in &launch.buffers {
                self.device.mark(*number);
            }
            return;
        }
        self.device.take(memory, &launch.buffers);
    }

    /// How many launches the program has.
    pub fn len(&self) -> usize {
        host::launches(self.run).count()
    }

    /// Whether it launches nothing.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Why the program was not followed to its end.
    pub fn stopped(&self) -> Option<&cudac::Unknown> {
        self.run.stopped.as_ref()
    }
}

impl Iterator for HostProgram<'_> {
    type Item = ProgramLaunch;

    fn next(&mut self) -> Option<ProgramLaunch> {
        loop {
            let step = self.run.steps.get(self.next)?;
            self.next += 1;
            self.device.apply(step);
            let HostStep::Launch(launch) = step else { continue };
            self.number += 1;
            let call = self.call(launch);
            let unknown = launch.args.iter().find_map(|one| match one {
                cudac::HostArgument::Unknown(unknown) => Some(unknown),
                _ => None,
            });
            let problem = match unknown {
                Some(of) => Err(OpenError::Lacks(format!(
                    "line {} launches `{}` with an argument that is not known: line {}: {}; \
                     --launch '{}(...)' gives them all",
                    launch.line,
                    launch.kernel,
                    of.line,
                    of.why,
                    source_name(&launch.kernel)
                ))),
                None => self.opened.launched(&call),
            };
            let is_product = problem.as_ref().is_ok_and(Problem::is_product);
            return Some(ProgramLaunch {
                number: self.number,
                kernel: launch.instance().unwrap_or_else(|| launch.kernel.clone()),
                line: launch.line,
                stream: launch.stream,
                buffers: call.buffers(),
                is_product,
                problem,
            });
        }
    }
}
