//! NVIDIA's packages that bring the headers of device code.

/// NVIDIA's packages for Python that bring headers, by how a header's name begins: with CUDA 12,
/// and from CUDA 13 on.
const PACKAGES: [(&[&str], &str, &str); 4] = [
    (&["nv/", "cuda/", "cub/", "thrust/"], "nvidia-cuda-cccl-cu12", "nvidia-cuda-cccl"),
    (&["curand"], "nvidia-curand-cu12", "nvidia-curand"),
    (&["crt/"], "nvidia-cuda-nvcc-cu12", "nvidia-cuda-crt"),
    (&["cute/", "cutlass/"], "nvidia-cutlass", "nvidia-cutlass"),
];

/// The package of every other header of NVIDIA's.
const RUNTIME: (&str, &str) = ("nvidia-cuda-runtime-cu12", "nvidia-cuda-runtime");

/// What helps if a compiler's log says that a header was not found.
pub(super) fn advice(log: &str) -> Option<String> {
    let (_, after) = log.split_once("cannot open source file \"")?;
    let header = after.split('"').next()?;
    let of = |(starts, ..): &&(&[&str], &str, &str)| {
        starts.iter().any(|start| header.starts_with(start))
    };
    let named = PACKAGES.iter().find(of).map(|(_, old, new)| (*old, *new));
    let is_nvidias = header.starts_with("cuda") || header.starts_with("mma");
    let (old, new) = named.or(is_nvidias.then_some(RUNTIME))?;
    let pip = if old == new { old.to_owned() } else { format!("{old} (CUDA 13: {new})") };
    Some(format!("{header} comes with the CUDA toolkit or, beside NVRTC: pip install {pip}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_of_nvidia_is_told_with_its_package() {
        let log = |name: &str| format!("x.cu(1): error: cannot open source file \"{name}\"\n");
        let told = advice(&log("nv/target")).expect("it is known");
        assert!(told.contains("pip install nvidia-cuda-cccl-cu12"), "{told}");
        assert!(advice(&log("cuda_fp16.h")).expect("known").contains("nvidia-cuda-runtime"));
        assert_eq!(advice(&log("my_own.h")), None);
        assert_eq!(advice("x.cu(3): error: identifier \"y\" is undefined"), None);
    }
}
