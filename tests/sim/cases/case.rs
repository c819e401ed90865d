//! One case: its comments, its runs, and the differences between them.

use super::value::{Ty, Value, number};
use matviz::analysis::Counters;
use matviz::analysis::vectorise::Replacement;
use matviz::gpu::client::Client;
use matviz::kernel::{Arg, Call};
use matviz::launch::{Dim3, Launch};
use matviz::report::access::{ExprThread, IndexExpr};
use matviz::report::figures::FIGURES;
use matviz::sim::{Fault, Machine, Memory, Order, Program, lower_with};
use matviz::timing::protocol::Execute;
use ptx::{ParseError, parse};
use std::collections::HashMap;
use std::sync::Arc;

/// The contents of a case's comments.
#[derive(Default)]
pub(crate) struct Case {
    launch: Option<Launch>,
    dynamic_shared: u32,
    params: Vec<Param>,
    counts: Vec<(String, u64)>,
    fault: Option<String>,
    error: Option<(usize, String)>,
    no_gpu: Option<String>,
}

enum Param {
    In { name: String, words: Vec<u32> },
    Out { name: String, ty: Ty, values: Vec<Value> },
    Arg { bytes: Vec<u8> },
}

/// A run that ended normally.
pub(crate) struct Outcome {
    counters: Counters,
    memory: Memory,
}

pub(crate) enum Failure {
    Text(ParseError),
    Run(Fault),
}

