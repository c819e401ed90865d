//! The runtime of CUDA, as far as it changes what the device holds and runs.

use super::expression::HostPlace;
use super::interpreter::{Eval, Interpreter};
use super::memory::MemorySide;
use super::value::HostValue;
use super::{ByteState, DevicePlace, HostBuffer, HostData, HostStep, StreamOrder};
use crate::ast::{Expr, ExprKind};
use crate::types::{Qualifiers, Scalar, Type};

/// How functions begin that write nothing but what they are asked for.
const ASKS: [&str; 7] = [
    "cudaGet",
    "cudaDeviceGet",
    "cudaOccupancy",
    "cudaFuncGet",
    "cudaPointerGet",
    "cudaEvent",
    "cudaMemGetInfo",
];

/// What an H100 says of itself (CUDA C++ Programming Guide, "Compute Capabilities").
const H100: [(&str, i64); 19] = [
    ("sharedMemPerBlock", 48 << 10),
    ("sharedMemPerMultiprocessor", 228 << 10),
    ("totalConstMem", 64 << 10),
    ("totalGlobalMem", 80 << 30),
    ("regsPerBlock", 64 << 10),
    ("regsPerMultiprocessor", 64 << 10),
    ("warpSize", 32),
    ("maxThreadsPerBlock", 1024),
    ("maxThreadsPerMultiProcessor", 2048),
    ("maxBlocksPerMultiProcessor", 32),
    ("multiProcessorCount", 132),
    ("major", 9),
    ("concurrentKernels", 1),
    ("unifiedAddressing", 1),
    ("managedMemory", 1),
    ("concurrentManagedAccess", 1),
    ("cooperativeLaunch", 1),
    ("deviceOverlap", 1),
    ("canMapHostMemory", 1),
];

/// `cudaMemcpyDeviceToHost`
const DEVICE_TO_HOST: i64 = 2;

/// The most rows that are copied one by one.
const MOST_ROWS: i64 = 1 << 16;

/// Bytes to which the rows of `cudaMallocPitch` are rounded.
const PITCH: u64 = 512;

impl<'m> Interpreter<'m> {
    /// Calls a function of CUDA's; `None` if it is none.
    pub(super) fn api(&mut self, name: &str, given: &'m [Expr]) -> Eval<Option<HostValue>> {
        if name.starts_with("cublas") || name.starts_with("curand") || name.starts_with("cufft") {
            return self.library(name, given).map(Some);
        }
        if !name.starts_with("cuda") {
            return Ok(None);
        }
        let plain = name.strip_suffix("Async").unwrap_or(name);
        let done = HostValue::int(0);
        let before = (self.run.steps.len(), self.run.results.len());
        if self.moves_memory(plain, given)? {
            let stream = match plain {
                _ if plain == name => None,
                "cudaMemset" => given.get(3),
                "cudaMemcpy2D" => given.get(7),
                _ => given.get(4),
            };
            let counts = if plain == "cudaMemcpy2D" { given.get(4..6) } else { given.get(2..3) };
            self.transfers(name, (stream, counts.unwrap_or_default()), before)?;
            // It is done in the default stream, for which the host waits.
            if plain == name && name.starts_with("cudaMemcpy") {
                self.did(HostStep::Order(StreamOrder::Stream(0)));
            }
            return Ok(Some(done));
        }
        if self.orders_streams(name, given)? {
            return Ok(Some(done));
        }
        match (plain, given) {
            ("cudaGetDeviceCount", [to]) => self.give(to, HostValue::int(1))?,
            ("cudaGetDevice", [to]) => self.give(to, HostValue::int(0))?,
            ("cudaGetDeviceProperties" | "cudaGetDeviceProperties_v2", [to, _]) => {
                self.properties(to)?;
            }
            ("cudaGetErrorString" | "cudaGetErrorName", _) => {
                return Ok(Some(HostValue::Text("no error".into())));
            }
            (
                "cudaLaunchKernel" | "cudaLaunchCooperativeKernel",
                [kernel, grid, block, args, rest @ ..],
            ) => {
                let shape = [kernel, grid, block];
                self.by_function(shape, args, rest, name.contains("Cooperative"))?;
            }
            ("cudaLaunchKernelEx" | "cudaLaunchKernelExC", [config, kernel, args @ ..]) => {
                self.by_config(config, kernel, args)?;
            }
            (
                "cudaFreeHost"
                | "cudaFreeAsync"
                | "cudaSetDevice"
                | "cudaGetLastError"
                | "cudaPeekAtLastError"
                | "cudaEventDestroy"
                | "cudaStreamDestroy"
                | "cudaFuncSetAttribute"
                | "cudaFuncSetCacheConfig"
                | "cudaMemPrefetch"
                | "cudaMemAdvise"
                | "cudaDeviceSetLimit"
                | "cudaDeviceSetCacheConfig"
                | "cudaProfilerStart"
                | "cudaProfilerStop"
                | "cudaDeviceSetSharedMemConfig",
                all,
            ) => {
                for one in all {
                    self.eval(one)?;
                }
            }
            (_, all) => self.of_gpu(name, all)?,
        }
        Ok(Some(done))
    }

