struct Particle {
  float x[3];
  float mass;
};

__global__ void k(float *out, const float *in) {
  __shared__ Particle p[8];
  int t = threadIdx.x;
  for (int i = 0; i < 3; ++i) p[t].x[i] = in[4 * t + i];
  p[t].mass = 1.0f;
  __syncthreads();
  float sum = 0.0f;
  for (int i = 0; i <= 3; ++i) sum += p[7 - t].x[i];
  out[t] = sum;
}

// sim: (void)<<<1,8>>>(out:f32[8]=0,in:f32[32]=ascending)
// finding: memory 13
// says: at line 13: index 3 is outside the member `x`, which has 3
