// The branch by which threads of a cluster leave the kernel before its last barrier of the cluster.
#ifndef VIRTUAL_HOPPER_DIAGNOSE_WAY_OUT_H
#define VIRTUAL_HOPPER_DIAGNOSE_WAY_OUT_H

#include "virtual-hopper/machine/program.h"

// NULL: there is none, or there are several. For launch.way_out.
const struct op *way_out_of_cluster(const struct function *kernel);

#endif
