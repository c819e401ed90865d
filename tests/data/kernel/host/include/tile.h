#define TILE 8
