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

/// The OpenAPI document besides its routes: tags, and examples of fields. `version`: of the
/// program.
web::DocumentInfo document_info(std::string version);

/// GET /v1/support-bundle, what one attaches to a report of a fault: the answers of those resources
/// in `all` that read the subnet, one behind the other, produced while they are sent: {"made_at",
/// "version", "resources": {PATH: {"status", "body"}}}. `body` is the resource's JSON, or its text
/// as a string. Options have no secrets.
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

  /// All of /v1 but /v1/partitions. The handlers share what they need with this, may be called on
  /// several threads at once, and may outlive it.
  web::Resources resources() const;
  /// Events are made by comparing what is shown here, one View after the other: each that is
  /// published, and now and then between them for conditions. Any thread, and quick: it is compared
  /// on a thread of the API's. Requests to /v1/events show Views, too, while there are clients.
  void observe(std::shared_ptr<const View> view);
  /// The latest events; they outlive this.
  std::shared_ptr<api::EventLog> events() const;

 private:
  std::shared_ptr<api::Core> core_;
};

inline web::Resources api_resources(api::Sources sources) {
  return Api(std::move(sources)).resources();
}

}  // namespace sm
