//! The simulator, and the GPU where there is one, on small PTX files; what each expects stands in
//! the comments at its head.
//!
//! ```text
//! // One sentence: what this is a case of.
//! // launch: grid 1, block 32x2        blocks and threads
//! // dynamic: 128                      bytes of dynamic shared memory
//! // in A: f32 0..32                   a parameter: a pointer to a buffer with this content
//! // out C: s32 1, -2, 7 x 30          likewise, zeroed; its content at the end
//! // out D: u32 = tid * 4              one value per thread of block 0, in C's notation
//! // arg: u32 17                       a parameter by value
//! // expect: global load sectors 4     a count of `analysis::Counters`, over all blocks
//! // fault: lane 31: this 4-byte load  a part of the fault's text
//! // error: line 12: `atom.add.u32`    a part of the error's text, and its line in this file
//! // no GPU: hangs there               why it is run on the simulator alone
//! ```
//!
//! Types are u32 s32 u64 s64 f32 f64, and b16 f16 bf16, of which each word holds two.
//!
//! Parameters follow the order of the lines. Values are numbers of the type, bits in hexadecimal,
//! `nan` (any), `inf`, ranges `a..b`, and `value x count`. The entry point is called `case`.

use matviz::analysis::Counters;
use matviz::analysis::expr::{Expr, Thread};
use matviz::gpu::client::{Client, Launcher, PATIENCE};
use matviz::gpu::protocol::{Answer, Execute, Request};
use matviz::kernel::{Arg, Call};
use matviz::launch::{Dim3, Launch};
use matviz::ptx::{ParseError, parse};
use matviz::sim::{Fault, Machine, Memory, Order, Program, lower_with};
use proptest::prelude::*;
use std::collections::HashMap;
use std::fmt::Debug;
use std::io::Write;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

