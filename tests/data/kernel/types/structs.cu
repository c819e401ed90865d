// C = A x B with matrices that are passed as structures, by value.
typedef struct {
    int width;
    int height;
    float* elements;
} Matrix;

typedef struct {
    int width;
    int height;
    int stride;
    float* elements;
} Strided;

__global__ void structs(const Matrix A, const Matrix B, Matrix C) {
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= C.height || col >= C.width) return;
    float sum = 0.0f;
    for (int k = 0; k < A.width; ++k)
        sum += A.elements[row * A.width + k] * B.elements[k * B.width + col];
    C.elements[row * C.width + col] = sum;
}

__global__ void strided(Strided A, Strided B, Strided C) {
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= C.height || col >= C.width) return;
    float sum = 0.0f;
    for (int k = 0; k < A.width; ++k)
        sum += A.elements[row * A.stride + k] * B.elements[k * B.stride + col];
    C.elements[row * C.stride + col] = sum;
}

// The width of A where that of B belongs.
__global__ void structs_wrong(const Matrix A, const Matrix B, Matrix C) {
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= C.height || col >= C.width) return;
    float sum = 0.0f;
    for (int k = 0; k < A.width; ++k)
        sum += A.elements[row * A.width + k] * B.elements[k * A.width + col];
    C.elements[row * C.width + col] = sum;
}
