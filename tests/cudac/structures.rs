//! Structures, templates of structures and constant memory in matviz's own compiler: every buffer is
//! bit for bit what NVRTC's PTX makes of the same source.

use crate::own_cases::{refused, same_as_nvrtc};

/// Kernels with one feature each; the last line launches them.
const CASES: [(&str, &str); 14] = [
    (
        "by_value",
        "struct Matrix { int width; int height; float* elements; };\n\
         __device__ float at(const Matrix m, int row, int col) { return m.elements[row * m.width + col]; }\n\
         __global__ void k(Matrix A, Matrix B, Matrix C) {\n\
         int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;\n\
         float sum = 0; for (int e = 0; e < A.width; ++e) sum += at(A, row, e) * at(B, e, col);\n\
         C.elements[row * C.width + col] = sum; }\n\
         // sim: (void)<<<,8x8>>>({K,M,A},{N,K,B},{N,M,C}) --size 16\n",
    ),
    (
        "local",
        "struct Pair { float first; int second; };\n\
         __global__ void k(const float* in, float* out) {\n\
         int i = threadIdx.x; Pair p = {in[i], i}; Pair q; q = p; q.second += 2; q.first *= q.second;\n\
         out[i] = i % 2 ? p.first : q.first + p.second; }\n\
         // sim: (void)<<<1,32>>>(in:f32[32],out:f32[32])\n",
    ),
    (
        "behind_pointers",
        "typedef struct { float x, y; double weight; char tag; } Body;\n\
         __global__ void k(Body* all, int n, float* out) {\n\
         int i = threadIdx.x; Body own = all[i]; float sum = 0;\n\
         for (int j = 0; j < n; ++j) { const Body& other = all[j]; sum += other.x - own.y + (float)other.weight; }\n\
         all[i].tag = 3; Body* mine = all + i; out[i] = sum + mine->tag; mine->y = sum; }\n\
         // sim: (void)<<<1,16>>>(all:u8[384]=1,n=16,out:f32[16])\n",
    ),
    (
        "shared_and_arrays",
        "struct Cell { int key; float value; };\n\
         struct Row { float of[4]; int count; };\n\
         __global__ void k(const float* in, float* out) {\n\
         __shared__ Cell s[32]; int i = threadIdx.x; s[i].key = 31 - i; s[i].value = in[i];\n\
         __syncthreads(); Cell own = s[s[i].key]; Row row; row.count = i % 4;\n\
         for (int j = 0; j < 4; ++j) row.of[j] = own.value * j; Cell local[3];\n\
         for (int j = 0; j < 3; ++j) { local[j].key = j; local[j].value = own.value + j; }\n\
         out[i] = row.of[row.count] + local[i % 3].value; }\n\
         // sim: (void)<<<1,32>>>(in:f32[32],out:f32[32])\n",
    ),
    (
        "member_functions",
        "struct Vec { float x, y;\n\
         __device__ Vec(float a, float b) : x(a), y(b) {}\n\
         __host__ __device__ float dot(const Vec& other) const { return x * other.x + y; }\n\
         __device__ Vec operator+(const Vec& other) const { return Vec(x + other.x, y + other.y); }\n\
         __device__ void shift(float by) { x += by; this->y -= by; } };\n\
         __global__ void k(const float* in, float* out) {\n\
         int i = threadIdx.x; Vec a(in[i], 2.0f), b = Vec(1.0f, in[31 - i]); a.shift(0.5f);\n\
         Vec sum = a + b; out[i] = sum.dot(a) + (a + b).y; }\n\
         // sim: (void)<<<1,32>>>(in:f32[32],out:f32[32])\n",
    ),
    (
        "functors",
        "struct Add { __device__ float operator()(float a, float b) const { return a + b; } };\n\
         struct Scale { float by; __device__ float operator()(float a, float b) const { return a * by + b; } };\n\
         template <typename Op> __device__ float folded(const float* in, int n, Op op) {\n\
         float all = in[0]; for (int i = 1; i < n; ++i) all = op(all, in[i]); return all; }\n\
         template <typename Op> __global__ void fold(const float* in, float* out, Op op) {\n\
         out[threadIdx.x] = folded(in, threadIdx.x + 1, op); }\n\
         __global__ void k(const float* in, float* out, Scale op) {\n\
         int i = threadIdx.x; Add add; out[i] = folded(in, i + 1, op) + folded(in, 3, add) + Add()(in[i], 1.0f); }\n\
         // sim: (void)k<<<1,32>>>(in:f32[32],out:f32[32],{by=0.5f})\n",
    ),
    (
        "functor_as_an_argument_of_a_kernel",
        "struct Greatest { __device__ float operator()(float a, float b) const { return a > b ? a : b; } };\n\
         template <typename Op> __global__ void fold(const float* in, float* out, int n) {\n\
         Op op; float all = in[threadIdx.x]; for (int i = 0; i < n; ++i) all = op(all, in[i]);\n\
         out[threadIdx.x] = all; }\n\
         // sim: (void)fold<Greatest><<<1,32>>>(in:f32[32],out:f32[32],n=8)\n",
    ),
    (
        "template_of_a_structure",
        "template <int N, typename T = float> struct Tile { T of[N]; static const int size = N;\n\
         __device__ T sum() const { T all = 0; for (int i = 0; i < size; ++i) all += of[i]; return all; } };\n\
         template <int N> __device__ float loaded(const float* in) {\n\
         Tile<N> tile; for (int i = 0; i < Tile<N>::size; ++i) tile.of[i] = in[i]; return tile.sum(); }\n\
         __global__ void k(const float* in, float* out) {\n\
         Tile<2, int> whole; whole.of[0] = threadIdx.x; whole.of[1] = 3;\n\
         out[threadIdx.x] = loaded<4>(in + threadIdx.x) + whole.sum(); }\n\
         // sim: (void)<<<1,16>>>(in:f32[32],out:f32[16])\n",
    ),
    (
        "constant_memory",
        "#define R 2\n\
         __constant__ float weights[2 * R + 1] = {0.5f, -1, 2, 1e-3f, 4.0f};\n\
         __constant__ int offset; __device__ float bias[2] = {1.0f, 2.0f};\n\
         __device__ float weighed(const float* w, const float* in) {\n\
         float all = 0; for (int j = 0; j <= 2 * R; ++j) all += w[j] * in[j]; return all; }\n\
         __global__ void k(const float* in, float* out) {\n\
         int i = threadIdx.x; out[i] = weighed(weights, in + i) + offset + bias[i % 2] + weights[i % 5]; }\n\
         // sim: (void)<<<1,16>>>(in:f32[32],out:f32[16])\n",
    ),
    (
        "structures_in_structures",
        "struct Point { float x, y, z; }; struct Ray { Point from, to; float3 colour; int id; };\n\
         __device__ Point between(const Ray& ray, float t) {\n\
         Point p; p.x = ray.from.x + t * (ray.to.x - ray.from.x); p.y = ray.from.y; p.z = ray.to.z; return p; }\n\
         __global__ void k(Ray* rays, float* out) {\n\
         Ray ray = rays[threadIdx.x]; ray.from = Point{1.0f, 2.0f, 3.0f}; ray.colour.y = 2;\n\
         Point p = between(ray, 0.25f); rays[threadIdx.x].to = p; rays[threadIdx.x].colour = ray.colour;\n\
         out[threadIdx.x] = p.x + p.y * p.z + ray.colour.x; }\n\
         // sim: (void)<<<1,8>>>(rays:f32[80],out:f32[8])\n",
    ),
    (
        "pointers_in_memory",
        "struct Views { const float* in; float* out; int n; };\n\
         __global__ void k(Views all, int by) {\n\
         Views own = all; own.in += 1; int i = threadIdx.x; if (i < own.n) own.out[i] = own.in[i] * by; }\n\
         // sim: (void)<<<1,16>>>({in:f32[32]=random,out:f32[16],n=16},by=3)\n",
    ),
    (
        "swapped",
        "struct Pair { float a, b; };\n\
         __device__ Pair turned(Pair p) { Pair q = {p.b, p.a}; return q; }\n\
         __global__ void k(const float* in, float* out) {\n\
         Pair p = {in[threadIdx.x], 2.0f}; p = Pair{p.b, p.a}; p = turned(p); p = turned(p);\n\
         out[threadIdx.x] = p.a - 3 * p.b; }\n\
         // sim: (void)<<<1,16>>>(in:f32[16],out:f32[16])\n",
    ),
    (
        "printed",
        "__global__ void k(const float* in, float* out) {\n\
         int i = threadIdx.x; if (i == 3) printf(\"%d of %d: \\\"%f\\\"\\n\", i, blockDim.x, in[i]);\n\
         out[i] = 2 * in[i]; }\n\
         // sim: (void)<<<1,16>>>(in:f32[16],out:f32[16])\n",
    ),
    (
        "compiled_in_a_class",
        "class Counter { public: __device__ Counter(int first) { value = first; }\n\
         __device__ int next() { return step() + value++; }\n\
         private: __device__ int step() const { return 2 * bonus; } int value; static constexpr int bonus = 5; };\n\
         __global__ void k(int* out) { Counter c(threadIdx.x); c.next(); out[threadIdx.x] = c.next(); }\n\
         // sim: (void)<<<1,16>>>(out:i32[16])\n",
    ),
];

#[test]
fn every_buffer_is_what_nvrtc_makes_of_it() {
    same_as_nvrtc(&CASES);
}

/// What is outside is named with its line.
#[test]
fn what_is_not_compiled_is_named() {
    let with_b = "B b; b.y = 1; *out = b.y;";
    refused(&[
        ("struct A;\nstruct B : A { int y; };", with_b, 2, "inherits from such a one"),
        (
            "struct A { int x;\n__device__ ~A() { x = 0; } };",
            "A a; a.x = 1; *out = a.x;",
            2,
            "a destructor",
        ),
    ]);
}
