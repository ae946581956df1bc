#pragma once
// The OpenAPI 3.1 document of the routes, made of the same table that routes requests.

#include <span>
#include <string>
#include <vector>

#include "sm/ops/web/exchange.h"

namespace sm::web {

/// A group of operations.
struct DocumentTag {
  std::string name, description;
  std::vector<std::string> paths;  // beginnings of the paths of its operations
};

struct DocumentInfo {
  std::string title, version, description;
  std::vector<DocumentTag> tags = {};  // the first one that fits a path is its operations'; empty:
                                       // there are no tags
  std::string examples = {};           // JSON: an example for each name of a field or parameter;
                                       // empty: there are no examples
};

/// JSON, the same bytes for the same routes. Routes with in_document; parameters of a path that a
/// route does not describe are strings; problems (RFC 9457) are the answer of all errors. Throws
/// std::logic_error where a route names a schema that is not there, where a schema is no JSON,
/// where an operation_id is missing or there twice, where no tag fits a path, and where the table
/// of examples lacks a text: errors of the program.
std::string openapi_document(std::span<const Route> routes, const Schemas& schemas,
                             const DocumentInfo& info);

/// The routes of /v1 and /v1/openapi.json: the document of these resources, and links to them. Each
/// has to be among `resources` of the caller afterwards; both are in the document, too.
Resources document_resources(const Resources& resources, const DocumentInfo& info);

}  // namespace sm::web
