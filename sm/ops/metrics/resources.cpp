#include "sm/ops/metrics/resources.h"

#include <mutex>
#include <utility>

#include "sm/ops/metrics/own_families.h"
#include "sm/ops/metrics/port_families.h"
#include "sm/ops/metrics/text_format.h"

namespace sm {
namespace asio = boost::asio;

namespace {

using namespace metrics;

/// The text of ports, made when the first client asks after the subnet or the counters changed.
/// Any thread; who asks meanwhile waits for it. 100 bytes a sample stay in memory: 90 MB for 35,000
/// ports.
class PortText {
 public:
  std::shared_ptr<const Families> get(std::shared_ptr<const Subnet> subnet,
                                      SharedPortCounters counters, const PortSelection& selection) {
    const std::lock_guard lock(mutex_);
    if (text_ && subnet == subnet_ && counters == counters_ && selection == selection_)
      return text_;
    text_ = nullptr;  // not beside the new one
    text_ = std::make_shared<const Families>(port_families(*subnet, counters.get(), selection));
    subnet_ = std::move(subnet);
    counters_ = std::move(counters);
    selection_ = selection;
    return text_;
  }
  /// This manager is not MASTER any more.
  void drop() {
    const std::lock_guard lock(mutex_);
    text_ = nullptr;
    subnet_ = nullptr;
    counters_ = nullptr;
  }

 private:
  std::mutex mutex_;
  std::shared_ptr<const Subnet> subnet_;
  SharedPortCounters counters_;
  PortSelection selection_;
  std::shared_ptr<const Families> text_;
};

/// What follows the manager's own metrics, part by part.
class Rest {
 public:
  Rest(std::shared_ptr<const Families> families, Format format)
      : families_(std::move(families)), format_(format) {}

  std::optional<std::string> next() {
    while (family_ < families_->size()) {
      const FamilyText& family = (*families_)[family_];
      if (part_ < family.parts.size()) {
        const std::string& part = family.parts[part_++];
        return part_ == 1 ? heading(family.metric.view(), format_) + part : part;
      }
      ++family_;
      part_ = 0;
    }
    if (std::exchange(ended_, true) || end_of_document(format_).empty()) return std::nullopt;
    return std::string(end_of_document(format_));
  }

 private:
  std::shared_ptr<const Families> families_;
  Format format_;
  std::size_t family_ = 0, part_ = 0;
  bool ended_ = false;
};

web::Chunks document(std::string beginning, std::shared_ptr<const Families> ports, Format format) {
  return [beginning = std::optional(std::move(beginning)),
          rest = Rest(std::move(ports),
                      format)]() mutable -> asio::awaitable<std::optional<std::string>> {
    if (beginning) co_return std::exchange(beginning, std::nullopt);
    co_return rest.next();
  };
}

asio::awaitable<web::Response> answer(const Views& views, PortText& ports, web::Request request) {
  const std::shared_ptr<const View> view = co_await views();
  const Format format = format_of(request.header("accept").value_or(""));
  web::Response response;
  response.content_type = content_type(format);
  response.headers.emplace_back("vary", "Accept");
  std::string own = text_of(own_families(*view), format);
  const config::Options& options = view->context->options;
  const PortSelection wanted = selection(options.metrics_ports, options.metrics_compat);
  const bool leads = view->status.state == mad::SmState::master && view->status.subnet != nullptr;
  // Two managers would double every sum over the counters.
  if (!leads || wanted == PortSelection{}) {
    ports.drop();
    response.body = std::move(own) + std::string(end_of_document(format));
    co_return response;
  }
  response.chunks = document(std::move(own),
                             ports.get(view->status.subnet, view->status.counters, wanted), format);
  co_return response;
}

}  // namespace

web::Resources metrics_resources(Views views) {
  const auto handler = [views = std::move(views), ports = std::make_shared<PortText>()](
                           web::Request request) -> asio::awaitable<web::Response> {
    return answer(views, *ports, std::move(request));
  };
  return {.routes = {{.method = web::Method::get,
                      .path = "/metrics",
                      .least = web::Role::read,
                      .handler = handler,
                      .operation_id = "getMetrics",
                      .summary = "Metrics of the manager and of ports, for Prometheus",
                      .request_schema = "",
                      .response_schema = "",
                      .content_type = std::string(content_type(Format::text))}}};
}

}  // namespace sm
