//! The launches of the host's program one after another, memory carried from each to the next.

use super::called;
use super::device::{HeldMemory, element_type};
use super::host::{self, KnownCall};
use super::missing::OpenError;
use super::open::Opened;
use super::streams::StreamRaces;
use crate::kernel::{
    Assumption, Assumptions, Buffer, Contents, Goal, LaunchSpec, Problem, find_entry, source_name,
};
use crate::matrix::{ElementType, SEED, Values};
use crate::sim::Memory;
use cudac::{DeviceLaunch, HostArgument, HostRun, HostStep};
use std::collections::HashMap;

/// The program of a file: each launch in its turn, with what those before have left.
pub struct HostProgram<'o> {
    opened: &'o Opened<'o>,
    run: &'o HostRun,
    device: HeldMemory,
    next: usize,
    number: usize,
    streams: StreamRaces<'o>,
    /// Whether a launch may be run as a product, on matrices of random numbers.
    takes_products: bool,
    compared: Vec<HostComparison>,
    /// The buffers that the host has freed, each with the line.
    freed: HashMap<usize, u32>,
    /// The launches that were run, each with the number of those like it that were left out.
    rounds: Vec<LaunchRounds>,
}

/// A launch that may come again and again, as in a loop that is timed.
struct LaunchRounds {
    /// Its place in the run's steps.
    step: usize,
    number: usize,
    run: u32,
    left_out: u64,
}

/// How many times the same launch is run where nothing of it differs: the second time it finds what the
/// first has left.
pub(super) const ROUNDS: u32 = 2;

/// How many launches of a line that differ are run.
const MOST_OF_LINE: usize = 32;

/// What the host compares with numbers of its own.
#[derive(Clone, Debug)]
pub struct HostComparison {
    /// The buffer among those of the program, by its number and its name.
    pub number: usize,
    pub buffer: String,
    pub of: ElementType,
    /// The elements, each by its index with the number.
    pub expected: Vec<(u64, f64)>,
    /// What the buffer holds.
    pub is: Vec<f64>,
    /// The launches before it.
    pub launches: usize,
}

/// The most launches that are shown alone.
const MOST_APART: usize = 16;

