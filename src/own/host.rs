//! The launches of the host's program as problems: with its numbers, its buffers and what they hold.

use super::called::launches;
use super::device::{HeldMemory, element_type};
use super::missing::OpenError;
use crate::kernel::{
    Arg, Batch, Buffer, Called, Goal, HostArguments, LaunchSpec, Problem, SizeName, names_product,
};
use crate::launch::Dim3;
use crate::matrix::{ElementType, Operand, Size};
use cudac::{DeviceLaunch, DevicePlace, HostArgument, HostRun};
use ptx::Module;

/// Whether the program is followed to its end, and all that it launches is known.
pub(super) fn is_known(run: &HostRun) -> bool {
    run.stopped.is_none() && launches(run).all(is_launch_known)
}

fn is_launch_known(launch: &DeviceLaunch) -> bool {
    let DeviceLaunch { grid, block, shared, args, .. } = launch;
    let is_number =
        |one: &HostArgument| !matches!(one, HostArgument::Unknown(_) | HostArgument::TensorMap(_));
    grid.is_ok() && block.is_ok() && shared.is_ok() && args.iter().all(is_number)
}

/// A launch of the host's program.
pub(super) struct KnownCall<'h> {
    pub run: &'h HostRun,
    pub launch: &'h DeviceLaunch,
    /// What the device holds before it.
    pub device: &'h HeldMemory,
}

