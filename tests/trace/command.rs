//! `matviz trace` as a user runs it: its output for an element, and its errors.

use crate::kernel::{self, Kernel};
use insta::assert_snapshot;
use std::process::Command;

fn trace(args: &[&str]) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_matviz"));
    let output = command.arg("trace").args(args).env_clear().output().expect("matviz starts");
    let said = if output.stdout.is_empty() { output.stderr } else { output.stdout };
    (output.status.code(), String::from_utf8(said).expect("matviz prints UTF-8"))
}

/// Its output if it succeeds.
fn told(args: &[&str]) -> String {
    let (code, text) = trace(args);
    assert_eq!(code, Some(0), "{text}");
    text
}

#[test]
fn an_element_of_c_comes_from_a_row_and_a_column() {
    assert_snapshot!(told(&["tiled", "C[1][2]", "--size", "4x4x6", "--tile", "4"]), @"
    C[1][2] = sum over k of A[1][k] x B[k][2]
    6 products in 2 tiles
    by warp 0, lane 6 of block (0,0)
    simulated

    tile  load     lane    slot      line  step  stored  loaded  used  address
       1  A[1][0]  w0 l4   sA[1][0]    34    62      63      71    73  0x700000200018
       1  B[0][2]  w0 l2   sB[0][2]    35    68      69      72    73  0x700000600008
       1  A[1][1]  w0 l5   sA[1][1]    34    62      63      71    75  0x70000020001c
       1  B[1][2]  w0 l6   sB[1][2]    35    68      69      74    75  0x700000600018
       1  A[1][2]  w0 l6   sA[1][2]    34    62      63      71    77  0x700000200020
       1  B[2][2]  w0 l10  sB[2][2]    35    68      69      76    77  0x700000600028
       1  A[1][3]  w0 l7   sA[1][3]    34    62      63      71    79  0x700000200024
       1  B[3][2]  w0 l14  sB[3][2]    35    68      69      78    79  0x700000600038
       2  A[1][4]  w0 l4   sA[1][0]    34    93      94     102   104  0x700000200028
       2  B[4][2]  w0 l2   sB[0][2]    35    99     100     103   104  0x700000600048
       2  A[1][5]  w0 l5   sA[1][1]    34    93      94     102   106  0x70000020002c
       2  B[5][2]  w0 l6   sB[1][2]    35    99     100     105   106  0x700000600058
    ");
    assert_snapshot!(told(&["naive", "C[0][0]", "--size", "2", "--tile", "4"]), @"
    C[0][0] = sum over k of A[0][k] x B[k][0]
    2 products
    by warp 0, lane 0 of block (0,0)
    simulated

    load     lane   line  step  used  address
    B[0][0]  w0 l0    26    40    42  0x700000600000
    A[0][0]  w0 l0    26    41    42  0x700000200000
    B[1][0]  w0 l0    26    48    50  0x700000600008
    A[0][1]  w0 l0    26    49    50  0x700000200004
    ");
}

#[test]
fn an_element_of_a_or_b_goes_into_a_row_or_a_column() {
    assert_snapshot!(told(&["tiled", "A[1][2]", "--size", "8", "--tile", "4"]), @"
    A[1][2]: block (0,0) loads it in 1 request of a warp, for 1 lane
    used 4 times: 4 for each request, 4 for each lane
    in the grid 2 blocks load it: 2 requests, for 2 lanes, used 8 times
    block (0,0): into C[1][0-3]
    simulated

    step  what happens     lane     line
      62  loaded           w0 l6      34
      63  stored sA[1][2]  w0 l6      34
      71  loaded sA[1][2]  w0 l4-7    41
      77  used             w0 l4-7    41
     126  result stored    w0 l4-7    48
    ");
    assert_snapshot!(told(&["naive", "B[1][2]", "--size", "8", "--tile", "4"]), @"
    B[1][2]: block (0,0) loads it in 1 request of a warp, for 4 lanes
    used 4 times: 4 for each request, 1 for each lane
    in the grid 2 blocks load it: 2 requests, for 8 lanes, used 8 times
    block (0,0): into C[0-3][2]
    simulated

    step  what happens   lane        line
      44  loaded         w0 4 lanes    26
      46  used           w0 4 lanes    26
      89  result stored  w0 4 lanes    28
    ");
}

#[test]
fn the_reuse_that_tiling_buys_stands_in_the_first_lines() {
    let head = |kernel, element| {
        let text = told(&[kernel, element, "--size", "128"]);
        text.lines().take(3).collect::<Vec<_>>().join("\n")
    };
    assert_snapshot!(head("naive", "A[5][33]"), @"
    A[5][33]: block (0,0) loads it in 1 request of a warp, for 16 lanes
    used 16 times: 16 for each request, 1 for each lane
    in the grid 8 blocks load it: 8 requests, for 128 lanes, used 128 times
    ");
    assert_snapshot!(head("tiled", "A[5][33]"), @"
    A[5][33]: block (0,0) loads it in 1 request of a warp, for 1 lane
    used 16 times: 16 for each request, 16 for each lane
    in the grid 8 blocks load it: 8 requests, for 8 lanes, used 128 times
    ");
}

/// Those of half_tma go both ways with the copy engine.
#[test]
fn halves_that_share_a_word_are_told_apart() {
    let places = [("64", "C[5][7]"), ("72x80x100", "C[71][6]"), ("33x35x37", "C[0][0]")];
    for kernel in ["half_tensor", "half_tma"] {
        for (size, element) in places {
            halves_are_told_apart(kernel, size, element);
        }
    }
}

fn halves_are_told_apart(kernel: &str, size: &str, element: &str) {
    let text = told(&[kernel, element, "--size", size]);
    let terms = size.rsplit('x').next().unwrap_or(size);
    assert!(text.contains("sum over k") && text.contains(&format!("{terms} products")), "{text}");
    for k in ["[1]", "[2]", "[33]", "[36]"] {
        let (row, column) = element[1..].split_once(']').expect("a row");
        let of_a = format!("A{row}]{k} ");
        let of_b = format!("B{k}{column} ");
        assert!(text.contains(&of_a) && text.contains(&of_b), "{of_a} {of_b}: {text}");
    }
}

#[test]
fn a_tensor_core_uses_an_element_in_every_product_that_it_makes() {
    let head = |element| {
        let text = told(&["half_tensor", element, "--size", "128"]);
        text.lines().take(4).collect::<Vec<_>>().join("\n")
    };
    assert_snapshot!(head("A[5][33]"), @"
    A[5][33]: block (0,0) loads it in 1 request of a warp, for 1 lane
    used 64 times: 64 for each request, 64 for each lane
    in the grid 2 blocks load it: 2 requests, for 2 lanes, used 128 times
    block (0,0): into C[5][0-63]
    ");
    assert_snapshot!(head("B[5][33]"), @"
    B[5][33]: block (0,0) loads it in 1 request of a warp, for 1 lane
    used 64 times: 64 for each request, 64 for each lane
    in the grid 2 blocks load it: 2 requests, for 2 lanes, used 128 times
    block (0,0): into C[0-63][33]
    ");
}

/// kernels/sgemm.cu: tiles that reach beyond the edges of C are moved back inside.
#[test]
fn a_tile_that_was_moved_back_reads_what_the_tile_before_it_needs() {
    let fetches = |element, size| {
        let text = told(&["sgemm", element, "--size", size]);
        text.lines().nth(2).unwrap_or_default().to_owned()
    };
    assert_snapshot!(fetches("A[70][3]", "96"), @"in the grid 6 blocks load it: 6 requests, for 6 lanes, used 96 times");
    assert_snapshot!(fetches("A[70][3]", "100"), @"in the grid 14 blocks load it: 14 requests, for 14 lanes, used 224 times");
}

/// Register blocking, vectors, asynchronous copies, half precision, shuffles, tensor cores, many
/// compilers: whatever path the values took, an element of C is its sum over k.
#[test]
fn kernels_from_anywhere_take_the_sum_that_they_should() {
    let mut followed = 0;
    for (ptx, launch) in kernels() {
        for element in ["C[0][0]", "C[3][5]", "C[15][9]"] {
            let Some((code, text)) = foreign(&ptx, &launch, element) else { continue };
            let first = text.lines().next().unwrap_or_default();
            assert!(first.contains("sum over k") && code == Some(0), "{ptx} {launch}: {text}");
            followed += 1;
        }
    }
    assert!(followed >= 3 * 37, "only {followed} elements were followed");
}

#[test]
fn kernels_from_anywhere_take_an_element_into_its_row_or_column() {
    for (ptx, launch) in kernels() {
        for (element, row, column) in
            [("A[3][5]", "into C[3][", "]"), ("B[4][7]", "into C[", "][7]")]
        {
            let Some((code, text)) = foreign(&ptx, &launch, element) else { continue };
            let into = text.lines().find(|line| line.contains("into C")).unwrap_or_default();
            let right = into.contains(row) && into.ends_with(column) && code == Some(0);
            assert!(right && !text.contains("used 0"), "{ptx} {launch} {element}: {text}");
        }
    }
}

/// The trace of an element through a user's kernel; `None` if the kernel has an unsupported
/// instruction.
fn foreign(ptx: &str, launch: &str, element: &str) -> Option<(Option<i32>, String)> {
    let args = [ptx].into_iter().chain(launch.split_whitespace());
    let told = trace(&args.chain([element]).collect::<Vec<_>>());
    Some(told).filter(|(_, text)| !text.contains("not supported"))
}

/// The PTX of the kernels in the test data, with the first launch of each.
fn kernels() -> Vec<(String, String)> {
    let kernels = kernel::kernels("kernel/foreign").into_iter();
    let first = |kernel: Kernel| {
        (kernel.path.with_extension("ptx").display().to_string(), kernel.launches().remove(0))
    };
    kernels.map(first).collect()
}

#[test]
fn an_option_may_stand_between_kernel_and_element() {
    let told = trace(&["tiled", "C[2][0]", "--size", "64"]);
    assert_eq!(told.0, Some(0));
    assert_eq!(trace(&["tiled", "--size", "64", "C[2][0]"]), told);
    assert_eq!(trace(&["--size", "64", "tiled", "C[2][0]"]), told);
}

#[test]
fn what_is_not_there_is_bad_use() {
    let refused = |args| {
        let (code, text) = trace(args);
        assert_eq!(code, Some(2));
        text.lines().next().unwrap_or_default().to_owned()
    };
    assert_snapshot!(refused(&["tiled", "C[8][0]", "--size", "8"]), @"error: C[8][0] is outside C, which is 8 x 8");
    assert_snapshot!(refused(&["tiled", "D[1][1]"]), @"error: `D[1][1]` is not an element: give a matrix, a row and a column, for example C[5][7]");
    assert_snapshot!(refused(&["tiled"]), @"error: which element? Name one of A, B or C: `matviz trace tiled 'C[5][7]'`");
    assert_snapshot!(refused(&["C[1][1]"]), @"error: which kernel? Name it before the element: `matviz trace tiled 'C[5][7]'`");
    assert_snapshot!(refused(&["tiled", "A[0][0]", "--size", "16", "--at", "1,0"]), @"error: block 1,0 is outside the grid of 1 x 1 blocks (0,0 to 0,0)");
}
