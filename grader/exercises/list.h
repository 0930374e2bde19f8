// All exercises, lab by lab and in order. grader/setup/new-exercise.sh adds to this list.
EXERCISE(lab9_bulk_copy_1d)
EXERCISE(lab9_tiles_2d)
EXERCISE(lab9_phase_reuse)
EXERCISE(lab9_store_commit_groups)
