//! Random programs on `%ctaid`: a value inferred for all blocks must be correct.

use super::{Run, program};
use matviz::launch::{Dim3, Launch};
use matviz::matrix::Size;
use proptest::prelude::*;

/// Instruction templates with placeholders: W a 32-bit register, O a 32-bit register or a number, D
/// a 64-bit register, N a number of bits, P a predicate.
const PLAIN: &[&str] = &[
    "mov.u32 W, O",
    "add.s32 W, O, O",
    "sub.s32 W, O, O",
    "mul.lo.s32 W, W, O",
    "mul.hi.u32 W, W, O",
    "mad.lo.s32 W, O, O, O",
    "min.s32 W, O, O",
    "max.s32 W, O, O",
    "min.u32 W, O, O",
    "div.s32 W, W, O",
    "div.u32 W, W, O",
    "rem.s32 W, W, O",
    "rem.u32 W, W, O",
    "and.b32 W, W, O",
    "or.b32 W, W, O",
    "xor.b32 W, W, O",
    "not.b32 W, W",
    "neg.s32 W, W",
    "abs.s32 W, W",
    "shl.b32 W, W, N",
    "shr.u32 W, W, N",
    "shr.s32 W, W, N",
    "bfe.u32 W, W, N, N",
    "popc.b32 W, W",
    "selp.b32 W, O, O, P",
    "setp.lt.s32 P, W, O",
    "setp.ge.u32 P, W, O",
    "setp.gt.s32 P|P, W, O",
    "setp.le.u32 P, W, O",
    "setp.eq.s32 P, W, O",
    "setp.ne.u32 P, W, O",
    "and.pred P, P, P",
    "mul.wide.s32 D, W, O",
    "mul.wide.u32 D, W, O",
    "mad.wide.s32 D, W, O, D",
    "mad.wide.u32 D, W, O, D",
    "cvt.s64.s32 D, W",
    "cvt.u64.u32 D, W",
    "cvt.u32.u64 W, D",
    "cvt.s32.s64 W, D",
    "cvt.s64.s32 D, D",
    "cvt.u32.u16 W, W",
    "cvt.s32.s8 W, W",
    "cvt.rn.f32.s32 %f, W; cvt.rzi.s32.f32 W, %f",
    "mov.b64 D, {W, W}",
    "add.s64 D, D, D",
    "sub.s64 D, D, D",
    "mul.lo.s64 D, D, D",
    "max.s64 D, D, D",
    "shl.b64 D, D, N",
    "shr.s64 D, D, N",
    "setp.lt.s64 P, D, D",
    "setp.gt.u64 P, D, D",
    // Between the lanes that execute this together.
    "activemask.b32 %at; shfl.sync.idx.b32 W, W, O, 31, %at",
    "activemask.b32 %at; shfl.sync.up.b32 W|P, W, N, 0, %at",
    "activemask.b32 %at; shfl.sync.down.b32 W, O, N, 31, %at",
    "activemask.b32 %at; shfl.sync.bfly.b32 W|P, W, O, 31, %at",
    "activemask.b32 %at; vote.sync.ballot.b32 W, P, %at",
    "activemask.b32 %at; vote.sync.all.pred P, P, %at",
    "activemask.b32 %at; match.any.sync.b32 W, W, %at",
    "activemask.b32 %at; redux.sync.add.s32 W, W, %at",
    "activemask.b32 %at; redux.sync.min.u32 W, W, %at",
    "activemask.b32 %at; bar.warp.sync %at",
    "bfi.b32 W, W, W, N, N",
    "prmt.b32 W, W, W, O",
    "lop3.b32 W, W, W, W, 0x96",
    "add.cc.u32 W, W, O; addc.u32 W, W, O",
];