impl Case {
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let mut case = Self::default();
        let head: Vec<_> = text.lines().map_while(|line| line.strip_prefix("// ")).collect();
        for line in head.iter().skip(1) {
            case.directive(line).map_err(|problem| format!("`{line}`: {problem}"))?;
        }
        let outs = case.params.iter().any(|param| matches!(param, Param::Out { .. }));
        if case.launch.is_none() {
            return Err("no `launch:`".to_owned());
        }
        if !outs && case.counts.is_empty() && case.fault.is_none() && case.error.is_none() {
            return Err("nothing is expected".to_owned());
        }
        Ok(case)
    }

    fn directive(&mut self, line: &str) -> Result<(), String> {
        let (word, rest) = line.split_once(':').ok_or("a directive has a colon")?;
        let rest = rest.trim();
        match word.split_whitespace().collect::<Vec<_>>()[..] {
            ["launch"] => self.launch = Some(launch(rest).ok_or("`grid G, block B`")?),
            ["dynamic"] => self.dynamic_shared = number(rest)?,
            ["in", name] => {
                let (ty, values) = self.values(rest)?;
                let bytes = values.into_iter().flat_map(|value| ty.bytes_of(value));
                let words = words(bytes.collect());
                self.params.push(Param::In { name: name.to_owned(), words });
            }
            ["out", name] => {
                let (ty, values) = self.values(rest)?;
                self.params.push(Param::Out { name: name.to_owned(), ty, values });
            }
            ["arg"] => {
                let (ty, values) = self.values(rest)?;
                let bytes = values.into_iter().flat_map(|value| ty.bytes_of(value)).collect();
                self.params.push(Param::Arg { bytes });
            }
            ["expect"] => {
                let (name, count) = rest.rsplit_once(' ').ok_or("a name and a count")?;
                self.counts.push((name.replace(' ', "_"), number(count)?));
            }
            ["fault"] => self.fault = Some(rest.to_owned()),
            ["no", "GPU"] => self.no_gpu = Some(rest.to_owned()),
            ["error"] => {
                let place = rest.strip_prefix("line ").and_then(|rest| rest.split_once(": "));
                let (line, text) = place.ok_or("`line N: text`")?;
                self.error = Some((number(line)?, text.to_owned()));
            }
            _ => return Err("no such directive".to_owned()),
        }
        Ok(())
    }

    /// `type values`, or `type = expression` for every thread of block 0.
    fn values(&self, text: &str) -> Result<(Ty, Vec<Value>), String> {
        let (ty, values) = text.split_once(' ').ok_or("a type and values")?;
        let ty = Ty::read(ty).ok_or("no such type")?;
        if let Some(expression) = values.strip_prefix("= ") {
            return Ok((ty, self.computed(ty, expression)?));
        }
        let mut all = Vec::new();
        for item in values.split(',').map(str::trim) {
            if let Some((from, to)) = item.split_once("..") {
                all.extend((number::<i64>(from)?..number(to)?).map(|value| ty.integer(value)));
            } else {
                let (value, count) = item.split_once(" x ").unwrap_or((item, "1"));
                all.extend(std::iter::repeat_n(ty.value(value)?, number(count)?));
            }
        }
        Ok((ty, all))
    }

    fn computed(&self, ty: Ty, text: &str) -> Result<Vec<Value>, String> {
        let expr = IndexExpr::parse(text).map_err(|error| error.render(text))?;
        let block = self.launch.ok_or("`launch:` comes first")?.block;
        (0..block.volume() as u32)
            .map(|number| {
                let thread = ExprThread { number, block, at: Dim3::new(0, 0, 0) };
                let value = expr.value(&thread).map_err(|error| error.render(text))?;
                Ok(ty.integer(value))
            })
            .collect()
    }

    pub(crate) fn run(&self, text: &str, order: &Order) -> Result<Outcome, Failure> {
        self.attempt(text, order, u64::MAX)
    }

    /// The differences of its values on the GPU, or the reason why it is not run there.
    pub(crate) fn on_gpu(&self, gpu: &mut Client, text: &str) -> Result<Vec<String>, String> {
        let fails = self.fault.as_ref().or(self.error.as_ref().map(|(_, error)| error));
        if let Some(why) = self.no_gpu.as_ref().or(fails) {
            return Err(why.clone());
        }
        let mut buffers = Vec::new();
        let mut args = Vec::new();
        for param in &self.params {
            args.push(match param {
                Param::Arg { bytes } => Arg::Structure(bytes.clone()),
                Param::In { .. } | Param::Out { .. } => Arg::Buffer(buffers.len()),
            });
            buffers.extend(param.words());
        }
        let launch = self.launch.expect("a case that was read has a launch");
        let (entry, ptx) = ("case".to_owned(), text.to_owned());
        let call = Call { entry, ptx, launch, shared: self.dynamic_shared, cluster: None, args };
        let buffers = match gpu.execute(Execute { call, buffers, device: 0 }) {
            Ok(buffers) => buffers,
            Err(error) => return Ok(vec![error.to_string()]),
        };
        let names = self.params.iter().filter_map(Param::name);
        let found: HashMap<_, _> = names.zip(buffers).collect();
        Ok(self.compare_values(|name| found[name].clone()).collect())
    }

    /// A run of at most `steps` steps per block.
    pub(crate) fn attempt(
        &self,
        text: &str,
        order: &Order,
        steps: u64,
    ) -> Result<Outcome, Failure> {
        let program = Arc::new(self.program(text).map_err(Failure::Text)?);
        let memory = self.memory(&program);
        let mut counters = Counters::default();
        for mut machine in self.blocks(&program, &memory, order) {
            for _ in 0..steps {
                let Some(step) = machine.step().map_err(Failure::Run)? else { break };
                counters.add(step, Replacement::default());
            }
        }
        Ok(Outcome { counters, memory })
    }

    pub(crate) fn program(&self, text: &str) -> Result<Program, ParseError> {
        let module = parse(text).map_err(|mut errors| errors.swap_remove(0))?;
        lower_with(&module, "case", self.dynamic_shared)
    }

    /// Its blocks, each before its first step; those of a cluster are one machine.
    pub(crate) fn blocks(
        &self,
        program: &Arc<Program>,
        memory: &Memory,
        order: &Order,
    ) -> impl Iterator<Item = Machine> {
        let launch = self.launch.expect("a case that was read has a launch");
        let params = self.param_bytes(program, memory);
        (0..launch.blocks()).filter_map(move |index| {
            let (program, memory) = (Arc::clone(program), memory.clone());
            let block = launch.grid.place(index);
            let machine = Machine::new(program, launch, block, &params, memory, order.clone());
            (machine.block() == block).then_some(machine)
        })
    }

    pub(crate) fn memory(&self, program: &Program) -> Memory {
        let mut memory = Memory::new();
        for (name, words) in self.params.iter().filter_map(|p| p.name().zip(p.words())) {
            let words: Vec<_> = words.into_iter().map(f32::from_bits).collect();
            memory.add(name, &words);
        }
        memory.declare(program);
        memory
    }

    fn param_bytes(&self, program: &Program, memory: &Memory) -> Vec<u8> {
        let mut bytes = vec![0; program.param_bytes as usize];
        let mut buffers = memory.buffers().iter();
        for (declared, param) in program.params.iter().zip(&self.params) {
            let value = match param {
                Param::Arg { bytes } => bytes.clone(),
                Param::In { .. } | Param::Out { .. } => {
                    let buffer = buffers.next().expect("each pointer has its buffer");
                    buffer.base.to_le_bytes().to_vec()
                }
            };
            let size = value.len().min(declared.bytes as usize);
            bytes[declared.offset as usize..][..size].copy_from_slice(&value[..size]);
        }
        bytes
    }

    pub(crate) fn compare(&self, text: &str, outcome: Result<Outcome, Failure>) -> Vec<String> {
        match (outcome, &self.fault, &self.error) {
            (Ok(outcome), None, None) => {
                let counts = self.compare_counts(&outcome.counters);
                self.compare_memory(&outcome.memory).chain(counts).collect()
            }
            (Err(Failure::Run(fault)), Some(expected), None) => {
                differs(fault.to_string().contains(expected), &fault.to_string(), expected)
            }
            (Err(Failure::Text(error)), None, Some((line, expected))) => {
                let right = error.span.line(text) == *line && error.message.contains(expected);
                differs(right, &error.render(text, "case"), &format!("line {line}: {expected}"))
            }
            (Ok(_), fault, error) => vec![format!("ends well, expected {fault:?} {error:?}")],
            (Err(Failure::Run(fault)), ..) => vec![fault.to_string()],
            (Err(Failure::Text(error)), ..) => vec![error.render(text, "case")],
        }
    }

    fn compare_counts(&self, counters: &Counters) -> Vec<String> {
        let wrong = |(name, expected): &(String, u64)| {
            let figure = FIGURES.iter().find(|figure| figure.key == name);
            let count = figure.map(|figure| (figure.count)(&counters.ptx));
            (count != Some(*expected)).then(|| format!("{name} is {count:?}, expected {expected}"))
        };
        self.counts.iter().filter_map(wrong).collect()
    }

    fn compare_memory(&self, memory: &Memory) -> impl Iterator<Item = String> {
        self.compare_values(|name| memory.floats(name).iter().map(|f| f.to_bits()).collect())
    }

    /// The differences in the contents of the buffers, which `words` returns.
    fn compare_values(&self, words: impl Fn(&str) -> Vec<u32>) -> impl Iterator<Item = String> {
        self.params.iter().filter_map(move |param| {
            let Param::Out { name, ty, values } = param else { return None };
            let found = ty.values_of(&words(name));
            let same = |(found, expected): (&u64, &Value)| match expected {
                Value::Bits(bits) => found == bits,
                Value::AnyNan => ty.is_nan(*found),
            };
            let wrong: Vec<_> = found
                .iter()
                .zip(values)
                .enumerate()
                .filter(|(_, pair)| !same(*pair))
                .map(|(index, (found, expected))| {
                    format!(
                        "{name}[{index}] is {}, expected {}",
                        ty.show(*found),
                        match expected {
                            Value::Bits(bits) => ty.show(*bits),
                            Value::AnyNan => "NaN".to_owned(),
                        }
                    )
                })
                .take(8)
                .collect();
            (!wrong.is_empty()).then(|| wrong.join("; "))
        })
    }
}

