// submission: 3-phase-reuse
// after: solutions/lab9/3-phase-reuse.cu
// change: s/stages + stage \* STAGE_QUADS, panel/stages + stage, panel/
// expect: exit 1
// expect: says 3-phase-reuse breaks the rule async-race
// expect: says The first one
// expect: says Give each load a stage of its own
// expect: edits load_tile(stages + stage, panel
