// Blocks and tiles of warps as groups of threads. Their shuffles and votes, which take values of
// several types, are in the compiler.
namespace cooperative_groups {

struct thread_block {
    __device__ void sync() const { __syncthreads(); }
    __device__ unsigned int thread_rank() const
    {
        return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    }
    __device__ unsigned int size() const { return blockDim.x * blockDim.y * blockDim.z; }
    __device__ unsigned int num_threads() const { return blockDim.x * blockDim.y * blockDim.z; }
};

__device__ thread_block this_thread_block()
{
    thread_block own;
    return own;
}

__device__ void synchronize(const thread_block& of) { of.sync(); }

struct grid_group {
    __device__ bool is_valid() const { return true; }
    __device__ unsigned long long size() const
    {
        return (unsigned long long)gridDim.x * gridDim.y * gridDim.z * blockDim.x * blockDim.y * blockDim.z;
    }
    __device__ unsigned long long num_threads() const { return size(); }
    __device__ unsigned long long thread_rank() const
    {
        unsigned long long block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
        unsigned int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
        return block * (blockDim.x * blockDim.y * blockDim.z) + thread;
    }
    __device__ unsigned int num_blocks() const { return gridDim.x * gridDim.y * gridDim.z; }
    __device__ unsigned int block_rank() const
    {
        return (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    }
    __device__ void sync() const { __grid_barrier(); }
};

__device__ grid_group this_grid()
{
    grid_group own;
    return own;
}

__device__ void synchronize(const grid_group& of) { of.sync(); }

template <unsigned int Size> struct thread_block_tile {
    __device__ unsigned int thread_rank() const
    {
        return ((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x) % Size;
    }
    __device__ unsigned int mask() const
    {
        unsigned int rank = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
        return Size == 32 ? 0xFFFFFFFFu : ((1u << Size % 32) - 1u) << (rank % 32 & ~(Size - 1u));
    }
    __device__ void sync() const { __syncwarp(mask()); }
    __device__ unsigned int size() const { return Size; }
    __device__ unsigned int num_threads() const { return Size; }
    __device__ unsigned int meta_group_rank() const
    {
        return ((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x) / Size;
    }
    __device__ unsigned int meta_group_size() const
    {
        return (blockDim.x * blockDim.y * blockDim.z + Size - 1) / Size;
    }
};

template <unsigned int Size> __device__ thread_block_tile<Size> tiled_partition(const thread_block& of)
{
    thread_block_tile<Size> tile;
    return tile;
}

}