/// What a case says of itself.
#[derive(Default)]
struct Case {
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

/// One expected value.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Value {
    Bits(u64),
    AnyNan,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Ty {
    B16,
    F16,
    Bf16,
    U32,
    S32,
    U64,
    S64,
    F32,
    F64,
}

/// A run that came to its end.
struct Outcome {
    counters: Counters,
    memory: Memory,
}

enum Failure {
    Text(ParseError),
    Run(Fault),
}

#[test]
fn every_case_is_as_its_comments_say() {
    let mut failures = Vec::new();
    let files = files();
    assert!(files.len() > 20, "only {} cases were found", files.len());
    for (name, text) in &files {
        let problems = problems(text);
        failures.extend(problems.into_iter().map(|problem| format!("{name}: {problem}")));
    }
    let (bad, all) = (failures.len(), files.len());
    assert!(bad == 0, "{bad} problems in {all} cases:\n{}", failures.join("\n"));
}

#[test]
fn a_wrong_expectation_is_noticed() {
    let (_, text) = files().into_iter().find(|(name, _)| name == "copy.ptx").expect("a case");
    assert_eq!(problems(&text), Vec::<String>::new());
    for (right, wrong) in [
        ("C: f32 0..32", "C: f32 1..33"),
        ("C: f32 0..32", "C: f32 0..31"),
        ("global load sectors 4", "global load sectors 5"),
        ("// launch:", "// lunch:"),
        ("// expect:", "// fault: misaligned\n// expect:"),
        ("// expect:", "// error: line 1: unsupported\n// expect:"),
    ] {
        assert!(text.contains(right), "{right}");
        assert_ne!(problems(&text.replacen(right, wrong, 1)), Vec::<String>::new(), "{wrong}");
    }
}

#[test]
fn a_case_survives_being_taken_apart() {
    for (name, text) in files().iter().filter(|(_, text)| !text.contains("// error:")) {
        let (head, tokens) = tokens(text);
        assert_eq!(problems(&(head + &tokens.join(" "))), Vec::<String>::new(), "{name}");
    }
}

/// Values alone: a GPU counts nothing here, and what faults there would end its context.
#[test]
fn every_case_that_ends_well_has_the_same_values_on_the_gpu() {
    let launcher = Launcher { program: Some(matviz()), ..Launcher::default() };
    let mut gpu = Client::new(launcher, PATIENCE);
    if let Err(error) = gpu.ask(&Request::Probe, |_| ()) {
        return say(&format!("no GPU: the cases are run on the simulator only ({error})"));
    }
    let mut failures = Vec::new();
    for (name, text) in files() {
        let case = Case::read(&text).expect("a case can be read");
        match case.on_gpu(&mut gpu, &text) {
            Ok(problems) => failures.extend(problems.into_iter().map(|p| format!("{name}: {p}"))),
            Err(why) => say(&format!("not run on the GPU: {name}: {why}")),
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// The program whose worker runs the cases: where the tests are carried to another machine, the
/// one beside them.
fn matviz() -> PathBuf {
    let built = PathBuf::from(env!("CARGO_BIN_EXE_matviz"));
    if built.exists() { built } else { PathBuf::from("target/release/matviz") }
}

/// Past the test harness, which shows what is printed only when a test fails.
fn say(text: &str) {
    writeln!(std::io::stderr(), "{text}").expect("stderr is open");
}

proptest! {
    /// Whatever stands in a file, the answer is an outcome, a fault or an error with its place.
    #[test]
    fn no_text_makes_the_simulator_panic(
        file in any::<prop::sample::Index>(),
        cuts in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 1..4),
    ) {
        let files = files();
        let text = &file.get(&files).1;
        let case = Case::read(text).expect("a case can be read");
        let (head, mut tokens) = tokens(text);
        for (to, from) in cuts {
            let token = from.get(&tokens).clone();
            let place = to.index(tokens.len());
            tokens[place] = token;
        }
        let text = head + &tokens.join(" ");
        let _ = case.attempt(&text, &Order::RoundRobin, 2000);
    }
}

/// The comments of a case, and the rest of its text in pieces.
fn tokens(text: &str) -> (String, Vec<String>) {
    let body = text.find("\n\n").expect("an empty line ends the comments");
    let mut tokens = Vec::new();
    // `.L1::no_allocate` is one word.
    let code = text[body..].lines().map(|line| line.split("//").next().unwrap_or(line));
    let text_of_body = code.collect::<Vec<_>>().join("\n").replace("::", "\0");
    for word in text_of_body.split_whitespace() {
        let mut rest = word;
        while let Some(at) = rest.find(|c: char| "[](){},;:+|!@".contains(c)) {
            tokens.extend([&rest[..at], &rest[at..=at]].map(str::to_owned));
            rest = &rest[at + 1..];
        }
        tokens.push(rest.to_owned());
    }
    tokens.retain(|token| !token.is_empty());
    let tokens = tokens.into_iter().map(|token| token.replace('\0', "::")).collect();
    (text[..body].to_owned() + "\n", tokens)
}

/// (name, text) of every case.
fn files() -> Vec<(String, String)> {
    let mut files: Vec<_> = std::fs::read_dir("tests/ptx")
        .expect("the folder of cases is there")
        .map(|entry| entry.expect("the folder can be read").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "ptx"))
        .map(|path| {
            let name = path.file_name().expect("a file").to_string_lossy().into_owned();
            (name, std::fs::read_to_string(path).expect("a case is text"))
        })
        .collect();
    files.sort();
    files
}

/// Everything in which a case is not as it says, in any order of the warps.
fn problems(text: &str) -> Vec<String> {
    let case = match Case::read(text) {
        Ok(case) => case,
        Err(problem) => return vec![problem],
    };
    let orders = [Order::RoundRobin, Order::ToBarrier, Order::Random(7)];
    orders
        .into_iter()
        .flat_map(|order| {
            let problems = case.compare(text, case.run(text, &order));
            problems.into_iter().map(move |problem| format!("{problem} ({order:?})"))
        })
        .collect()
}

impl Case {
    fn read(text: &str) -> Result<Self, String> {
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
        let expr = Expr::parse(text).map_err(|error| error.render(text))?;
        let block = self.launch.ok_or("`launch:` comes first")?.block;
        (0..block.volume() as u32)
            .map(|number| {
                let thread = Thread { number, block, at: Dim3::new(0, 0, 0) };
                let value = expr.value(&thread).map_err(|error| error.render(text))?;
                Ok(ty.integer(value))
            })
            .collect()
    }

    fn run(&self, text: &str, order: &Order) -> Result<Outcome, Failure> {
        self.attempt(text, order, u64::MAX)
    }

    /// In what its values on the GPU are not as it says; or why it is not run there.
    fn on_gpu(&self, gpu: &mut Client, text: &str) -> Result<Vec<String>, String> {
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
        let call = Call { entry, ptx, launch, shared: self.dynamic_shared, args };
        let answer = gpu.ask(&Request::Execute(Execute { call, buffers, device: 0 }), |_| ());
        match answer {
            Ok(Answer::Executed { buffers }) => {
                let names = self.params.iter().filter_map(Param::name);
                let found: HashMap<_, _> = names.zip(buffers).collect();
                Ok(self.compare_values(|name| found[name].clone()).collect())
            }
            Ok(other) => Ok(vec![format!("the worker answers {other:?}")]),
            Err(error) => Ok(vec![error.to_string()]),
        }
    }

    /// A run of at most `steps` steps a block.
    fn attempt(&self, text: &str, order: &Order, steps: u64) -> Result<Outcome, Failure> {
        let module = parse(text).map_err(|mut errors| Failure::Text(errors.swap_remove(0)))?;
        let program = lower_with(&module, "case", self.dynamic_shared).map_err(Failure::Text)?;
        let program = Arc::new(program);
        let launch = self.launch.expect("a case that was read has a launch");
        let memory = self.memory(&program);
        let params = self.param_bytes(&program, &memory);
        let mut counters = Counters::default();
        for index in 0..launch.blocks() {
            let block = launch.grid.place(index);
            let (program, memory) = (Arc::clone(&program), memory.clone());
            let mut machine = Machine::new(program, launch, block, &params, memory, order.clone());
            for _ in 0..steps {
                let Some(step) = machine.step().map_err(Failure::Run)? else { break };
                counters.add(step);
            }
        }
        Ok(Outcome { counters, memory })
    }

    fn memory(&self, program: &Program) -> Memory {
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

    fn compare(&self, text: &str, outcome: Result<Outcome, Failure>) -> Vec<String> {
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
        let counters = serde_json::to_value(counters).expect("counters are plain numbers");
        let wrong = |(name, expected): &(String, u64)| {
            let count = counters.get(name).and_then(serde_json::Value::as_u64);
            (count != Some(*expected)).then(|| format!("{name} is {count:?}, expected {expected}"))
        };
        self.counts.iter().filter_map(wrong).collect()
    }

    fn compare_memory(&self, memory: &Memory) -> impl Iterator<Item = String> {
        self.compare_values(|name| memory.floats(name).iter().map(|f| f.to_bits()).collect())
    }

    /// In what the buffers, of which `words` tells the content, are not as it says.
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

    /// What its buffer holds before the launch; none for a value.
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

/// Bytes as words; what is missing in the last one is zero.
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

fn number<T: FromStr<Err: Debug>>(text: &str) -> Result<T, String> {
    text.trim().parse().map_err(|error| format!("`{text}`: {error:?}"))
}

impl Ty {
    fn read(name: &str) -> Option<Self> {
        Some(match name {
            "b16" => Self::B16,
            "f16" => Self::F16,
            "bf16" => Self::Bf16,
            "u32" => Self::U32,
            "s32" => Self::S32,
            "u64" => Self::U64,
            "s64" => Self::S64,
            "f32" => Self::F32,
            "f64" => Self::F64,
            _ => return None,
        })
    }

    fn bytes(self) -> usize {
        match self {
            Self::B16 | Self::F16 | Self::Bf16 => 2,
            Self::U32 | Self::S32 | Self::F32 => 4,
            Self::U64 | Self::S64 | Self::F64 => 8,
        }
    }

    fn value(self, text: &str) -> Result<Value, String> {
        if let Some(digits) = text.strip_prefix("0x") {
            return u64::from_str_radix(digits, 16)
                .map(Value::Bits)
                .map_err(|error| error.to_string());
        }
        if text == "nan" {
            return Ok(Value::AnyNan);
        }
        Ok(Value::Bits(match self {
            Self::B16 => number::<u16>(text)?.into(),
            Self::F16 | Self::Bf16 => self.half(number(text)?)?,
            Self::U32 => number::<u32>(text)?.into(),
            Self::S32 => u64::from(number::<i32>(text)? as u32),
            Self::U64 => number(text)?,
            Self::S64 => number::<i64>(text)? as u64,
            Self::F32 => u64::from(number::<f32>(text)?.to_bits()),
            Self::F64 => number::<f64>(text)?.to_bits(),
        }))
    }

    /// The half that is exactly `value`.
    fn half(self, value: f64) -> Result<u64, String> {
        let same = |bits: &u64| self.number(*bits).to_bits() == value.to_bits();
        (0..=0xffff).find(same).ok_or_else(|| format!("{value} is not a number of this type"))
    }

    /// What the bits of a floating-point type stand for.
    fn number(self, bits: u64) -> f64 {
        match self {
            Self::F64 => f64::from_bits(bits),
            Self::F16 | Self::Bf16 => {
                let stored = if self == Self::F16 { 10 } else { 7 };
                let (field, top) = ((bits & 0x7fff) >> stored, 0x7fff >> stored);
                let hidden = u64::from(field > 0) << stored;
                let significand = (bits & ((1 << stored) - 1)) | hidden;
                let exponent = field.max(1) as i32 - top as i32 / 2 - stored;
                let magnitude = match (field == top, significand == hidden) {
                    (true, true) => f64::INFINITY,
                    (true, false) => f64::NAN,
                    (false, _) => significand as f64 * 2.0_f64.powi(exponent),
                };
                if bits & 0x8000 == 0 { magnitude } else { -magnitude }
            }
            _ => f32::from_bits(bits as u32).into(),
        }
    }

    fn integer(self, value: i64) -> Value {
        Value::Bits(match self {
            Self::B16 => u64::from(value as u16),
            Self::F16 | Self::Bf16 => self.half(value as f64).expect("a small number"),
            Self::U32 | Self::S32 => u64::from(value as u32),
            Self::U64 | Self::S64 => value as u64,
            Self::F32 => u64::from((value as f32).to_bits()),
            Self::F64 => (value as f64).to_bits(),
        })
    }

    fn bytes_of(self, value: Value) -> Vec<u8> {
        let bits = match (value, self) {
            (Value::Bits(bits), _) => bits,
            (Value::AnyNan, Self::F64) => f64::NAN.to_bits(),
            (Value::AnyNan, Self::F16 | Self::Bf16) => 0x7fff,
            (Value::AnyNan, _) => u64::from(f32::NAN.to_bits()),
        };
        bits.to_le_bytes()[..self.bytes()].to_vec()
    }

    fn values_of(self, words: &[u32]) -> Vec<u64> {
        let bytes: Vec<_> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        bytes
            .chunks_exact(self.bytes())
            .map(|bytes| bytes.iter().rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte)))
            .collect()
    }

    fn is_nan(self, bits: u64) -> bool {
        match self {
            Self::F16 | Self::Bf16 | Self::F32 | Self::F64 => self.number(bits).is_nan(),
            Self::B16 | Self::U32 | Self::S32 | Self::U64 | Self::S64 => false,
        }
    }

    fn show(self, bits: u64) -> String {
        match self {
            Self::B16 | Self::U32 | Self::U64 => format!("{bits} ({bits:#x})"),
            Self::F16 | Self::Bf16 => format!("{:e} ({bits:#x})", self.number(bits)),
            Self::S32 => format!("{} ({bits:#x})", bits as i32),
            Self::S64 => format!("{} ({bits:#x})", bits as i64),
            Self::F32 => format!("{:e} ({bits:#x})", f32::from_bits(bits as u32)),
            Self::F64 => format!("{:e} ({bits:#x})", f64::from_bits(bits)),
        }
    }
}
