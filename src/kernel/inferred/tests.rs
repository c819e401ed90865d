//! What is assumed of kernels whose parameters say more or less.

use super::*;
use crate::sim;
use ptx::{Module, parse};

const SQUARE: Size = Size { m: 64, n: 64, k: 64 };
const OTHER: Size = Size { m: 64, n: 48, k: 32 };

/// A kernel with parameters of these types; `uses` are lines such as `ld 1`, for a load through
/// parameter 1 at an index given by the last parameter.
fn module(types: &str, uses: &[&str]) -> Module {
    let types: Vec<_> = types.split(' ').collect();
    let last = types.len() - 1;
    let param = |(at, ty): (usize, &&str)| format!(".param .{ty} p{at}");
    let params: Vec<_> = types.iter().enumerate().map(param).collect();
    let index = match types[last] {
        "u64" => format!("ld.param.u64 %n1, [p{last}];"),
        _ => format!("ld.param.u32 %i, [p{last}]; cvt.u64.u32 %n1, %i;"),
    };
    let access = |one: &&str| {
        let (what, at) = one.split_once(' ').expect("a place");
        let access = match what {
            "ld" => format!("ld.global.f32 %f, [%c{at}+4];"),
            "st" => format!("st.global.f32 [%c{at}], %f;"),
            _ => format!("red.global.add.f32 [%c{at}], %f;"),
        };
        format!(
            "ld.param.u64 %a{at}, [p{at}]; cvta.to.global.u64 %b{at}, %a{at};\n\
             add.s64 %c{at}, %b{at}, %n2; {access}\n"
        )
    };
    let body: String = uses.iter().map(access).collect();
    let text = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k({})\n{{\n\
         .reg .f32 %f; .reg .b32 %i; .reg .b64 %n<3>; .reg .b64 %a<9>;\n\
         .reg .b64 %b<9>; .reg .b64 %c<9>;\n{index} shl.b64 %n2, %n1, 2;\n{body}ret;\n}}\n",
        params.join(", ")
    );
    parse(&text).expect("PTX")
}

/// What is known of a kernel without parameters of which only its use of memory is known.
fn guess(roles: Roles, size: Size, block: Dim3) -> Guess<'static> {
    static NOT_CALLED: Called = Called { words: Vec::new(), bytes: Vec::new() };
    Guess {
        params: Cow::Borrowed(&[]),
        places: Vec::new(),
        names: Vec::new(),
        source: None,
        roles,
        types: Vec::new(),
        declared: Vec::new(),
        grid: None,
        block,
        size,
        called: &NOT_CALLED,
        defaults: Vec::new(),
    }
}

fn assumed(types: &str, uses: &[&str], names: &str, size: Size) -> String {
    let module = module(types, uses);
    let mut roles = Roles::of(&sim::lower(&module, "k").expect("a program"));
    (roles.multiplies_none, roles.most_loaded) = (false, None);
    let names = names.split(' ').map(str::to_owned).collect();
    let params = Cow::Borrowed(&module.functions[0].params[..]);
    let guess = Guess { params, names, ..guess(roles, size, Dim3::flat(256, 1)) };
    match guess.arguments() {
        Ok((words, why)) => format!("{words}: {why}"),
        Err(error) => error.to_string(),
    }
}

const LAST: [&str; 3] = ["ld 0", "ld 1", "st 2"];
const FIRST: [&str; 3] = ["red 0", "ld 1", "ld 2"];

#[test]
fn c_is_the_pointer_that_is_stored_through() {
    let words = |types, uses: &[&str]| {
        let said = assumed(types, uses, "", SQUARE);
        said.split(':').next().map(str::to_owned)
    };
    let usual = "u64 u64 u64 u32 u32 u32";
    assert_eq!(words(usual, &LAST).as_deref(), Some("A,B,C,M,N,K"));
    assert_eq!(words(usual, &FIRST).as_deref(), Some("C,A,B,M,N,K"));
    assert_eq!(words(usual, &["ld 0", "st 1", "ld 2"]).as_deref(), Some("A,C,B,M,N,K"));
    assert_eq!(words("u64 u64 u64 u32", &LAST).as_deref(), Some("A,B,C,N"));
    assert_eq!(words("u32 u64 u64 u64", &["st 2"]).as_deref(), Some("N,A,C,B"));
    assert_eq!(words("u64 u64 u64", &FIRST).as_deref(), Some("C,A,B"));
    let sgemm = "u32 u32 u32 f32 u64 u64 f32 u64";
    assert_eq!(words(sgemm, &[]).as_deref(), Some("M,N,K,1.0f,A,B,0.0f,C"));
    insta::assert_snapshot!(assumed(usual, &["ld 0", "st 1", "st 2"], "", SQUARE), @"the arguments are missing: the kernel takes 3 x .u64, 3 x .u32, and it stores through several of its pointers: say, for example, --launch '(A,B,C,M,N,K)'; if it computes something else than A x B: --launch '(void)(p1:f32[COUNT],p2:f32[COUNT],p3:f32[COUNT],p4=NUMBER,p5=NUMBER,p6=NUMBER)'");
}

