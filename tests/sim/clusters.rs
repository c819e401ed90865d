//! Blocks in clusters, followed step by step: the run as text, traces, races, and how a launch gives
//! its clusters.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const SUM: &str = "tests/data/analysis/any/sound/cluster_sum.ptx";
const LAUNCH: [&str; 6] =
    ["--launch", "<<<,64>>>", "--launch", "<<<8,>>>", "--launch", "(in:f32[512],out:f32[2])"];

fn matviz(words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_matviz")).args(words).output().expect("the binary runs")
}

/// What the program says beside its result.
fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn printed(words: &[&str]) -> String {
    String::from_utf8(matviz(words).stdout).expect("text")
}

/// The PTX of cluster_sum without its own clusters, in a file.
fn without_clusters(folder: &Path) -> String {
    let text = fs::read_to_string(SUM).expect("committed");
    let own = [".explicitcluster", ".reqnctapercluster"];
    let is_own = |line: &&str| own.iter().any(|directive| line.starts_with(directive));
    let kept: Vec<_> = text.lines().filter(|line| !is_own(line)).collect();
    assert_eq!(kept.len() + 2, text.lines().count(), "two directives are left out");
    let file = folder.join("plain.ptx");
    fs::write(&file, kept.join("\n")).expect("written");
    file.display().to_string()
}

#[test]
fn the_blocks_of_a_cluster_are_seen_to_run_together() {
    let text = printed(&[&["--format", "text", SUM, "--at", "5,0"], &LAUNCH[..]].concat());
    let has = |what: &str| assert!(text.contains(what), "{what}\n{text}");
    has("Cluster of 4 blocks from (4,0): warps 0-1 are of rank 0, and so on.");
    has("Warp 2 (rank 1) waits at the barrier for warp 3: 1 of 2 has arrived.");
    has("the barrier of rank 3 opens");
    for rank in 1..4 {
        let load = format!("Warp 0 (rank 0) loads word 0 of part of rank {rank}");
        has(&format!("{load}: distributed shared memory, 1 sector."));
    }
    has("The cluster is done.");
}

#[test]
fn an_order_of_the_warps_of_two_blocks_shows_a_race_between_them() {
    let ptx = "tests/data/analysis/any/broken/cluster_race.ptx";
    let words = [&["check", "--prove", ptx, "--limit", "orders=10"], &LAUNCH[..]].concat();
    let text = printed(&words);
    let found = text.lines().find(|line| line.contains("another result:")).expect("it is told");
    assert!(found.contains("--order script:") && found.contains("instead of"), "{text}");
    assert!(text.contains("warps are numbered through: 2 of each block, by rank"), "{text}");
    let sound = matviz(&[&["check", "--prove", SUM, "--limit", "orders=10"], &LAUNCH[..]].concat());
    assert!(sound.status.success(), "{}", String::from_utf8_lossy(&sound.stdout));
}

#[test]
fn an_element_is_traced_through_the_memory_of_another_block() {
    let args = "tensormap:A:64x64:swizzle128:f16,tensormap:B:32x64:swizzle128:f16,C,M,N,K";
    let ptx = "tests/data/analysis/sound/hopper_multicast.ptx";
    let launch = [
        "--launch",
        "<<<,128>>>",
        "--launch",
        "<<<2x2,>>>",
        "--size",
        "128,128,256",
        "--launch",
        &format!("({args})"),
    ];
    let text = printed(&[&["trace", ptx, "C[70][3]"], &launch[..]].concat());
    let head = "C[70][3] = sum over k of A[70][k] x B[k][3]\n256 products\nby warp 0, lane 25 of \
                block (0,1)\n";
    assert!(text.starts_with(head), "{text}");
    assert!(text.lines().any(|line| line.starts_with("B[0][3]")), "{text}");
}

#[test]
fn a_launch_gives_the_clusters_that_a_kernel_does_not_declare() {
    let folder = tempfile::tempdir().expect("a folder");
    let plain = without_clusters(folder.path());
    let sim = |ptx: &str, cluster: &[&str]| {
        let output = matviz(&[&["check", "--json", ptx], &LAUNCH[..], cluster].concat());
        let told = said(&output);
        serde_json::from_slice::<serde_json::Value>(&output.stdout).ok().ok_or(told)
    };
    let declared = sim(SUM, &[]).expect("it runs");
    let given = sim(&plain, &["--launch", "__cluster_dims__(4)"]).expect("it runs");
    for key in ["cluster", "cluster_accesses", "buffers", "findings"] {
        assert_eq!(given[key], declared[key], "{key}");
    }
    assert_eq!(given["cluster_accesses"], 6, "two clusters, loads from three other blocks each");
    for key in ["cluster_load_requests", "cluster_load_sectors"] {
        assert_eq!((&given["ptx"][key], &given["sass"][key]), (&6.into(), &6.into()), "{key}");
    }
    assert_ne!(sim(&plain, &[]).expect("it runs")["buffers"], declared["buffers"]);
    let told = sim(SUM, &["--launch", "__cluster_dims__(2)"])
        .expect_err("it is compiled for another size");
    assert!(told.contains("compiled for clusters of 4,1,1"), "{told}");
    let told = sim(&plain, &["--launch", "__cluster_dims__(3)"]).err().unwrap_or_default();
    assert!(told.is_empty(), "a grid that is no multiple is a finding: {told}");
}

