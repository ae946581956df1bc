#pragma once
// The native API, /v1.

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "sm/ops/api/sources.h"
#include "sm/ops/web/exchange.h"
#include "sm/ops/web/openapi.h"

namespace sm::api {

struct Core;
class EventLog;

/// Returns the OpenAPI document without its routes: tags, and examples of fields. `version` is the
/// program's.
web::DocumentInfo document_info(std::string version);

/// GET /v1/support-bundle, an attachment for a report of a fault. It contains the answers of those
/// resources in `all` that read the subnet, one after the other, produced while they are sent:
/// {"made_at", "version", "resources": {PATH: {"status", "body"}}}. `body` is the resource's JSON,
/// or its text as a string. Options have no secrets.
web::Resources support_bundle(
    const web::Resources& all, std::string version,
    std::function<std::chrono::system_clock::time_point()> wall_clock = [] {
      return std::chrono::system_clock::now();
    });

}  // namespace sm::api

namespace sm {

class Api {
 public:
  explicit Api(api::Sources sources);

  /// Returns all of /v1 except /v1/partitions. The handlers share state with this object, may be
  /// called on several threads at once, and may outlive it.
  web::Resources resources() const;
  /// Takes each published View, and from time to time one in between for conditions; events are the
  /// differences between successive Views. Any thread, and quick: a thread of the API compares the
  /// Views. While there are clients, requests to /v1/events pass Views, too.
  void observe(std::shared_ptr<const View> view);
  /// Returns the latest events, which outlive this object.
  std::shared_ptr<api::EventLog> events() const;

 private:
  std::shared_ptr<api::Core> core_;
};

inline web::Resources api_resources(api::Sources sources) {
  return Api(std::move(sources)).resources();
}

}  // namespace sm
