#include "sm/ops/metrics/resources.h"

#include <mutex>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "sm/ops/metrics/own_families.h"
#include "sm/ops/metrics/port_families.h"
#include "sm/ops/metrics/text_format.h"
#include "sm/ops/web/compression.h"

namespace sm {
namespace asio = boost::asio;

namespace {

using namespace metrics;

/// The text of ports, and its parts compressed when a client first asks for them so. Any thread.
class PortFamilies {
 public:
  explicit PortFamilies(Families families) : families_(std::move(families)) {
    compressed_.reserve(families_.size());
    for (const FamilyText& family : families_) compressed_.emplace_back(family.parts.size());
  }

  const Families& families() const { return families_; }
  const web::GzipPart& compressed(std::size_t family, std::size_t part) const {
    const std::lock_guard lock(mutex_);
    auto& known = compressed_[family][part];
    if (!known) known = web::gzip_part(families_[family].parts[part]);
    if (!known) throw std::bad_alloc();
    return *known;
  }

 private:
  Families families_;
  mutable std::mutex mutex_;
  mutable std::vector<std::vector<std::optional<web::GzipPart>>> compressed_;
};

/// The text of ports, made when the first client asks after the subnet or the counters changed.
/// Any thread; who asks meanwhile waits for it. 100 bytes a sample stay in memory: 90 MB for 35,000
/// ports, and a tenth of that for clients that take gzip.
class PortText {
 public:
  std::shared_ptr<const PortFamilies> get(std::shared_ptr<const Subnet> subnet,
                                          SharedPortCounters counters,
                                          const PortSelection& selection) {
    const std::lock_guard lock(mutex_);
    if (text_ && subnet == subnet_ && counters == counters_ && selection == selection_)
      return text_;
    text_ = nullptr;  // not beside the new one
    text_ = std::make_shared<const PortFamilies>(port_families(*subnet, counters.get(), selection));
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
  std::shared_ptr<const PortFamilies> text_;
};

/// All of a document, part by part.
class Document {
 public:
  Document(std::string beginning, std::shared_ptr<const PortFamilies> ports, Format format,
           bool gzip)
      : beginning_(std::move(beginning)), ports_(std::move(ports)), format_(format) {
    if (gzip) joined_.emplace();
  }

  std::optional<std::string> next() {
    if (beginning_) return text(*std::exchange(beginning_, std::nullopt), true);
    const Families& families = ports_->families();
    while (family_ < families.size()) {
      const FamilyText& family = families[family_];
      if (part_ < family.parts.size()) {
        std::string out =
            part_ == 0 ? text(heading(family.metric.view(), format_), false) : std::string();
        if (joined_) {
          const web::GzipPart& part = ports_->compressed(family_, part_);
          joined_->add(part);
          out += part.bytes;
        } else {
          out += family.parts[part_];
        }
        ++part_;
        return out;
      }
      ++family_;
      part_ = 0;
    }
    if (std::exchange(ended_, true)) return std::nullopt;
    std::string out = text(end_of_document(format_), false);
    if (joined_) out += joined_->end();
    if (out.empty()) return std::nullopt;
    return out;
  }

 private:
  std::string text(std::string_view plain, bool first) {
    if (!joined_) return std::string(plain);
    const auto part = web::gzip_part(plain);
    if (!part) throw std::bad_alloc();
    joined_->add(*part);
    return (first ? std::string(web::GzipJoined::begin()) : std::string()) + part->bytes;
  }

  std::optional<std::string> beginning_;
  std::shared_ptr<const PortFamilies> ports_;
  Format format_;
  std::optional<web::GzipJoined> joined_;  // nothing: as plain text
  std::size_t family_ = 0, part_ = 0;
  bool ended_ = false;
};

web::Chunks chunks_of(Document document) {
  return [document = std::move(document)]() mutable -> asio::awaitable<std::optional<std::string>> {
    co_return document.next();
  };
}

asio::awaitable<web::Response> answer(const Views& views, PortText& ports, web::Request request) {
  const std::shared_ptr<const View> view = co_await views();
  const Format format = format_of(request.header("accept").value_or(""));
  web::Response response;
  response.content_type = content_type(format);
  std::string own = text_of(own_families(*view), format);
  const config::Options& options = view->context->options;
  const PortSelection wanted = selection(options.metrics_ports, options.metrics_compat);
  const bool leads = view->status.state == mad::SmState::master && view->status.subnet != nullptr;
  // Two managers would double every sum over the counters.
  if (!leads || wanted == PortSelection{}) {
    ports.drop();
    response.headers.emplace_back("vary", "Accept");
    response.body = std::move(own) + std::string(end_of_document(format));
    co_return response;
  }
  const bool gzip = web::accepts_gzip(request.header("accept-encoding").value_or(""));
  response.headers.emplace_back("vary", "Accept, Accept-Encoding");
  if (gzip) response.headers.emplace_back("Content-Encoding", "gzip");
  auto of_ports = ports.get(view->status.subnet, view->status.counters, wanted);
  Document document(std::move(own), std::move(of_ports), format, gzip);
  response.chunks = chunks_of(std::move(document));
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
