struct Cell {
  int count;
  int next[4];
};

__global__ void k(Cell *cells, const int *in) {
  int t = threadIdx.x;
  cells[t].count = 0;
  cells[t].next[in[t] - 5] = t;
}

// sim: (void)<<<1,4>>>(cells:i32[20]=0,in:i32[4]=4)
// finding: memory 9
// says: at line 9: index -1 is outside the member `next`, which has 4
