// Special registers as ops: PTX ISA 10. decode/special.c has their names, execute/special.c reads them.
#ifndef VIRTUAL_HOPPER_EXECUTE_SPECIAL_H
#define VIRTUAL_HOPPER_EXECUTE_SPECIAL_H

#include "virtual-hopper/machine/op.h"

enum special_register {
  SPECIAL_TID_X,
  SPECIAL_TID_Y,
  SPECIAL_TID_Z,
  SPECIAL_NTID_X,
  SPECIAL_NTID_Y,
  SPECIAL_NTID_Z,
  SPECIAL_CTAID_X,
  SPECIAL_CTAID_Y,
  SPECIAL_CTAID_Z,
  SPECIAL_NCTAID_X,
  SPECIAL_NCTAID_Y,
  SPECIAL_NCTAID_Z,
  SPECIAL_LANEID,
  SPECIAL_WARPID,
  SPECIAL_NWARPID,
  SPECIAL_SMID,
  SPECIAL_NSMID,
  SPECIAL_GRIDID,
  SPECIAL_LANEMASK_EQ,
  SPECIAL_LANEMASK_LE,
  SPECIAL_LANEMASK_LT,
  SPECIAL_LANEMASK_GE,
  SPECIAL_LANEMASK_GT,
  SPECIAL_CLOCK,
  SPECIAL_CLOCK_HI,
  SPECIAL_CLOCK64,
  SPECIAL_GLOBALTIMER,
  SPECIAL_GLOBALTIMER_LO,
  SPECIAL_GLOBALTIMER_HI,
  SPECIAL_IS_EXPLICIT_CLUSTER,
  SPECIAL_CLUSTERID_X,
  SPECIAL_CLUSTERID_Y,
  SPECIAL_CLUSTERID_Z,
  SPECIAL_NCLUSTERID_X,
  SPECIAL_NCLUSTERID_Y,
  SPECIAL_NCLUSTERID_Z,
  SPECIAL_CLUSTER_CTAID_X,
  SPECIAL_CLUSTER_CTAID_Y,
  SPECIAL_CLUSTER_CTAID_Z,
  SPECIAL_CLUSTER_NCTAID_X,
  SPECIAL_CLUSTER_NCTAID_Y,
  SPECIAL_CLUSTER_NCTAID_Z,
  SPECIAL_CLUSTER_CTARANK,
  SPECIAL_CLUSTER_NCTARANK,
  SPECIAL_TOTAL_SMEM_SIZE,
  SPECIAL_AGGR_SMEM_SIZE,
  SPECIAL_DYNAMIC_SMEM_SIZE,
  SPECIAL_GRID_WORKSPACE_HI,
  SPECIAL_GRID_WORKSPACE_LO,
  SPECIAL_SHARED_OF_GROUPS,
  SPECIAL_SHARED_BEGIN,
  SPECIAL_ZERO,
  SPECIAL_COUNT
};

// op->kind: which; op->width: 4 or 8 bytes per lane of op->d.
op_execute special_read;
op_execute special_explicit_cluster; // %is_explicit_cluster as the predicate that it is
op_execute special_settle; // runs before a clock is read, so that all instructions up to here are counted
op_execute special_nanosleep;
op_execute special_launch_dependents, special_grid_wait; // griddepcontrol
op_execute special_mark;     // begin or end of a named range: only the time model takes note of it
op_execute special_not_here; // ends the launch: op->extra, a text, says what isn't supported
op_execute special_nothing;  // accepted, has no effect here

#endif
