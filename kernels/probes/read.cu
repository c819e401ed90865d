// Reads a buffer and writes nothing. Whatever the L2 cache held before, it then holds lines of this
// buffer, and none that is still to be written to memory.
extern "C" __global__ void read(int4* words, unsigned int count) {
    int all = 0;
    unsigned int step = gridDim.x * blockDim.x;
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {
        int4 word = words[i];
        all ^= word.x ^ word.y ^ word.z ^ word.w;
    }
    // The buffer holds zeros: that this is not 1 the compiler cannot know.
    if (all == 1) words[0].x = all;
}