impl KnownCall<'_> {
    /// Whether all of it is known.
    pub(super) fn is_known(&self) -> bool {
        is_launch_known(self.launch)
    }

    /// The buffers that it is given, each with the name of its first parameter.
    pub(super) fn buffers(&self) -> Vec<(String, usize)> {
        let mut all: Vec<(String, usize)> = Vec::new();
        let mut see = |place: &DevicePlace, name: &str| {
            if all.iter().any(|(_, number)| *number == place.buffer) {
                return;
            }
            let mut name = name.to_owned();
            while all.iter().any(|(own, _)| *own == name) {
                name.push('_');
            }
            all.push((name, place.buffer));
        };
        for (place, argument) in self.launch.args.iter().enumerate() {
            let own = self.launch.parameters.get(place).filter(|name| !name.is_empty());
            match argument {
                HostArgument::Buffer(at) => {
                    let buffer = self.run.buffers.get(at.buffer);
                    let buffer = buffer.map_or("buffer", |buffer| &*buffer.name);
                    see(at, own.map_or(buffer, |own| own));
                }
                HostArgument::Bytes(_, pointers) => {
                    for (_, at) in pointers {
                        let buffer = self.run.buffers.get(at.buffer);
                        see(at, buffer.map_or("buffer", |buffer| &buffer.name));
                    }
                }
                _ => {}
            }
        }
        all
    }

    /// The arguments, with buffers of their own.
    fn arguments(&self) -> HostArguments {
        let all = self.buffers();
        let number = |of: usize| all.iter().position(|(_, number)| *number == of).unwrap_or(0);
        let pointer = |place: &DevicePlace| match place.offset {
            0 => Arg::Buffer(number(place.buffer)),
            offset => Arg::Inside { buffer: number(place.buffer), offset },
        };
        let buffers: Vec<_> = all.iter().map(|(name, of)| self.buffer(name, *of)).collect();
        let mut said = vec![false; buffers.len()];
        let mut words = Vec::new();
        let mut word = |place: &DevicePlace| {
            let at = number(place.buffer);
            let Some(Buffer { name, of, count, .. }) = buffers.get(at) else {
                return String::new();
            };
            if std::mem::replace(&mut said[at], true) {
                name.clone()
            } else {
                format!("{name}:{of}[{count}]")
            }
        };
        let mut args = Vec::new();
        for (place, argument) in self.launch.args.iter().enumerate() {
            let (arg, text) = match argument {
                HostArgument::Buffer(place) => (pointer(place), word(place)),
                HostArgument::Number { bits, bytes, shown } => {
                    let name = self.launch.parameters.get(place).filter(|name| !name.is_empty());
                    let named = name.map_or_else(String::new, |name| format!("{name}="));
                    (Arg::Value { bits: *bits, bytes: *bytes }, named + shown)
                }
                HostArgument::NoDevice { .. }
                | HostArgument::TensorMap(_)
                | HostArgument::Unknown(_) => (Arg::Value { bits: 0, bytes: 8 }, "0".to_owned()),
                HostArgument::Bytes(bytes, pointers) => {
                    let text: Vec<_> = pointers.iter().map(|(_, place)| word(place)).collect();
                    (structure(bytes, pointers, &pointer), format!("{{{}}}", text.join(",")))
                }
            };
            args.push(arg);
            words.push(text);
        }
        HostArguments { words: words.join(","), args, buffers }
    }

    fn buffer(&self, name: &str, number: usize) -> Buffer {
        let host = &self.run.buffers[number];
        let of =
            element_type(&host.of).filter(|of| host.bytes.is_multiple_of(u64::from(of.bytes())));
        let of = of.unwrap_or(ElementType::U8);
        let count = (host.bytes / u64::from(of.bytes())).max(1);
        Buffer { name: name.to_owned(), of, count, contents: self.device.contents(number) }
    }

    /// The launch as it is, with nothing inferred.
    pub(super) fn problem(
        &self,
        spec: LaunchSpec,
        module: &Module,
        ptx: &str,
    ) -> Result<Problem, OpenError> {
        Ok(spec.as_the_host(module, ptx.to_owned(), self.arguments())?)
    }

    /// Three buffers apart from one another, from their first byte on, if it is given no others.
    fn three(&self) -> Option<[usize; 3]> {
        let mut places = self.launch.args.iter().flat_map(|one| match one {
            HostArgument::Buffer(place) => vec![place],
            HostArgument::Bytes(_, pointers) => pointers.iter().map(|(_, place)| place).collect(),
            _ => Vec::new(),
        });
        let three = [places.next()?, places.next()?, places.next()?];
        let [a, b, c] = three.map(|place| place.buffer);
        let is_whole = places.next().is_none() && three.iter().all(|place| place.offset == 0);
        (is_whole && a != b && b != c && a != c).then_some([a, b, c])
    }

    /// The launch as one product of this size, with these arguments, or by the names and types of the
    /// parameters alone.
    fn guessed(
        &self,
        spec: &LaunchSpec,
        (module, ptx): (&Module, &str),
        size: Size,
        args: Option<String>,
    ) -> Option<Problem> {
        let called = Called { words: self.factors(), bytes: Vec::new() };
        let spec = LaunchSpec { args, called, ..spec.clone() };
        let made = spec.problem(module, ptx.to_owned(), size).ok()?;
        (made.goal == Goal::Product && made.buffers.is_empty()).then_some(made)
    }

    /// The buffer that stands for a matrix, and its elements.
    fn matrix(&self, product: &Problem, operand: Operand) -> Option<(usize, u64)> {
        let is_it = |arg: &Arg| *arg == Arg::matrix(operand);
        let at = product.args.iter().zip(&self.launch.args).find_map(|both| match both {
            (arg, HostArgument::Buffer(at)) => is_it(arg).then_some(at),
            (Arg::Members { members, .. }, HostArgument::Bytes(_, pointers)) => {
                let (offset, _) = members.iter().find(|(_, member)| is_it(member))?;
                pointers.iter().find(|(own, _)| own == offset).map(|(_, at)| at)
            }
            _ => None,
        })?;
        let bytes = self.run.buffers.get(at.buffer)?.bytes;
        let each = u64::from(product.element_type(operand).bytes());
        (bytes % each == 0).then_some((at.buffer, bytes / each))
    }

    /// Whether a product has the numbers that the host passes, and its matrices are written.
    fn agrees(&self, product: &Problem, [a, b, c]: [usize; 3]) -> bool {
        let is_same = |(arg, own): (&Arg, &HostArgument)| match (arg, own) {
            (Arg::Buffer(_), HostArgument::Buffer(_)) => true,
            (Arg::Value { bits, .. }, HostArgument::Number { bits: own, .. }) => bits == own,
            (Arg::Members { members, .. }, HostArgument::Bytes(own, _)) => {
                members.iter().all(|(offset, member)| match member {
                    Arg::Value { bits, bytes } => {
                        let (bits, bytes) = (bits.to_le_bytes(), usize::from(*bytes));
                        own.get(*offset as usize..)
                            .is_some_and(|own| own.starts_with(&bits[..bytes]))
                    }
                    member => matches!(member, Arg::Buffer(_)),
                })
            }
            _ => false,
        };
        let is_filled = |number| self.device.is_filled(number);
        product.args.len() == self.launch.args.len()
            && product.args.iter().zip(&self.launch.args).all(is_same)
            && is_filled(a)
            && is_filled(b)
            && (!product.gemm.reads_c() || is_filled(c))
            && (names_product(product.name()) || self.has_names() || has_three_sides(product.size))
    }

    /// The launch as a product of matrices, if names, lengths and numbers of the host all agree.
    pub(super) fn product(&self, spec: &LaunchSpec, code: (&Module, &str)) -> Option<Problem> {
        self.three()?;
        let first = self.guessed(spec, code, Size::square(64), None)?;
        let [a, b, c] = Operand::ALL.map(|operand| self.matrix(&first, operand));
        let (a, b, c) = (a?, b?, c?);
        let problem = self.guessed(spec, code, sides(a.1, b.1, c.1)?, None)?;
        let otherwise = Some(self.arguments().words);
        let agrees = self.agrees(&problem, [a.0, b.0, c.0]);
        agrees.then_some(Problem { otherwise, ..problem })
    }

    /// The products of a launch with one for each z of its grid, on the same evidence.
    pub(super) fn batch(&self, spec: &LaunchSpec, code: (&Module, &str)) -> Option<Batch> {
        self.three()?;
        let count = spec.grid.map(|grid| grid.z).filter(|count| *count > 1)?;
        let first = self.guessed(spec, code, Size::square(64), None)?;
        let number = |name: &str| {
            let place = first.words.split(',').position(|word| word == name)?;
            match self.launch.args.get(place)? {
                HostArgument::Number { shown, .. } => shown.parse::<u32>().ok(),
                _ => None,
            }
        };
        let n = number("N")?;
        let size = Size { m: number("M").unwrap_or(n), n, k: number("K").unwrap_or(n) };
        let product = self.guessed(spec, code, size, Some(self.with_strides(&first.words)))?;
        let (mut numbers, mut strides) = ([0; 3], [0; 3]);
        let all = Operand::ALL.into_iter().zip(numbers.iter_mut().zip(&mut strides));
        for (operand, (number, stride)) in all {
            let (buffer, elements) = self.matrix(&product, operand)?;
            let (rows, columns) = size.shape(operand);
            let each = u64::from(rows) * u64::from(columns);
            *stride = elements / u64::from(count);
            // What is between two matrices must be said by a number of the launch.
            let is_said = *stride == each || *stride > each && self.passes(*stride);
            if elements % u64::from(count) != 0 || !is_said || product.gemm.reads_c() {
                return None;
            }
            *number = buffer;
        }
        if !self.agrees(&product, numbers) {
            return None;
        }
        let all = self.buffers();
        let place = |of: usize| all.iter().position(|(_, number)| *number == of);
        let [Some(a), Some(b), Some(c)] = numbers.map(place) else { return None };
        Some(Batch { count, size, buffers: [a, b, c], strides })
    }

    /// These arguments with what the host passes as `strideA`: in a batch that is no length of a row, but
    /// how far one matrix lies from the next.
    fn with_strides(&self, words: &str) -> String {
        let passed = |(place, word): (usize, &str)| match self.launch.args.get(place) {
            Some(HostArgument::Number { shown, .. }) if word.starts_with("ld") => shown.clone(),
            _ => word.to_owned(),
        };
        words.split(',').enumerate().map(passed).collect::<Vec<_>>().join(",")
    }

    /// Whether one of the numbers is this one.
    fn passes(&self, number: u64) -> bool {
        let is_it = |one: &HostArgument| matches!(one, HostArgument::Number { bits, .. } if *bits == number);
        self.launch.args.iter().any(is_it)
    }

    /// Whether the parameters are called like matrices.
    fn has_names(&self) -> bool {
        let named =
            self.launch.parameters.iter().filter_map(|name| crate::kernel::operand_of(name));
        named.count() == Operand::ALL.len()
    }

    /// Alpha and beta among the numbers, as words; all of them, if some are from one matrix of a batch to
    /// the next.
    fn factors(&self) -> Vec<Option<String>> {
        let names: Vec<_> = self.launch.parameters.iter().map(|name| name.to_lowercase()).collect();
        let is_batch = names.iter().any(|name| name.contains("stride"));
        let factor = |(place, one): (usize, &HostArgument)| {
            let HostArgument::Number { shown, .. } = one else { return None };
            let name = names.get(place)?;
            match (&**name, SizeName::of(&self.launch.parameters[place])) {
                ("alpha" | "beta", _) => Some(format!("{name}={shown}")),
                (_, Some(side)) if is_batch => Some(side.word().to_owned()),
                _ => is_batch.then(|| shown.clone()),
            }
        };
        self.launch.args.iter().enumerate().map(factor).collect()
    }
}