/// A launch of the program without what is before it.
pub struct LaunchApart {
    pub kernel: String,
    /// The line that launches it.
    pub line: u32,
    pub problem: Problem,
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
    /// What is wrong between it and the rest of the program, in words: races with launches of other streams,
    /// buffers that were freed before.
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
        Some(HostProgram {
            opened: self,
            run,
            device,
            next: 0,
            number: 0,
            streams: StreamRaces::new(run),
            takes_products: self.request.launch.goal != Some(Goal::Any),
            compared: Vec::new(),
            freed: HashMap::new(),
            rounds: Vec::new(),
        })
    }

    /// The first launch of the kernel as the host's program has it, if all of that is known; what
    /// earlier kernels compute is random here.
    ///
    /// # Errors
    /// A block that the kernel does not take.
    pub(super) fn believed(&self) -> Result<Option<Problem>, OpenError> {
        let own = |launch: &DeviceLaunch| self.function_of(launch).as_deref() == Some(&self.entry);
        let problem = self.first_apart(|launch, problem| own(launch).then(problem)).transpose()?;
        let is_asked = self.request.launch.goal == Some(Goal::Product);
        Ok(problem.filter(|problem| !is_asked || problem.is_product()))
    }

    /// The launches of the host's program that differ, each alone: what earlier kernels compute is random.
    pub fn launches_apart(&self) -> Vec<LaunchApart> {
        let run = self.code.host.as_ref();
        let mut wanted: Vec<_> = run.into_iter().flat_map(called::different).collect();
        wanted.truncate(MOST_APART);
        let mut all = Vec::new();
        self.first_apart(|launch, problem| {
            if wanted.iter().any(|one| std::ptr::eq(*one, launch))
                && let Ok(problem) = problem()
            {
                let (kernel, line) = (launch.kernel.clone(), launch.line);
                all.push(LaunchApart { kernel, line, problem });
            }
            None::<()>
        });
        all
    }

    /// The first that is found for a launch of the program of which all is known.
    fn first_apart<T>(
        &self,
        mut find: impl FnMut(&DeviceLaunch, &dyn Fn() -> Result<Problem, OpenError>) -> Option<T>,
    ) -> Option<T> {
        let mut program = self.program()?;
        for step in &program.run.steps {
            program.device.apply(step);
            let HostStep::Launch(launch) = step else { continue };
            let call = program.call(launch);
            let problem = || self.launched(&call, program.takes_products);
            let found = call.is_known().then(|| find(launch, &problem)).flatten();
            if found.is_some() {
                return found;
            }
            for (_, number) in call.buffers() {
                program.device.mark(number);
            }
        }
        None
    }

    /// The name in the PTX of the kernel that is launched.
    fn function_of(&self, launch: &DeviceLaunch) -> Option<String> {
        let instance = launch.instance();
        let name = instance.as_deref().unwrap_or(&launch.kernel);
        let found = find_entry(&self.module, Some(name));
        let found = found.or_else(|_| find_entry(&self.module, Some(&launch.kernel)));
        found.ok().map(|function| function.name.clone())
    }

    /// A launch of the program as a problem: as a product, if it may be one and is.
    pub(super) fn launched(
        &self,
        call: &KnownCall<'_>,
        is_open: bool,
    ) -> Result<Problem, OpenError> {
        let Self { request, code, module, .. } = self;
        let launch = call.launch;
        let Some(name) = self.function_of(launch) else {
            let why = format!(
                "line {} launches `{}`, which was not compiled",
                launch.line, launch.kernel
            );
            return Err(OpenError::Lacks(why));
        };
        let is_of_host =
            |one: &HostArgument| matches!(one, HostArgument::NoDevice { is_null: false });
        if let Some(place) = launch.args.iter().position(is_of_host) {
            let (line, kernel) = (launch.line, &launch.kernel);
            let parameter = launch.parameters.get(place).map_or("?", String::as_str);
            return Err(OpenError::Lacks(format!(
                "line {line} launches `{kernel}` with memory of the host for `{parameter}`, which a kernel \
                 reads on few systems only (pageable memory access): allocate it by cudaMalloc or \
                 cudaMallocManaged"
            )));
        }
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
        if function.cluster.is_grid && !launch.is_cooperative {
            return Err(OpenError::Lacks(format!(
                "line {} launches `{}`, which waits for all blocks of its grid: only \
                 cudaLaunchCooperativeKernel makes sure that they run at once",
                launch.line, launch.kernel
            )));
        }
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
}

