// out[i] = 2 * in[i] for `count` ints, a multiple of 4. Both return a CUDA error.
int scale(int *out, const int *in, int count);
int scale_in_place(int *data, int count);
