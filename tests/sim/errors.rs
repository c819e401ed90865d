//! The messages for PTX that is wrong or not supported.

use crate::kernel::text;
use insta::assert_snapshot;
use matviz::sim::lower;
use ptx::parse;

/// Every error of a kernel with this body, which begins on line 11, as displayed.
fn errors(body: &str) -> String {
    shown(&text(body))
}

fn shown(text: &str) -> String {
    let errors = match parse(text) {
        Err(errors) => errors,
        Ok(module) => lower(&module, "k").err().into_iter().collect(),
    };
    let shown: Vec<_> = errors.iter().map(|error| error.render(text, "k.ptx")).collect();
    shown.join("\n")
}

/// Everything in the kernel that is not supported, as displayed.
fn unsupported(body: &str) -> String {
    let text = text(body);
    let module = parse(&text).expect("nothing else is wrong");
    let all = module.entry("k").expect("the kernel").unsupported.iter();
    all.map(|error| error.render(&text, "k.ptx")).collect::<Vec<_>>().join("\n")
}

/// Only the messages.
fn messages(body: &str) -> String {
    let shown = errors(body);
    let messages = shown.lines().filter_map(|line| line.strip_prefix("k.ptx:"));
    messages.collect::<Vec<_>>().join("\n")
}

#[test]
fn every_unsupported_instruction_is_named_with_its_line() {
    let body = "mma.sync.aligned.m16n8k8.f32 {%a, %b}, {%c, %d}, {%e}, {%f};\n\
                mov.b64 {%tid, _}, %at;\n\tadd.s33\ta, b, c;";
    assert_snapshot!(unsupported(body), @r"
    k.ptx:11: the instruction `mma.sync.aligned.m16n8k8.f32` is not supported (at `.f32`)
    11 | mma.sync.aligned.m16n8k8.f32 {%a, %b}, {%c, %d}, {%e}, {%f};
       | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    k.ptx:13: the instruction `add.s33` is not supported (at `.s33`)
    13 | 	add.s33	a, b, c;
       | 	^^^^^^^
    ");
}

#[test]
fn the_first_unsupported_instruction_is_the_answer() {
    assert_snapshot!(messages("ret;\nadd.s33 a, b, c;\nsub.s33 a, b, c;"), @"12: the instruction `add.s33` is not supported (at `.s33`)");
    let elsewhere =
        ".version 7.0\n.target sm_52\n.entry other() { add.s33 a, b, c; }\n.entry k() { ret; }";
    assert_eq!(shown(elsewhere), "");
    // Wrong PTX, unlike unsupported PTX, is refused by drivers anywhere in the module.
    let wrong =
        ".version 7.0\n.target sm_52\n.entry other() { add.s32 a, b c; }\n.entry k() { ret; }";
    assert!(shown(wrong).starts_with("k.ptx:3: expected `,`"), "{}", shown(wrong));
}

#[test]
fn the_caret_stands_under_the_word_that_is_wrong() {
    assert_snapshot!(errors(".reg .f32 f;\nadd.f32 f, f, f;\nadd.f32 f, f, %tid;\nadd.s32 f, f, f;"), @r"
    k.ptx:14: `f` is a .f32, and this takes .s32
    14 | add.s32 f, f, f;
       |         ^
    ");
    assert_snapshot!(errors("mov.u32 %tid, %pm0;"), @r"
    k.ptx:11: `%pm0` is not declared, or not supported
    11 | mov.u32 %tid, %pm0;
       |               ^^^^
    ");
    assert_snapshot!(shown(".version 7.0\n.target sm_52\n.entry k() {\n  é\n}"), @r"
    k.ptx:4: unexpected character `é`
    4 |   é
      |   ^
    ");
}

#[test]
fn what_is_missing_is_shown_where_the_text_ends() {
    assert_snapshot!(shown(".version 7.0\n.target sm_52\n.entry k() {\n  ret;\n\n"), @r"
    k.ptx:4: expected `}`, but the text ends
    4 |   ret;
      |       ^
    ");
    assert_snapshot!(shown(".version 7.0\n/* no end"), @r"
    k.ptx:2: this comment never ends
    2 | /* no end
      | ^
    ");
    assert!(
        shown("\n").starts_with("k.ptx:1: this is not PTX: a PTX file begins with `.version`\n")
    );
}

#[test]
fn names_and_labels() {
    assert_snapshot!(messages("bra NOWHERE;"), @"11: there is no label `NOWHERE`");
    assert_snapshot!(messages("L:\nL: ret;"), @"12: the label `L` stands here again");
    assert_snapshot!(messages("@%tid ret;"), @"11: `%tid` is not a predicate register");
    assert_snapshot!(messages("mov.u32 %tid.x, 3;"), @"11: `%tid.x` cannot be written to");
    assert_snapshot!(messages(".reg .b32 %r<9>; mov.u32 %r09, 1;"), @"11: `%r09` is not declared, or not supported");
    assert_snapshot!(messages("ld.param.u64 %at, [in+4];"), @"11: this reads beyond the parameter `in`");
    assert_snapshot!(messages("st.param.u32 [in], %tid;"), @"11: a kernel's parameters cannot be written to");
    let other = ".version 7.0\n.target sm_52\n.entry f() { ret; }\n.entry g() { ret; }";
    assert!(shown(other).starts_with("k.ptx:1: there is no kernel `k`, only f, g\n"));
}

#[test]
fn operands_of_the_wrong_kind() {
    assert_snapshot!(messages("mad.lo.u32 %tid, %tid, 0f3F800000, 1;"), @"11: this literal is not of type .u32");
    assert_snapshot!(messages(".reg .b16 h; add.s32 %tid, h, h;"), @"11: `h` is a .b16, and this takes .s32");
    assert_snapshot!(messages("mov.u64 %at, %tid.x;"), @"11: `%tid.x` has at most 32 bits, and this takes .u64");
    assert_snapshot!(messages("mov.b64 %at, {%tid};"), @"11: only a .b16, .b32 or .b64 has parts: two, or (not of a .b16) four");
}

#[test]
fn forms_that_do_not_exist() {
    let forms = [
        "ld.global.v4.f64 {%at, %at, %at, %at}, [%in];",
        "ld.global.pred %tid, [%in];",
        "cvt.rn.s32.f32 %tid, %tid;",
        "cvt.f32.f64 %tid, %at;",
        "cvt.pred.u32 %tid, %tid;",
        "mad.lo.u8 %tid, %tid, %tid, %tid;",
        "setp.lt.ftz.s32 %tid, %tid, %tid;",
        "cvta.to.global.f32 %tid, %tid;",
        "st.const.u32 [in], %tid;",
        "min.b32 %tid, %tid, %tid;",
        "shr.u8 %tid, %tid, 1;",
    ];
    for form in forms {
        let opcode = form.split(' ').next().unwrap();
        let expected = format!("11: the instruction `{opcode}` is not supported");
        assert!(messages(form).starts_with(&expected), "{form}: {}", messages(form));
    }
}

#[test]
fn sizes_beyond_any_gpu() {
    assert_snapshot!(messages(".shared .align 3 .b8 x[4];"), @"11: an alignment is a power of two up to 2147483648");
    assert_snapshot!(messages(".shared .align 4294967296 .b8 x[4];"), @"11: this number is too large");
    assert_snapshot!(messages(".shared .b8 _ZZ1kvE2sA[300000];"), @"11: `sA` needs more shared memory than a block can have");
    assert_snapshot!(messages(".shared .b64 x[4294967295][4294967295];"), @"11: expected a smaller array");
    assert_eq!(messages(".local .b8 x[4];"), "");
    assert_snapshot!(messages(".local .b8 x[600000];"), @"11: `x` needs more local memory than a thread can have");
    let params = ".version 7.0\n.target sm_52\n.entry k(.param .b8 p[40000]) { ret; }";
    assert!(shown(params).starts_with("k.ptx:3: a kernel's parameters take at most 32764 bytes\n"));
}