#[test]
fn the_hosts_code_gives_the_clusters_of_its_launch() {
    let source = "\
__global__ void twice(const float* in, float* out)\n{\n    int i = blockIdx.x * blockDim.x + \
                  threadIdx.x;\n    out[i] = 2.0f * in[i];\n}\n
int main()\n{\n    float *in, *out;\n    cudaMalloc(&in, 1024);\n    cudaMalloc(&out, 1024);\n    \
                  cudaLaunchConfig_t config = {0};\n    config.gridDim = dim3(4);\n    \
                  config.blockDim = 64;\n    cudaLaunchAttribute attribute[1];\n    \
                  attribute[0].id = cudaLaunchAttributeClusterDimension;\n    \
                  attribute[0].val.clusterDim.x = 2;\n    attribute[0].val.clusterDim.y = 1;\n    \
                  attribute[0].val.clusterDim.z = 1;\n    config.attrs = attribute;\n    \
                  config.numAttrs = 1;\n    cudaLaunchKernelEx(&config, twice, in, out);\n}\n";
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("twice.cu");
    fs::write(&file, source).expect("written");
    let file = file.display().to_string();
    let args = ["--launch", "(in:f32[256],out:f32[256])", "--compiler", "matviz"];
    let output = matviz(&[&["check", &file], &args[..]].concat());
    let text = String::from_utf8_lossy(&output.stdout);
    let told = said(&output);
    assert!(text.contains("4 of 4 blocks of 64 x 1 threads, in clusters of 2 x 1"), "{text}{told}");
    assert!(
        told.contains("__cluster_dims__(2,1,1) <<<4x1,64x1>>>: as line 22 launches it"),
        "{told}"
    );
}

/// The findings of a case of tests/data/sim/cases in which a text is replaced: the words before and after it.
fn findings(case: &str, changes: &[(&str, &str)]) -> Vec<String> {
    let mut text =
        fs::read_to_string(format!("tests/data/sim/cases/{case}.ptx")).expect("committed");
    let blocks = text.matches("grid 2,").count() * 2 + text.matches("grid 3,").count() * 3;
    let blocks = if blocks == 0 { 4 } else { blocks };
    for (from, to) in changes {
        assert!(text.contains(from), "{case}: {from}");
        text = text.replace(from, to);
    }
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("case.ptx");
    fs::write(&file, text).expect("written");
    let (file, grid) = (file.display().to_string(), blocks.to_string());
    let args = format!("x:u32[{}]", 32 * blocks);
    let words = [
        "check",
        "--json",
        "--launch",
        "(void)",
        &file,
        "--launch",
        "<<<,32>>>",
        "--launch",
        &format!("<<<{grid},>>>"),
    ];
    let output = matviz(&[&words[..], &["--launch", &format!("({args})")]].concat());
    let told: serde_json::Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| unreachable!("{}", said(&output)));
    let all = told["findings"].as_array().expect("a list");
    all.iter().map(|one| format!("{}: {}", one["kind"], one["message"])).collect()
}

#[test]
fn asynchronous_operations_between_blocks_are_checked() {
    let sound = [
        "cluster_reduce_async",
        "cluster_reduce_async_same",
        "cluster_bulk_across",
        "cluster_bulk_reduce",
        "cluster_mbarrier_scopes",
    ];
    for case in sound {
        assert_eq!(findings(case, &[]), Vec::<String>::new(), "{case}");
    }
    let wait = "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 \t%w, [%r5], 0;\n\t@!%w bra WAIT;";
    let again = "\t@!%w bra WAIT;\n";
    let arrives = "mbarrier.arrive.release.cluster";
    for (case, change, found) in [
        ("cluster_bulk_across", ("\tfence.proxy.async.shared::cta;\n", ""), "proxy"),
        ("cluster_bulk_across", ("WAIT:", "st.shared.u32 [%r10], %t;\nWAIT:"), "still"),
        ("cluster_bulk_across", (wait, ""), "race"),
        ("cluster_bulk_across", (again, ""), "mbarrier.try_wait at"),
        ("cluster_bulk_reduce", (again, ""), "may end before that"),
        ("cluster_reduce_async", (again, "\t@!%w bra ON;\nON:\n"), "nothing tests its result"),
        ("cluster_bulk_reduce", (wait, ""), "race"),
        ("cluster_reduce_async", (wait, ""), "race"),
        ("cluster_mbarrier_scopes", (arrives, "mbarrier.arrive.relaxed.cluster"), "race"),
    ] {
        let all = findings(case, &[change]);
        assert!(all.iter().any(|one| one.contains(found)), "{case}, {change:?}: {all:?}");
    }
}

#[test]
fn a_grid_that_no_cluster_fits_is_told_the_next_that_one_does() {
    let launch =
        ["--launch", "<<<,64>>>", "--launch", "<<<6,>>>", "--launch", "(in:f32[384],out:f32[2])"];
    let text = printed(&[&["check", SUM], &launch[..]].concat());
    assert!(
        text.contains("a grid of 6 x 1 x 1 blocks is no multiple of clusters of 4 x 1 x 1"),
        "{text}"
    );
    assert!(text.contains("a grid of 8x1x1 is the next"), "{text}");
}