impl Param {
    fn name(&self) -> Option<&str> {
        match self {
            Self::In { name, .. } | Self::Out { name, .. } => Some(name),
            Self::Arg { .. } => None,
        }
    }

    /// The contents of its buffer before the launch; `None` for a value.
    fn words(&self) -> Option<Vec<u32>> {
        match self {
            Self::In { words, .. } => Some(words.clone()),
            Self::Out { ty, values, .. } => Some(vec![0; (values.len() * ty.bytes()).div_ceil(4)]),
            Self::Arg { .. } => None,
        }
    }
}

fn differs(right: bool, found: &str, expected: &str) -> Vec<String> {
    if right { vec![] } else { vec![format!("{found}\n    expected: {expected}")] }
}

/// Bytes as words; the last one is padded with zeros.
fn words(mut bytes: Vec<u8>) -> Vec<u32> {
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte));
    bytes.chunks(4).map(word).collect()
}

/// `grid 2, block 32x2`
fn launch(text: &str) -> Option<Launch> {
    let (grid, block) = text.strip_prefix("grid ")?.split_once(", block ")?;
    let size = |text: &str| {
        let sides: Vec<u32> =
            text.split('x').map(|side| side.parse().ok()).collect::<Option<_>>()?;
        let side = |axis: usize| sides.get(axis).copied().unwrap_or(1);
        Some(Dim3::new(side(0), side(1), side(2)))
    };
    Some(Launch { grid: size(grid)?, block: size(block)? })
}
