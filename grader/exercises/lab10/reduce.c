// 1-reduce: column sums of a matrix of int32.
#include "exercises/column-sums.h"

static const struct exercise_case public_cases[] = {
    {"smallest", {1, 4}},
    {"one tile", {32, 128}},
    {"a row more", {33, 128}},
    {"four columns more", {32, 132}},
    {"odd rows, odd columns", {997, 100}},
    {"many of both", {130, 1284}},
};
static const struct exercise_case rules_cases[] = {
    {"a short tile", {5, 36}}, {"tiles one above another", {260, 32}}, {"large", {66003, 132}}};

const struct exercise lab10_reduce = {
    .lab = "lab10",
    .name = "1-reduce",
    COLUMN_SUMS,
    .recognised_step = 2,
    .cases = public_cases,
    .case_count = sizeof public_cases / sizeof *public_cases,
    .rules_cases = rules_cases,
    .rules_case_count = sizeof rules_cases / sizeof *rules_cases,
    .between = {{.step = 1, .least = 12, .most = 600}, {.step = 4, .least = 16, .most = 1400}},
    .between_count = 16,
    .growth = {{.step = 1, .most = 4000}},
};
