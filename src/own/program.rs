//! The launches of the host's program one after another, memory carried from each to the next.

use super::device::HeldMemory;
use super::host::{self, KnownCall};
use super::missing::OpenError;
use super::open::Opened;
use super::probe::{TouchedWords, touched, weight};
use super::sizes::{self, SizeChange};
use crate::kernel::{
    Assumption, Buffer, Contents, Goal, LaunchSpec, Problem, find_entry, source_name,
};
use crate::matrix::{SEED, Values};
use crate::sim::Memory;
use cudac::{DeviceLaunch, HostRun, HostStep};

/// The program of a file: each launch in its turn, with what those before have left.
pub struct HostProgram<'o> {
    opened: &'o Opened<'o>,
    run: &'o HostRun,
    device: HeldMemory,
    next: usize,
    number: usize,
    /// The launches of streams that nothing has ordered yet.
    pending: Vec<PendingLaunch>,
}

/// A launch of a stream that others may overlap.
struct PendingLaunch {
    stream: u64,
    /// How it is named in a message.
    named: String,
    touched: Vec<(usize, TouchedWords)>,
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
    /// Races with launches of other streams, in words.
    pub races: Vec<String>,
    /// Its buffers by their names, and which of the program's they are.
    buffers: Vec<(String, usize)>,
    /// Whether what it leaves is not that of the program's data: its matrices are random.
    is_product: bool,
}

impl Opened<'_> {
    /// The program of the file's host, if it launches kernels with numbers that are known.
    pub fn program(&self) -> Option<HostProgram<'_>> {
        let run = self.code.host.as_ref().filter(|_| self.code.launch.args.is_none())?;
        let device = HeldMemory::new(&run.buffers, !run.copies, SEED);
        Some(HostProgram { opened: self, run, device, next: 0, number: 0, pending: Vec::new() })
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
    fn launched(&self, call: &KnownCall<'_>) -> Result<Problem, OpenError> {
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
                "line {line} launches `{}`, and its {what} is not known: line {}: {}; --launch gives it",
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
        let ptx = (module, &*code.ptx);
        let product = is_open.then(|| call.product(&spec, ptx)).flatten();
        let problem = if let Some(product) = product {
            product
        } else {
            let batch = is_open.then(|| call.batch(&spec, ptx)).flatten();
            Problem { batch, ..call.problem(spec, module, &code.ptx)? }
        };
        let mut assumed = code.told.clone();
        assumed.extend(Self::told(call, &problem));
        let assumed = assumed.and(problem.assumed);
        let in_header = request.is_in_header(problem.source.as_deref());
        let symbols = call.device.symbols();
        Ok(Problem { symbols, in_header, others, unseen, assumed, ..problem })
    }

    /// What is taken from the host's program.
    fn told(call: &KnownCall<'_>, problem: &Problem) -> Vec<Assumption> {
        let (grid, block) = (problem.launch.grid.spelt(), problem.launch.block.spelt());
        let why = format!("as line {} launches it", call.launch.line);
        let shape = Assumption::new(format!("<<<{grid},{block}>>>"), why);
        if problem.is_product() || problem.words.is_empty() {
            return vec![shape];
        }
        let random = |buffer: &Buffer| buffer.contents == Contents::Filled(Values::Random);
        let is_random = problem.buffers.iter().any(random);
        let data = if is_random { "; it copies no data, so they hold random numbers" } else { "" };
        let why = format!("as the host allocates and passes them{data}");
        vec![shape, Assumption::new(format!("({})", problem.words), why)]
    }

    /// The constants to make smaller so that the program takes seconds; `None` if it does, if a size is
    /// asked for, or if nothing makes it smaller.
    pub(super) fn smaller(&self) -> Option<Vec<SizeChange>> {
        let is_free = self.code.launch.size.is_none() && !self.request.to_measure;
        let run = self.code.host.as_ref().filter(|_| is_free)?;
        let threads = sizes::threads_of(run);
        let by = if threads > MOST_THREADS {
            (threads / MOST_THREADS).max(2)
        } else {
            let instructions = |launch: ProgramLaunch| launch.problem.map_or(0, |one| weight(&one));
            let all = self.program()?.take(MOST_WEIGHED).map(instructions);
            let all = all.fold(0, u64::saturating_add);
            let over = (all / MOST_INSTRUCTIONS) as f64;
            if over < 1.0 {
                return None;
            }
            // What a product takes grows with the third power of its sides.
            over.cbrt().ceil().max(2.0) as u64
        };
        let by = i64::try_from(by.next_power_of_two()).ok()?;
        let whole = self.code.whole.as_ref()?;
        let changes = sizes::smaller(whole, threads, by);
        (!changes.is_empty()).then_some(changes)
    }
}

/// The threads and the instructions of warps that are run within some seconds: a core runs ten million
/// instructions a second, with optimisation.
const MOST_THREADS: u64 = 1 << 21;
const MOST_INSTRUCTIONS: u64 = 1 << 25;

/// How many launches are weighed.
const MOST_WEIGHED: usize = 16;

impl HostProgram<'_> {
    fn call<'c>(&'c self, launch: &'c DeviceLaunch) -> KnownCall<'c> {
        KnownCall { run: self.run, launch, device: &self.device }
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

    /// The races of a launch with those of other streams before it, which nothing puts in order.
    fn races(
        &mut self,
        launch: &DeviceLaunch,
        problem: Option<&Problem>,
        buffers: &[(String, usize)],
    ) -> Vec<String> {
        // The default stream waits for the others, and they for it.
        let has_others =
            host::launches(self.run).any(|one| one.stream != 0 && one.stream != launch.stream);
        let Some(problem) =
            problem.filter(|one| has_others && launch.stream != 0 && !one.is_product())
        else {
            if launch.stream == 0 {
                self.pending.clear();
            }
            return Vec::new();
        };
        let Some(words) = touched(problem) else { return Vec::new() };
        let numbers = buffers.iter().map(|(_, number)| *number);
        let touched: Vec<_> = numbers.zip(words).collect();
        let named = format!("`{}` (line {}, stream {})", launch.kernel, launch.line, launch.stream);
        let mut races = Vec::new();
        for before in self.pending.iter().filter(|one| one.stream != launch.stream) {
            let both = touched.iter().find_map(|(number, words)| {
                let (_, others) = before.touched.iter().find(|(other, _)| other == number)?;
                Some((*number, words.conflict(others)?))
            });
            if let Some((number, (word, both_store))) = both {
                let buffer = &self.run.buffers[number];
                let what = if both_store { "store" } else { "touch, and one of them stores," };
                races.push(format!(
                    "race: {} and {named} both {what} byte {} of `{}`, and neither an event nor a synchronisation orders them",
                    before.named,
                    4 * word,
                    buffer.name
                ));
            }
        }
        self.pending.push(PendingLaunch { stream: launch.stream, named, touched });
        races
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
            if matches!(step, HostStep::Synchronise) {
                self.pending.clear();
            }
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
            let buffers = call.buffers();
            let races = self.races(launch, problem.as_ref().ok(), &buffers);
            return Some(ProgramLaunch {
                races,
                number: self.number,
                kernel: launch.instance().unwrap_or_else(|| launch.kernel.clone()),
                line: launch.line,
                stream: launch.stream,
                buffers,
                is_product,
                problem,
            });
        }
    }
}
