//! `.file` of a stranger's PTX names files of the user: they are not shown.

use super::{assert_ended_well, matviz, said};
use std::fs;

const SECRET: &str = "the secret of the user\n";

#[test]
fn a_file_outside_the_ptxs_folder_is_neither_on_the_screen_nor_in_an_svg() {
    let home = tempfile::tempdir().expect("a folder");
    let at = home.path();
    for folder in [".ssh", "downloaded"] {
        fs::create_dir(at.join(folder)).expect("a folder");
    }
    fs::write(at.join(".ssh/id_rsa"), SECRET).expect("written");
    let absolute = at.join(".ssh/id_rsa").display().to_string();
    // The last one is where the commands are executed.
    for path in ["../.ssh/id_rsa", &absolute, ".ssh/id_rsa"] {
        let text = format!(
            ".version 8.0\n.target sm_80\n.address_size 64\n.file 1 \"{path}\"\n.visible .entry \
             k(.param .u64 c)\n{{\n.loc 1 1 0\nbar.sync 0;\nret;\n}}\n"
        );
        fs::write(at.join("downloaded/k.ptx"), text).expect("written");
        let kernel =
            ["downloaded/k.ptx", "--launch", "<<<,16>>>", "--size", "16", "--launch", "(C)"];
        for command in [&["export", "frame", "-o", "frame.svg"][..], &["--format", "text"]] {
            let args = [command, &kernel].concat();
            let output = matviz(at, &args).current_dir(at).output().expect("the binary runs");
            let svg = fs::read_to_string(at.join("frame.svg")).unwrap_or_default();
            let said = said(&output) + &svg;
            assert!(output.status.success(), "{args:?}: {said}");
            assert!(!said.contains("secret"), "{args:?} shows {path}");
        }
        let args = [&["check"][..], &kernel].concat();
        let output = matviz(at, &args).current_dir(at).output().expect("the binary runs");
        let said = said(&output);
        assert!(said.contains("--source") || said.contains("not found"), "{path}: {said}");
    }
}

#[test]
fn a_header_outside_the_folders_of_a_source_is_in_no_message_of_a_compiler() {
    let home = tempfile::tempdir().expect("a folder");
    let at = home.path();
    for folder in [".ssh", "downloaded"] {
        fs::create_dir(at.join(folder)).expect("a folder");
    }
    fs::write(at.join(".ssh/id_rsa"), SECRET).expect("written");
    std::os::unix::fs::symlink("../.ssh/id_rsa", at.join("downloaded/link.h")).expect("a link");
    let absolute = at.join(".ssh/id_rsa").display().to_string();
    for path in ["../.ssh/id_rsa", ".ssh/id_rsa", &absolute, "link.h"] {
        let text = format!("#include \"{path}\"\n__global__ void k(float* c) {{ c[0] = 1; }}\n");
        fs::write(at.join("downloaded/k.cu"), text).expect("written");
        let file = "downloaded/k.cu";
        let own = ["check", "--compiler", "matviz", "--launch", "<<<,16>>>", "--size", "16", file];
        for args in [&own[..], &["check", file]] {
            let output = matviz(at, args).current_dir(at).output().expect("the binary runs");
            assert_ended_well(&output, &format!("{args:?}"));
            assert!(!said(&output).contains("secret"), "{args:?} shows {path}: {}", said(&output));
        }
    }
    // A header beside its folder is one, as for every compiler.
    let text = "#include \"../common/value.h\"\n__global__ void k(float* c) { c[0] = VALUE; }\n";
    fs::create_dir(at.join("common")).expect("a folder");
    fs::write(at.join("common/value.h"), "#define VALUE 1.0f\n").expect("written");
    fs::write(at.join("downloaded/k.cu"), text).expect("written");
    let args =
        ["check", "--compiler", "matviz", "--launch", "<<<,16>>>", "--launch", "(c:f32[16])"];
    let args = [&args[..], &["downloaded/k.cu", "--launch", "<<<1,>>>"]].concat();
    let output = matviz(at, &args).current_dir(at).output().expect("the binary runs");
    assert!(said(&output).contains("warp instructions"), "{}", said(&output));
}
