struct Particle {
  float x[3];
  float m[2][4];
};

__global__ void k(float *out, const float *in) {
  __shared__ Particle p[8];
  int t = threadIdx.x, first = int(in[0]);
  for (int i = first; i < first + 3; ++i) p[t].x[i - first] = in[i];
  for (int i = 0; i < 8; ++i) p[t].m[i / 4][i % 4] = in[t + i];
  __syncthreads();
  Particle *q = &p[7 - t];
  float *end = q->x + 3;
  float sum = 0.0f;
  for (float *at = q->x; at != end; ++at) sum += *at;
  out[t] = sum + q->m[t % 2][t % 4];
}

// sim: (void)<<<1,8>>>(out:f32[8]=0,in:f32[32]=ascending)
// never: is outside