/// Whether the sides all differ, so that lengths that agree do so by no chance.
const fn has_three_sides(Size { m, n, k }: Size) -> bool {
    m != n && n != k && m != k
}

/// The sides of matrices with so many elements; `None` if there are none.
fn sides(a: u64, b: u64, c: u64) -> Option<Size> {
    let side = |one: u64, two: u64, other: u64| {
        let square = u128::from(one) * u128::from(two);
        let square = (square % u128::from(other) == 0).then(|| square / u128::from(other))?;
        let root = square.isqrt();
        (root * root == square).then(|| u32::try_from(root).ok()).flatten()
    };
    if a == 0 || b == 0 || c == 0 {
        return None;
    }
    Some(Size { m: side(a, c, b)?, n: side(b, c, a)?, k: side(a, b, c)? })
}

/// A structure by its words of 4 bytes, with the pointers in it.
fn structure(
    bytes: &[u8],
    pointers: &[(u32, DevicePlace)],
    pointer: &dyn Fn(&DevicePlace) -> Arg,
) -> Arg {
    let mut members: Vec<(u32, Arg)> = Vec::new();
    let is_of_pointer =
        |at: u32| pointers.iter().any(|(start, _)| (*start..*start + 8).contains(&at));
    for (at, byte) in (0..).zip(bytes) {
        if !is_of_pointer(at) && *byte != 0 {
            members.push((at, Arg::Value { bits: u64::from(*byte), bytes: 1 }));
        }
    }
    members.extend(pointers.iter().map(|(at, place)| (*at, pointer(place))));
    Arg::Members { bytes: bytes.len() as u32, members }
}

/// The shape of a grid or a block.
pub(super) const fn shape([x, y, z]: [u32; 3]) -> Dim3 {
    Dim3::new(x, y, z)
}