    /// What a device is asked for that all have alike; an H100 stands for the others in the rest.
    fn properties(&mut self, to: &'m Expr) -> Eval<()> {
        let HostValue::Pointer(at, ty) = self.eval(to)? else { return Ok(()) };
        let of = HostPlace { at, ty };
        for (name, number) in H100 {
            if let Some(place) = super::expression::member_of(&of, name) {
                self.store(place.at, &place.ty, HostValue::Int(number, Scalar::I64));
            }
        }
        let why = "the program asks for what its GPU has".to_owned();
        self.assume(format!("an H100 in line {}", self.line), why);
        Ok(())
    }

    /// A function that is not followed: where it writes, nothing is known any more.
    fn of_gpu(&mut self, name: &str, given: &'m [Expr]) -> Eval<()> {
        let is_texture = name.contains("Texture") || name.contains("Surface");
        let why = if is_texture {
            self.unknown("textures and surfaces are not simulated")
        } else {
            self.unknown(format!("what `{name}` gives depends on the GPU"))
        };
        let only_asks = ASKS.iter().any(|begun| name.starts_with(begun));
        for one in given {
            if let ExprKind::Unary('&', of) = &one.kind
                && let Some(place) = self.place(of)?
            {
                if let (false, HostValue::Object(object)) = (only_asks, self.load(&place)) {
                    for (_, at) in object.pointers() {
                        self.forget_behind(&HostValue::Pointer(at, Type::Void), &why);
                    }
                }
                let bytes = place.ty.bytes().max(1);
                self.memory.forget(place.at, bytes, why.reason().unwrap_or(0));
                continue;
            }
            let value = self.eval(one)?;
            if !only_asks {
                self.forget_behind(&value, &why);
            }
        }
        Ok(())
    }