/// Instructions that affect the counts.
const SEEN: &[&str] = &[
    "setp.lt.s32 %q, W, O; @%q fma.rn.f32 %f, %f, %f, %f",
    "setp.gt.u32 %q, W, O; @%q fma.rn.f32 %f, %f, %f, %f",
    "setp.eq.s32 %q, W, O; @%q fma.rn.f32 %f, %f, %f, %f",
    "setp.lt.s64 %q, D, D; @%q fma.rn.f32 %f, %f, %f, %f",
    "mul.wide.s32 %far, W, O; setp.lt.s64 %q, %far, D; @%q fma.rn.f32 %f, %f, %f, %f",
    "mul.wide.u32 %far, W, O; setp.lt.s64 %q, %far, D; @%q fma.rn.f32 %f, %f, %f, %f",
    "cvt.s64.s32 %far, W; setp.lt.s64 %q, %far, D; @%q fma.rn.f32 %f, %f, %f, %f",
    "cvt.u64.u32 %far, W; setp.lt.s64 %q, %far, D; @%q fma.rn.f32 %f, %f, %f, %f",
    "shr.s32 %at, W, N; setp.lt.s32 %q, %at, O; @%q fma.rn.f32 %f, %f, %f, %f",
    "shr.u32 %at, W, N; setp.gt.s32 %q, %at, O; @%q fma.rn.f32 %f, %f, %f, %f",
    "@P fma.rn.f32 %f, %f, %f, %f",
    "@!P fma.rn.f32 %f, %f, %f, %f",
    // Anywhere in the 4,096 bytes of B or of shared memory.
    "and.b32 %at, W, 0xffc; cvt.u64.u32 %far, %at; add.s64 %far, %far, %b; \
     ld.global.f32 %f, [%far]",
    "shl.b64 %far, D, 2; and.b64 %far, %far, 0xffc; add.s64 %far, %far, %b; \
     @P ld.global.f32 %f, [%far]",
    "and.b32 %at, W, 0xff0; mov.u32 %near, smem; add.s32 %near, %near, %at; \
     @!P st.shared.v2.f32 [%near], {%f, %f}",
    "and.b32 %at, W, 0xffc; cvt.u64.u32 %far, %at; add.s64 %far, %far, %b; \
     @P red.global.add.u32 [%far], W",
    "and.b32 %at, W, 0xffc; cvt.u64.u32 %far, %at; add.s64 %far, %far, %b; \
     atom.global.exch.b32 %near, [%far], W",
    "and.b32 %at, W, 0xffc; mov.u32 %near, smem; add.s32 %near, %near, %at; \
     atom.shared.add.u32 %at, [%near], W",
    // Copies from there to here.
    "and.b32 %at, W, 0xff0; cvt.u64.u32 %far, %at; add.s64 %far, %far, %b; \
     and.b32 %at, W, 0xff0; mov.u32 %near, smem; add.s32 %near, %near, %at; \
     cp.async.cg.shared.global [%near], [%far], 16; cp.async.wait_all",
    "and.b32 %at, W, 0xffc; cvt.u64.u32 %far, %at; add.s64 %far, %far, %b; \
     and.b32 %at, W, 0xffc; mov.u32 %near, smem; add.s32 %near, %near, %at; \
     @P cp.async.ca.shared.global [%near], [%far], 4; cp.async.wait_all",
    // Matrices, which only a whole warp can load and multiply.
    "and.b32 %at, W, 0xff0; mov.u32 %near, smem; add.s32 %near, %near, %at; \
     ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%m0, %m1, %m2, %m3}, [%near]",
    "and.b32 %at, W, 0xff0; mov.u32 %near, smem; add.s32 %near, %near, %at; \
     stmatrix.sync.aligned.m8n8.x2.shared.b16 [%near], {%m0, %m1}",
    "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%g0, %g1, %g2, %g3}, {%m0, %m1}, {%m2}, \
     {%g0, %g1, %g2, %g3}",
    // A few iterations of a loop, which lanes leave one after the other.
    "and.b32 %at, W, 3;\nL: add.s32 %at, %at, -1; fma.rn.f32 %f, %f, %f, %f; \
     setp.ge.s32 %q, %at, 0; @%q bra L",
];

