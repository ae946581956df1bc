#pragma once
// The whole module without its readers (read.h): the model, the generators, the changes and the
// text forms.

#include "fabric/topology/decorate.h"
#include "fabric/topology/generators.h"
#include "fabric/topology/graph.h"
#include "fabric/topology/model.h"
#include "fabric/topology/write.h"