    /// Allocates, sets and copies the device's memory; whether it is such a function.
    fn moves_memory(&mut self, name: &str, given: &'m [Expr]) -> Eval<bool> {
        match (name, given) {
            ("cudaMalloc" | "cudaMallocFromPool", [pointer, bytes, ..]) => {
                self.allocate(pointer, bytes, false)?;
            }
            ("cudaMallocManaged" | "cudaMallocHost" | "cudaHostAlloc", [pointer, bytes, ..]) => {
                self.allocate(pointer, bytes, true)?;
            }
            ("cudaMallocPitch", [pointer, pitch, width, height]) => {
                self.allocate_rows(pointer, pitch, [width, height])?;
            }
            ("cudaHostGetDevicePointer", [to, from, ..]) => {
                let value = self.eval(from)?;
                if let Some((_, place)) = self.variable_behind(to)? {
                    self.store(place.at, &place.ty, value);
                }
            }
            ("cudaMemset", [to, byte, bytes, ..]) => {
                let (to, byte, bytes) = (self.eval(to)?, self.eval(byte)?, self.eval(bytes)?);
                self.set(&to, &byte, &bytes);
            }
            ("cudaMemcpy", [to, from, bytes, rest @ ..]) => {
                let (to, from, bytes) = (self.eval(to)?, self.eval(from)?, self.eval(bytes)?);
                if !self.goes_back(&to, rest)? {
                    self.copy(&to, &from, &bytes);
                }
            }
            ("cudaMemcpy2D", [to, to_pitch, from, from_pitch, width, height, rest @ ..]) => {
                let (to, from) = (self.eval(to)?, self.eval(from)?);
                if self.goes_back(&to, rest)? {
                    return Ok(true);
                }
                let [to_pitch, from_pitch, height] = [
                    self.eval(to_pitch)?.whole(),
                    self.eval(from_pitch)?.whole(),
                    self.eval(height)?.whole(),
                ];
                let width = self.eval(width)?;
                let rows = height.filter(|height| *height <= MOST_ROWS);
                let (Some(to_pitch), Some(from_pitch), Some(rows)) = (to_pitch, from_pitch, rows)
                else {
                    let nothing = self.unknown("how much is copied");
                    self.copy(&to, &nothing, &nothing);
                    return Ok(true);
                };
                for row in 0..rows {
                    let (to, from) = (
                        moved(&to, row.wrapping_mul(to_pitch)),
                        moved(&from, row.wrapping_mul(from_pitch)),
                    );
                    self.copy(&to, &from, &width);
                }
            }
            ("cudaMemcpyToSymbol", [symbol, from, bytes, rest @ ..]) => {
                let offset = match rest.first() {
                    Some(offset) => self.eval(offset)?.whole(),
                    None => Some(0),
                };
                let from = self.eval(from)?;
                let bytes = self.eval(bytes)?.whole();
                self.run.copies = true;
                let (offset, data) = match (offset, bytes) {
                    (Some(offset), Some(bytes)) => {
                        (offset as u64, self.data(&from, bytes.max(0) as u64))
                    }
                    _ => (0, HostData::Unknown(0)),
                };
                let name = match &symbol.kind {
                    ExprKind::Name(name) => name.to_string(),
                    ExprKind::Unary('&', of) => match &of.kind {
                        ExprKind::Name(name) => name.to_string(),
                        _ => String::new(),
                    },
                    _ => String::new(),
                };
                self.did(HostStep::WriteSymbol { name, offset, data });
            }
            ("cudaMemcpyFromSymbol", [to, _, bytes, ..]) => {
                let (to, bytes) = (self.eval(to)?, self.eval(bytes)?.whole());
                self.run.copies = true;
                if let HostValue::Pointer(at, _) = to {
                    let bytes = bytes.map_or(u64::MAX, |bytes| bytes.max(0) as u64);
                    self.memory.mark(at, bytes, ByteState::OfDevice);
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    pub(super) fn give(&mut self, to: &'m Expr, value: HostValue) -> Eval<()> {
        if let HostValue::Pointer(at, ty) = self.eval(to)?
            && at != 0
        {
            self.store(at, &ty, value);
        }
        Ok(())
    }

    /// What a library computes is not followed: what it is given may have been written.
    fn library(&mut self, name: &str, given: &'m [Expr]) -> Eval<HostValue> {
        let why = self.unknown(format!("`{name}` is not followed"));
        for one in given {
            let value = self.eval(one)?;
            self.forget_behind(&value, &why);
        }
        Ok(HostValue::int(0))
    }

    fn allocate(&mut self, pointer: &'m Expr, bytes: &'m Expr, is_shared: bool) -> Eval<()> {
        let bytes = self.eval(bytes)?;
        let Some((name, place)) = self.variable_behind(pointer)? else { return Ok(()) };
        let Some(count) = bytes.whole().and_then(|bytes| u64::try_from(bytes).ok()) else {
            let reason = bytes.reason().unwrap_or(0);
            self.memory.forget(place.at, 8, reason);
            return Ok(());
        };
        self.allocated(&name, &place, count, is_shared);
        Ok(())
    }

    fn allocated(&mut self, name: &str, place: &HostPlace, bytes: u64, is_shared: bool) {
        let of = match &place.ty {
            Type::Pointer(pointer) => pointer.to.clone(),
            _ => Type::Void,
        };
        let number = self.run.buffers.len();
        let side = if is_shared { MemorySide::Both(number) } else { MemorySide::Device(number) };
        let at = self.memory.add(side, bytes);
        let (name, line) = (name.to_owned(), self.line);
        self.run.buffers.push(HostBuffer { name, bytes, of: of.to_string(), line });
        self.memory.store(place.at, &at.to_le_bytes(), &[ByteState::Known; 8]);
    }

    fn allocate_rows(
        &mut self,
        pointer: &'m Expr,
        pitch: &'m Expr,
        [width, height]: [&'m Expr; 2],
    ) -> Eval<()> {
        let (width, height) = (self.eval(width)?.whole(), self.eval(height)?.whole());
        let Some((name, place)) = self.variable_behind(pointer)? else { return Ok(()) };
        let (Some(width), Some(height)) = (width, height) else {
            self.memory.forget(place.at, 8, 0);
            return Ok(());
        };
        let row = (width.max(0) as u64).next_multiple_of(PITCH);
        self.give(pitch, HostValue::Int(row as i64, Scalar::U64))?;
        self.allocated(&name, &place, row.saturating_mul(height.max(0) as u64), false);
        Ok(())
    }

    fn set(&mut self, to: &HostValue, byte: &HostValue, bytes: &HostValue) {
        let HostValue::Pointer(at, _) = to else { return self.forget_device() };
        let data = match (byte.whole(), bytes.whole()) {
            (Some(byte), Some(bytes)) => HostData::Same(byte as u8, bytes.max(0) as u64),
            (None, Some(bytes)) => HostData::Unknown(bytes.max(0) as u64),
            (_, None) => HostData::Unknown(self.rest(*at)),
        };
        let line = self.line;
        if self.is_seen(*at) {
            match data {
                HostData::Same(byte, bytes) => {
                    let filled = vec![byte; bytes.min(self.rest(*at)) as usize];
                    self.memory.store(*at, &filled, &vec![ByteState::Known; filled.len()]);
                }
                _ => self.memory.forget_all(*at, bytes.reason().unwrap_or(0)),
            }
        }
        if let Some(to) = self.device_place(*at) {
            self.did(HostStep::Write { to, data, line });
        }
    }

    /// The bytes from an address to the end of what was allocated.
    fn rest(&self, at: u64) -> u64 {
        let offset = self.memory.span(at, 0).map_or(0, |span| span.offset);
        self.memory.region(at).map_or(0, |region| region.bytes.saturating_sub(offset))
    }

    /// Something was written to the device, and nobody knows where.
    fn forget_device(&mut self) {
        let line = self.line;
        for buffer in 0..self.run.buffers.len() {
            let (to, bytes) = (DevicePlace { buffer, offset: 0 }, self.run.buffers[buffer].bytes);
            self.did(HostStep::Write { to, data: HostData::Unknown(bytes), line });
        }
    }

    /// Whether the host sees what is there.
    fn is_seen(&self, at: u64) -> bool {
        self.memory.region(at).is_some_and(|region| !matches!(region.side, MemorySide::Device(_)))
    }

    /// Bytes of the host at a pointer.
    fn data(&self, from: &HostValue, bytes: u64) -> HostData {
        let found = match from {
            HostValue::Pointer(at, _) => self.memory.load(*at, bytes),
            _ => None,
        };
        found.map_or(HostData::Unknown(bytes), |(data, states)| {
            HostData::Bytes(data.into(), states.into())
        })
    }

    /// Whether something is copied to the host, where nobody knows to: that leaves the device as it is.
    fn goes_back(&mut self, to: &HostValue, kind: &'m [Expr]) -> Eval<bool> {
        let kind = kind.first().map(|kind| self.eval(kind)).transpose()?;
        let to_host = kind.and_then(|kind| kind.whole()) == Some(DEVICE_TO_HOST);
        Ok(to_host && !matches!(to, HostValue::Pointer(..)))
    }

    fn copy(&mut self, to: &HostValue, from: &HostValue, bytes: &HostValue) {
        let HostValue::Pointer(to, _) = to else { return self.forget_device() };
        let nobody = HostValue::Nothing;
        // Of an unknown count anything up to the end may be written.
        let (from, bytes) = match bytes.whole() {
            Some(bytes) => (from, bytes.max(0) as u64),
            None => (&nobody, self.rest(*to)),
        };
        let (target, line) = (self.device_place(*to), self.line);
        let source = match from {
            HostValue::Pointer(at, _) => self.device_place(*at),
            _ => None,
        };
        let to_host = self.is_seen(*to) && target.is_none();
        match (source, target) {
            (Some(from), Some(target)) => {
                // What the host has written into memory that both see comes first.
                self.flush();
                self.did(HostStep::Copy { from, to: target, bytes });
                self.memory.mark(*to, bytes, ByteState::OfDevice);
            }
            (None, Some(to)) => {
                self.run.copies = true;
                let data = self.data(from, bytes);
                self.did(HostStep::Write { to, data, line });
            }
            (Some(from), None) if to_host => {
                self.run.copies = true;
                self.copied.push(((*to, bytes), from));
                self.run.results.push(from);
                self.memory.mark(*to, bytes, ByteState::OfDevice);
            }
            (None, None) => {
                if let HostValue::Pointer(from, _) = from {
                    self.move_bytes(*to, *from, bytes);
                } else {
                    self.memory.forget(*to, bytes, 0);
                }
            }
            _ => {}
        }
    }

    fn by_function(
        &mut self,
        [kernel, grid, block]: [&'m Expr; 3],
        args: &'m Expr,
        rest: &'m [Expr],
        is_cooperative: bool,
    ) -> Eval<()> {
        let kernel = self.eval(kernel)?;
        let (grid, block) = (self.eval(grid)?, self.eval(block)?);
        let args = self.eval(args)?;
        let mut more = Vec::new();
        for one in rest {
            more.push(self.eval(one)?);
        }
        let mut more = more.into_iter().chain(std::iter::repeat(HostValue::Int(0, Scalar::U64)));
        let (shared, stream) =
            (more.next().unwrap_or(HostValue::Nothing), more.next().unwrap_or(HostValue::Nothing));
        let values = match (&kernel, args) {
            (HostValue::Function(name, _), HostValue::Pointer(at, _)) => self.pointed(name, at),
            _ => Vec::new(),
        };
        self.launch(&kernel, [grid, block, shared, stream], values, &[]);
        if let Some(HostStep::Launch(launch)) = self.run.steps.last_mut() {
            launch.is_cooperative = is_cooperative;
        }
        Ok(())
    }

    /// The values to which an array of pointers points, one for each parameter.
    fn pointed(&mut self, kernel: &str, at: u64) -> Vec<HostValue> {
        let module = self.module;
        let head = module.kernels.iter().find(|one| &*one.name == kernel);
        let parameters = head.map_or(&[][..], |head| &head.parameters);
        let pointer = Type::Void.pointer(None, Qualifiers::default());
        let mut values = Vec::new();
        for (place, parameter) in (0..).zip(parameters) {
            let value = self.load(&HostPlace { at: at + 8 * place, ty: pointer.clone() });
            values.push(match value {
                HostValue::Pointer(at, _) if at != 0 => {
                    let ty = self.resolved(&parameter.ty);
                    self.load(&HostPlace { at, ty })
                }
                other => other,
            });
        }
        values
    }

    fn by_config(&mut self, config: &'m Expr, kernel: &'m Expr, args: &'m [Expr]) -> Eval<()> {
        let place = match self.eval(config)? {
            HostValue::Pointer(at, ty) => Some(HostPlace { at, ty }),
            _ => self.place(config)?,
        };
        let kernel = self.eval(kernel)?;
        let mut values = Vec::new();
        for one in args {
            values.push(self.eval(one)?);
        }
        let Some(place) = place else { return Ok(()) };
        let member = |this: &mut Self, name: &str| {
            let found = super::expression::member_of(&place, name);
            found.map_or(HostValue::Nothing, |found| this.load(&found))
        };
        let shape = ["gridDim", "blockDim", "dynamicSmemBytes", "stream"];
        let [grid, block, shared, stream] = shape.map(|name| member(self, name));
        let zero = || HostValue::Int(0, Scalar::U64);
        let shared = if shared.reason().is_some() { zero() } else { shared };
        let stream = if stream.reason().is_some() { zero() } else { stream };
        let (attributes, count) = (member(self, "attrs"), member(self, "numAttrs"));
        self.launch(&kernel, [grid, block, shared, stream], values, args);
        let (HostValue::Pointer(at, ty), Some(count)) = (attributes, count.whole()) else {
            return Ok(());
        };
        for number in 0..count.clamp(0, 8) as u64 {
            let of = HostPlace { at: at + number * ty.bytes(), ty: ty.clone() };
            let part = |this: &mut Self, path: &[&str]| {
                let found = path
                    .iter()
                    .try_fold(of.clone(), |of, name| super::expression::member_of(&of, name));
                found.and_then(|found| this.load(&found).whole())
            };
            let cluster = ["x", "y", "z"].map(|side| part(self, &["val", "clusterDim", side]));
            let id = part(self, &["id"]);
            let is_cooperative = id == Some(2) && part(self, &["val", "cooperative"]) == Some(1);
            if let Some(HostStep::Launch(launch)) = self.run.steps.last_mut() {
                launch.is_cooperative |= is_cooperative;
                if let (Some(4), [Some(x), Some(y), Some(z)]) = (id, cluster) {
                    launch.cluster = Some([x as u32, y as u32, z as u32]);
                }
            }
        }
        Ok(())
    }
}

/// A pointer so many bytes further.
fn moved(pointer: &HostValue, by: i64) -> HostValue {
    match pointer {
        HostValue::Pointer(at, ty) => HostValue::Pointer(at.wrapping_add_signed(by), ty.clone()),
        other => other.clone(),
    }
}
