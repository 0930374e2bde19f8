// 3-phase-reuse: column sums of a tall matrix of int32.
#include "exercises/column-sums.h"

static const struct exercise_case public_cases[] = {
    {"smallest", {1, 4}},
    {"one row", {1, 1024}},
    {"a few rows", {3, 32}},
    {"rows without a tile", {1037, 4}},
    {"odd rows, odd columns", {997, 100}},
    {"wide", {65, 2052}},
};
static const struct exercise_case rules_cases[] = {
    {"a short ring", {5, 36}}, {"many rounds", {8195, 32}}, {"large", {400003, 32}}};

const struct exercise lab9_phase_reuse = {
    .lab = "lab9",
    .name = "3-phase-reuse",
    .trusted = "phase_reuse",
    COLUMN_SUMS,
    .recognised_step = 3,
    .cases = public_cases,
    .case_count = sizeof public_cases / sizeof *public_cases,
    .rules_cases = rules_cases,
    .rules_case_count = sizeof rules_cases / sizeof *rules_cases,
    .between = {{.step = 1, .least = 12, .most = 600}, {.step = 4, .least = 16, .most = 1400}},
    .between_count = 16,
    .growth = {{.step = 1, .most = 20000}},
};
