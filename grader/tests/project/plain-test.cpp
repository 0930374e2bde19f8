#include "scale.h"

int main() {
  int data[256];
  for (int i = 0; i < 256; i++)
    data[i] = i;
  if (scale_in_place(data, 256) != 0) return 2;
  for (int i = 0; i < 256; i++)
    if (data[i] != 2 * i) return 1;
  return 0;
}
