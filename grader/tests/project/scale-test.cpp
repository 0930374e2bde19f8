#include <gtest/gtest.h>

#include "scale.h"

TEST(Scale, Doubles) {
  int in[256], out[256];
  for (int i = 0; i < 256; i++)
    in[i] = i;
  ASSERT_EQ(scale(out, in, 256), 0);
  for (int i = 0; i < 256; i++)
    EXPECT_EQ(out[i], 2 * i);
}

TEST(Scale, RefusesOtherSizes) {
  int data[4] = {};
  EXPECT_NE(scale(data, data, 4), 0);
}
