//! The kernel's own arrays, in shared and local memory and of the module, as the source has them.

use super::names::Names;
use super::sources::RegisterWriters;
use crate::analysis::check::Participant;
use crate::report::number::grouped;
use crate::sim::{Inst, NearestBuffer, RowInit};
use ptx::{MemoryOp, Op, Space, Use};

/// An array and what is known of its shape.
pub(super) struct OwnArray {
    pub(super) name: String,
    pub(super) space: Space,
    /// The bytes of an element.
    each: u32,
    /// The number of elements.
    count: u64,
    /// The elements of a row, if it has rows.
    columns: Option<u32>,
    /// The offset of its first byte in its memory.
    begins: u32,
}

impl Names<'_> {
    /// The intended array of an access: the one its address was computed from, or else the nearest.
    pub(super) fn own_array(
        &self,
        side: &Participant,
        near: Option<&NearestBuffer>,
    ) -> Option<OwnArray> {
        let inst = self.program.inst(side.pc);
        match self.base(inst) {
            Some(RowInit::Shared(offset)) => self.shared_array(offset, inst),
            Some(RowInit::Local(offset)) => self.local_array(|at, _| at == offset, inst),
            _ if inst.op.space() == Some(Space::Local) => {
                self.local_array(|_, name| near.is_some_and(|near| near.buffer == name), inst)
            }
            _ if inst.op.space() == Some(Space::Shared) => None,
            _ => self.module_array(&near?.buffer, inst),
        }
    }

    /// The address with which the address of an access begins.
    fn base(&self, inst: &Inst) -> Option<RowInit> {
        let mut operands = inst.op.operands().into_iter();
        let (address, ..) = operands.find(|(.., how)| *how == Use::Address)?;
        RegisterWriters::new(self.program).array(address)
    }

    fn shared_array(&self, offset: u32, inst: &Inst) -> Option<OwnArray> {
        let mut arrays = self.program.shared.iter();
        let array = arrays.find(|array| array.offset == offset && array.bytes > 0)?;
        let declared = array.of.map(|of| u32::from(of.bytes()));
        let known = array.element_bytes().filter(|_| !array.extents.is_empty());
        let each = known.or(declared).unwrap_or_else(|| width(inst));
        Some(OwnArray {
            name: array.name.clone(),
            space: Space::Shared,
            each,
            count: (array.bytes / each).into(),
            columns: array.columns(),
            begins: offset,
        })
    }

    fn local_array(&self, is: impl Fn(u32, &str) -> bool, inst: &Inst) -> Option<OwnArray> {
        let mut variables = self.program.frames.iter().flat_map(|frame| &frame.variables);
        let found = variables.find(|variable| is(variable.offset, &variable.name))?;
        // NVRTC and clang keep all of them in one.
        if found.name.starts_with("__local_depot") {
            return None;
        }
        let (bytes, begins) = (found.bytes, found.offset);
        Some(OwnArray { begins, ..self.of_shape(&found.name, Space::Local, bytes, inst) })
    }

    fn module_array(&self, name: &str, inst: &Inst) -> Option<OwnArray> {
        let found = self.program.variables.iter().find(|variable| variable.name == name)?;
        let bytes = u32::try_from(found.bytes).ok()?;
        Some(self.of_shape(name, Space::Const, bytes, inst))
    }

    /// An array of this many bytes, whose shape is as the source declares it.
    fn of_shape(&self, name: &str, space: Space, bytes: u32, inst: &Inst) -> OwnArray {
        let shape = self.problem.declared_shape(name, bytes).unwrap_or_default();
        let all: u32 = shape.iter().product();
        let known = bytes.checked_div(all).filter(|each| *each > 0 && !shape.is_empty());
        let each = known.unwrap_or_else(|| width(inst));
        let columns = if let [_, columns] = shape[..] { Some(columns) } else { None };
        let count = (bytes / each).into();
        OwnArray { name: name.to_owned(), space, each, count, columns, begins: 0 }
    }
}

impl OwnArray {
    /// The element at an offset in the array, and how many there are: `s[64] would be (64 elements)`.
    pub(super) fn would_be(&self, offset: i64) -> String {
        let (name, index) = (&self.name, offset.div_euclid(self.each.into()));
        match self.columns.filter(|columns| *columns > 0).map(i64::from) {
            Some(columns) => {
                let (row, column) = (index.div_euclid(columns), index.rem_euclid(columns));
                let rows = self.count / columns.unsigned_abs();
                format!("{name}[{row}][{column}] would be ({rows} rows of {columns})")
            }
            None => format!("{name}[{index}] would be ({})", self.elements()),
        }
    }

    pub(super) fn elements(&self) -> String {
        format!("{} element{}", grouped(self.count), if self.count == 1 { "" } else { "s" })
    }

    /// The offset of a byte of its memory, or of the buffer to which it is near.
    pub(super) fn offset(&self, near: &NearestBuffer) -> i64 {
        match self.space {
            Space::Shared => near.offset - i64::from(self.begins),
            _ => near.offset,
        }
    }

    /// How to align it to this many bytes, if it is not.
    pub(super) fn aligned(&self, to: u32) -> Option<String> {
        let memory = if self.space == Space::Shared { "shared" } else { "local" };
        let (name, begins) = (&self.name, self.begins);
        (self.space != Space::Const && !begins.is_multiple_of(to)).then(|| {
            format!(
                "`{name}` begins at byte {begins} of {memory} memory, which is no multiple of {to}: \
                 declare it with __align__({to})."
            )
        })
    }
}

/// The bytes of what an instruction loads into a register, or stores from one.
fn width(inst: &Inst) -> u32 {
    match &inst.op {
        Op::Memory(
            MemoryOp::Ld { ty, .. } | MemoryOp::St { ty, .. } | MemoryOp::Atom { ty, .. },
        ) => ty.bytes().max(1),
        _ => 4,
    }
}
