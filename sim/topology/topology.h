#pragma once
// The whole room but its readers (read.h): the model, the generators, what can be done to a
// topology, and the text forms.

#include "sim/topology/decorate.h"
#include "sim/topology/generators.h"
#include "sim/topology/graph.h"
#include "sim/topology/model.h"
#include "sim/topology/write.h"