#[test]
fn wide_integers_are_no_pointers_where_no_address_is_made_of_them() {
    let types = "u64 u64 u64 u64 u64 u64";
    insta::assert_snapshot!(assumed(types, &LAST, "", SQUARE), @"A,B,C,M,N,K: by the types of the parameters, and C is what is stored through");
    insta::assert_snapshot!(assumed(types, &["ld 3", "ld 4", "st 5"], "", SQUARE), @"M,N,K,A,B,C: by the types of the parameters, and C is what is stored through");
    insta::assert_snapshot!(assumed(types, &["ld 0", "st 2"], "", SQUARE), @"the arguments are missing: the kernel takes 6 x .u64, and which of them are the pointers to A, B and C does not follow from the PTX: say, for example, --launch '(A,B,C,M,N,K)'; if it computes something else than A x B: --launch '(void)(p1:f32[COUNT],p2=NUMBER,p3:f32[COUNT],p4=NUMBER,p5=NUMBER,p6=NUMBER)'");
}

#[test]
fn sizes_are_told_apart_by_names_or_need_not_be() {
    let types = "u64 u64 u64 u32 u32 u32";
    insta::assert_snapshot!(assumed(types, &LAST, "a b c m k n", OTHER), @"A,B,C,M,K,N: by the names of the parameters");
    insta::assert_snapshot!(assumed(types, &LAST, "A B C rows cols inner", OTHER), @"the arguments are missing: the kernel takes 3 x .u64, 3 x .u32, and which of them are M, N and K does not follow from their types: say, for example, --launch '(A,B,C,M,N,K)'; if it computes something else than A x B: --launch '(void)(A:f32[COUNT],B:f32[COUNT],C:f32[COUNT],rows=NUMBER,cols=NUMBER,inner=NUMBER)'");
    insta::assert_snapshot!(assumed(types, &LAST, "A B C N N K", OTHER), @"the arguments are missing: the kernel takes 3 x .u64, 3 x .u32, and which of them are M, N and K does not follow from their types: say, for example, --launch '(A,B,C,M,N,K)'; if it computes something else than A x B: --launch '(void)(A:f32[COUNT],B:f32[COUNT],C:f32[COUNT],p4=NUMBER,p5=NUMBER,K=NUMBER)'");
    insta::assert_snapshot!(assumed(types, &FIRST, "B C A M N K", OTHER), @"B,C,A,M,N,K: by the names of the parameters");
    insta::assert_snapshot!(assumed(types, &LAST, "B A C M N K", OTHER), @"B,A,C,M,N,K: by the names of the parameters");
    insta::assert_snapshot!(assumed("u64 u64 u64 u32", &LAST, "A B C N", OTHER), @"the arguments are missing: the kernel takes 3 x .u64, .u32, and it takes one number, and these matrices have three sizes: say, for example, --launch '(A,B,C,N)'; if it computes something else than A x B: --launch '(void)(A:f32[COUNT],B:f32[COUNT],C:f32[COUNT],N=NUMBER)'");
    insta::assert_snapshot!(assumed("u64 u64 u64 u32 u32", &LAST, "", SQUARE), @"A,B,C,M,N: by the types of the parameters, and C is what is stored through");
    insta::assert_snapshot!(assumed("u64 u64 u64 u32 u32", &LAST, "a b c n tile", SQUARE), @"the arguments are missing: the kernel takes 3 x .u64, 2 x .u32, and what the integers are for does not follow from their types: say, for example, --launch '(A,B,C,M,256)'; if it computes something else than A x B: --launch '(void)(a:f32[COUNT],b:f32[COUNT],c:f32[COUNT],n=NUMBER,tile=NUMBER)'");
    insta::assert_snapshot!(assumed("u64 u64 u64 u32 f32", &LAST, "", SQUARE), @"the arguments are missing: the kernel takes 3 x .u64, .u32, .f32, and what the floats are for does not follow from their types: say, for example, --launch '(A,B,C,N,1.0f)'; if it computes something else than A x B: --launch '(void)(p1:f32[COUNT],p2:f32[COUNT],p3:f32[COUNT],p4=NUMBER,p5=1.0f)'");
    insta::assert_snapshot!(assumed("u64 u64 u64 u16 u32", &LAST, "", SQUARE), @"the arguments are missing: the kernel takes 3 x .u64, .u16, .u32, and some are neither pointers nor numbers of 32 or 64 bits: say, for example, --launch '(A,B,C,N,N)'; if it computes something else than A x B: --launch '(void)(p1:f32[COUNT],p2:f32[COUNT],p3:f32[COUNT],p4=1,p5=NUMBER)'");
}

#[test]
fn numba_passes_arrays_in_any_order() {
    let types = vec!["u64"; 27].join(" ");
    insta::assert_snapshot!(assumed(&types, &[], "", OTHER), @"numba: by the types of the parameters");
    insta::assert_snapshot!(assumed(&types, &["st 4"], "", OTHER), @"numba:C,numba:A,numba:B: by the types of the parameters, and C is what is stored through");
}

#[test]
fn a_kernel_that_never_asks_for_y_has_its_blocks_in_a_row() {
    let grid = |flat, block| {
        let mut roles = Roles::default();
        roles.flat = flat;
        let guess = guess(roles, OTHER, block);
        guess.grid(block).0
    };
    assert_eq!(grid(true, Dim3::flat(256, 1)), Dim3::flat(12, 1));
    assert_eq!(grid(false, Dim3::flat(256, 1)), Dim3::flat(1, 64));
    assert_eq!(grid(true, Dim3::flat(16, 16)), Dim3::flat(12, 1));
    assert_eq!(grid(false, Dim3::flat(16, 16)), Dim3::flat(3, 4));
}
