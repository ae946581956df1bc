#pragma once
// The whole module but its readers (read.h): the model, the generators, what can be done to a
// topology, and the text forms.

#include "fabric/topology/decorate.h"
#include "fabric/topology/generators.h"
#include "fabric/topology/graph.h"
#include "fabric/topology/model.h"
#include "fabric/topology/write.h"
