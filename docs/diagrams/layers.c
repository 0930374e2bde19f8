// Four ways to write one instruction. In: nothing. Out: SVG.
#include "diagram.h"

int main(void) {
  static const struct {
    const char *library, *name;
  } rows[] = {{"CUTLASS", "SM90_BULK_COPY_G2S"},
              {"libcu++", "memcpy_async_tx"},
              {"cuda::ptx", "cp_async_bulk"},
              {"this kit", "cp_async_bulk_global_to_shared"}};
  picture_begin(NARROW, 246, "Four libraries, one instruction");
  for (int i = 0; i < 4; i++) {
    const double y = 4 + 42 * i;
    box(i == 3 ? "green" : "blue", 2, y, 322, 34);
    text("small bold", 12, y + 21, "%s", rows[i].library);
    text("code", 92, y + 22, "%s", rows[i].name);
    line("line", 326, y + 17, 341, y + 17);
  }
  line("line", 341, 21, 341, 180);
  arrow("", 341, 180, 341, 198);
  box("orange", 2, 200, 352, 38);
  text("code middle", 178, 224, "cp.async.bulk.shared::cluster.global ..");
  picture_end();
}
