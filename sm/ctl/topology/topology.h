#pragma once
// Topologies without their readers (fabric/topology/read.h): the model, the generators, the
// changes, the text forms and the drawings.

#include "fabric/topology/graph.h"
#include "fabric/topology/topology_model.h"
#include "fabric/topology/write.h"
#include "sm/ctl/topology/decorate.h"
#include "sm/ctl/topology/draw.h"
#include "sm/ctl/topology/generators.h"