impl HostProgram<'_> {
    fn call<'c>(&'c self, launch: &'c DeviceLaunch) -> KnownCall<'c> {
        KnownCall { run: self.run, launch, device: &self.device }
    }

    /// The same with the host's own numbers in all buffers: none of its launches is judged as a product.
    #[must_use]
    pub fn with_its_data(self) -> Self {
        Self { takes_products: false, ..self }
    }

    /// How many launches like this one were left out after it, if any were.
    pub fn left_out(&self, number: usize) -> Option<u64> {
        let rounds = self.rounds.iter().find(|one| one.number == number);
        rounds.map(|one| one.left_out).filter(|count| *count > 0)
    }

    /// Whether the launch at a step is one more of a loop's, which is left out: its data is not to judge.
    fn is_one_more(&mut self, step: usize, launch: &DeviceLaunch) -> bool {
        let steps = &self.run.steps;
        let unknown = unknown_argument(launch);
        let same = |one: &&mut LaunchRounds| match &steps[one.step] {
            // What is not known of one is not known of the others.
            HostStep::Launch(other) if unknown.is_some() => {
                other.line == launch.line && unknown_argument(other) == unknown
            }
            HostStep::Launch(other) => other.is_like(launch),
            _ => false,
        };
        let most = if unknown.is_some() { 1 } else { ROUNDS };
        match self.rounds.iter_mut().rev().find(same) {
            Some(one) if one.run >= most && self.takes_products => {
                one.left_out += 1;
                true
            }
            Some(one) => {
                one.run += 1;
                one.number = self.number;
                false
            }
            None => {
                if self.is_left_out(launch) {
                    return true;
                }
                let (number, run, left_out) = (self.number, 1, 0);
                self.rounds.push(LaunchRounds { step, number, run, left_out });
                false
            }
        }
    }

    /// Leaves out one of too many launches that a line makes with different shapes or arguments; whether it
    /// is. What it would have written counts as written.
    fn is_left_out(&mut self, launch: &DeviceLaunch) -> bool {
        let steps = &self.run.steps;
        let of_line = |one: &&mut LaunchRounds| match &steps[one.step] {
            HostStep::Launch(other) => (other.line, &other.kernel) == (launch.line, &launch.kernel),
            _ => false,
        };
        let mut alike: Vec<_> = self.rounds.iter_mut().filter(of_line).collect();
        if alike.len() < MOST_OF_LINE || !self.takes_products {
            return false;
        }
        if let Some(last) = alike.last_mut() {
            last.left_out += 1;
        }
        for (_, number) in self.call(launch).buffers() {
            self.device.mark(number);
        }
        true
    }

    /// The kernels that are launched, in their order.
    pub fn kernels(&self) -> impl Iterator<Item = &str> {
        called::launches(self.run).map(|launch| &*launch.kernel)
    }

    /// Another kernel with the arguments and the memory of a launch that has not been taken yet, with
    /// blocks as the program launches it elsewhere, if it does.
    ///
    /// # Errors
    /// There is no such kernel, or it takes other arguments.
    pub fn beside(&self, launch: &ProgramLaunch, kernel: &str) -> Result<Problem, OpenError> {
        let own = called::launches(self.run).nth(launch.number - 1);
        let Some(own) = own else { return Err(OpenError::Lacks("no launch".to_owned())) };
        let elsewhere = called::launches(self.run).find(|one| one.kernel == kernel);
        let shape = elsewhere.unwrap_or(own);
        let other = DeviceLaunch {
            args: own.args.clone(),
            kernel: kernel.to_owned(),
            list: elsewhere.map_or_else(Vec::new, |one| one.list.clone()),
            ..shape.clone()
        };
        find_entry(&self.opened.module, Some(other.instance().as_deref().unwrap_or(kernel)))?;
        self.opened.launched(&self.call(&other), false)
    }

    /// What the host compares with numbers of its own, as far as the launches are done.
    pub fn compared(&self) -> &[HostComparison] {
        &self.compared
    }

    /// What a buffer holds: the one of this name, or else the last one that the host copies back; with
    /// its number and its name.
    ///
    /// # Errors
    /// There is none.
    pub fn result(&self, name: Option<&str>) -> Result<HostComparison, OpenError> {
        let buffers = &self.run.buffers;
        let number = match name {
            Some(name) => buffers.iter().position(|one| one.name == name),
            None => self.run.results.last().map(|place| place.buffer),
        };
        let number = number.ok_or_else(|| {
            let names: Vec<_> = buffers.iter().map(|one| &*one.name).collect();
            let what = match name {
                Some(name) => format!("no buffer is called `{name}`"),
                None => "the program copies none of its buffers back".to_owned(),
            };
            OpenError::Lacks(format!(
                "{what}: say which one is meant, --expect NAME=FILE; there are {}",
                names.join(", ")
            ))
        })?;
        let (of, is) = self.device.elements(number, None);
        let (buffer, expected) = (buffers[number].name.clone(), Vec::new());
        Ok(HostComparison { number, buffer, of, expected, is, launches: self.number })
    }

    /// Notes what the host compares.
    fn compare(&mut self, number: usize, of: &str, values: &[(u64, f64)]) {
        let (of, is) = self.device.elements(number, element_type(of));
        let Some(buffer) = self.run.buffers.get(number) else { return };
        let each = u64::from(of.bytes());
        let mut expected: Vec<_> =
            values.iter().map(|(offset, value)| (offset / each, *value)).collect();
        expected.retain(|(index, _)| *index < is.len() as u64);
        let (buffer, launches) = (buffer.name.clone(), self.number);
        self.compared.push(HostComparison { number, buffer, of, expected, is, launches });
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

    /// The races of copies that are told beside this launch.
    pub fn races_of_copies(&self, number: usize) -> impl Iterator<Item = &String> {
        self.streams.of_copies(number)
    }

    /// What a launch is given that the host has freed before.
    fn given_freed(&self, launch: &DeviceLaunch, buffers: &[(String, usize)]) -> Vec<String> {
        let freed = |(_, number): &(String, usize)| {
            let (line, name) = (self.freed.get(number)?, &self.run.buffers[*number].name);
            let DeviceLaunch { kernel, line: own, .. } = launch;
            Some(format!(
                "memory: line {own} launches `{kernel}` with `{name}`, which line {line} has freed"
            ))
        };
        buffers.iter().filter_map(freed).collect()
    }

    /// What nobody has said of the program as a whole.
    pub const fn assumed(&self) -> &Assumptions {
        &self.opened.code.told
    }

    /// How many launches the program has.
    pub fn len(&self) -> usize {
        called::launches(self.run).count()
    }

    /// Whether there is something between its launches, or between them and its copies.
    pub fn is_several(&self) -> bool {
        self.len() > 1 || self.streams.are_several()
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

/// Why an argument of a launch is not known, if one is not.
fn unknown_argument(launch: &DeviceLaunch) -> Option<&cudac::Unknown> {
    launch.args.iter().find_map(|one| match one {
        HostArgument::Unknown(unknown) => Some(unknown),
        _ => None,
    })
}

impl ProgramLaunch {
    /// The name in the launch of a buffer of the program.
    pub fn name_of(&self, number: usize) -> Option<&str> {
        self.buffers.iter().find(|(_, own)| *own == number).map(|(name, _)| &**name)
    }
}

impl Iterator for HostProgram<'_> {
    type Item = ProgramLaunch;

    fn next(&mut self) -> Option<ProgramLaunch> {
        loop {
            let step = self.run.steps.get(self.next)?;
            self.next += 1;
            self.device.apply(step);
            match step {
                HostStep::Order(order) => self.streams.order(*order),
                HostStep::Transfer(transfer) => self.streams.transfer(transfer, self.number),
                HostStep::Free { buffer, line } => drop(self.freed.insert(*buffer, *line)),
                HostStep::Compare { buffer, of, values, .. } => self.compare(*buffer, of, values),
                _ => {}
            }
            let HostStep::Launch(launch) = step else { continue };
            self.number += 1;
            if self.is_one_more(self.next - 1, launch) {
                self.streams.pass(self.number, launch);
                continue;
            }
            let call = self.call(launch);
            let problem = match unknown_argument(launch) {
                Some(of) => Err(OpenError::Lacks(format!(
                    "line {} launches `{}` with an argument that is not known: line {}: {}; \
                     --launch '{}(...)' gives them all",
                    launch.line,
                    launch.kernel,
                    of.line,
                    of.why,
                    source_name(&launch.kernel)
                ))),
                None => self.opened.launched(&call, self.takes_products),
            };
            let is_product = problem.as_ref().is_ok_and(Problem::is_product);
            let buffers = call.buffers();
            let mut races =
                self.streams.launch((self.number, launch), problem.as_ref().ok(), &buffers);
            races.extend(self.given_freed(launch, &buffers));
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
