// Does nothing that could be seen.
// launch: --block 64 --grid 1 --args in:f32[64]
__global__ void nothing(const float* in) {
}