const NUMBERS: &[&str] = &[
    "0",
    "1",
    "2",
    "3",
    "4",
    "8",
    "12",
    "16",
    "100",
    "0xfffffff8",
    "0x10000000",
    "0x08000001",
    "0x7fffffff",
    "0x80000000",
    "-1",
    "-16",
];

/// Fills in the placeholders of `form`; `label` makes its labels unique.
fn filled(form: &str, choices: &[u32], label: usize) -> String {
    let mut choices = choices.iter().copied();
    let mut choice = |of: usize| choices.next().unwrap_or_default() as usize % of;
    let mut place = |letter: char| match letter {
        'O' if choice(2) == 0 => NUMBERS[choice(NUMBERS.len())].to_owned(),
        'W' | 'O' => format!("%r{}", choice(6)),
        'D' => format!("%d{}", choice(3)),
        'N' => choice(34).to_string(),
        'P' => format!("%p{}", choice(2)),
        'L' => format!("L{label}"),
        other => other.to_string(),
    };
    form.chars().map(&mut place).collect::<String>() + ";\n"
}

/// A template, an optional guard, and the choices for the placeholders.
fn instruction(forms: &'static [&str]) -> impl Strategy<Value = (String, Vec<u32>)> {
    let guard = prop::sample::select(vec!["", "", "", "@P ", "@!P "]);
    let form = (guard, prop::sample::select(forms)).prop_map(|(guard, form)| {
        let alone = !form.contains(';') && !form.starts_with('@');
        if alone { format!("{guard}{form}") } else { (*form).to_owned() }
    });
    (form, prop::collection::vec(any::<u32>(), 8))
}

fn kernel(body: &str) -> String {
    format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.shared .align 16 .b8 smem[4096];\n\
         .visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c,\n\
         .param .u32 m, .param .u32 n, .param .u32 k)\n{{\n\
         .reg .pred %p<2>, %q;\n.reg .b32 %r<6>, %at, %near;\n.reg .b64 %d<3>, %b, %far;\n\
         .reg .f32 %f, %g<4>;\n.reg .b32 %m<4>;\n\
         ld.param.u64 %b, [b];\nmov.u32 %r0, %ctaid.x;\nmov.u32 %r1, %ctaid.y;\n\
         mov.u32 %r2, %tid.x;\nmad.lo.s32 %r3, %r0, 32, %r2;\nmul.lo.s32 %r4, %r1, 12;\n\
         shl.b32 %r5, %r0, 2;\ncvt.u64.u32 %d0, %r0;\ncvt.s64.s32 %d1, %r3;\n\
         setp.lt.u32 %p0, %r2, 9;\nmov.f32 %f, 0f00000000;\n{body}ret;\n}}\n"
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn random_programs_are_counted_as_by_every_block(
        plain in prop::collection::vec(instruction(PLAIN), 1..6),
        seen in prop::collection::vec(instruction(SEEN), 1..4),
        grid in prop::sample::select(vec![(40, 1), (17, 5), (6, 30), (64, 2)]),
        block in prop::sample::select(vec![(32, 1), (8, 4), (5, 3)]),
    ) {
        let lines = plain.iter().chain(&seen).enumerate();
        let body: String = lines.map(|(at, (form, choices))| filled(form, choices, at)).collect();
        let (grid, block) = (Dim3::flat(grid.0, grid.1), Dim3::flat(block.0, block.1));
        let (text, size) = (kernel(&body), Size { m: 32, n: 32, k: 32 });
        let launch = Launch { grid, block };
        let run = Run { program: program(&text, "k"), launch, size, short: 0 };
        let (counted, _) = run.by_classes().expect("no data decide in these programs");
        prop_assert_eq!(counted, run.every(), "{}", text);
    }
}
