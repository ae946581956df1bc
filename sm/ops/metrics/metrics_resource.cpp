#include "sm/ops/metrics/metrics_resource.h"

#include <new>
#include <optional>
#include <type_traits>
#include <utility>

#include "sm/ops/metrics/own_families.h"
#include "sm/ops/metrics/port_text.h"
#include "sm/ops/metrics/text_format.h"
#include "sm/ops/web/compression.h"

namespace sm {
namespace asio = boost::asio;

namespace {

using namespace metrics;

/// Produces a document part by part; packed parts form one gzip member.
template <class Part>
class Document {
  static constexpr bool kPacked = std::is_same_v<Part, web::GzipPart>;

 public:
  Document(std::string beginning, std::shared_ptr<const Ports<Part>> ports, Format format)
      : beginning_(std::move(beginning)), ports_(std::move(ports)), format_(format) {}

  std::optional<std::string> next() {
    std::string out;
    if (beginning_) {
      if constexpr (kPacked) out += web::GzipJoined::begin();
      add(*std::exchange(beginning_, std::nullopt), out);
      return out;
    }
    while (family_ < ports_->size()) {
      const FamilyOf<Part>& family = (*ports_)[family_];
      if (part_ < family.parts.size()) {
        if (part_ == 0) add(heading(family.metric.view(), format_), out);
        add(family.parts[part_++], out);
        return out;
      }
      ++family_;
      part_ = 0;
    }
    if (std::exchange(ended_, true)) return std::nullopt;
    add(std::string(end_of_document(format_)), out);
    if constexpr (kPacked) out += joined_.end();
    if (out.empty()) return std::nullopt;
    return out;
  }

 private:
  void add(const web::GzipPart& part, std::string& out) {
    joined_.add(part);
    out += part.bytes;
  }
  void add(const std::string& plain, std::string& out) {
    if constexpr (!kPacked) {
      out += plain;
    } else {
      const auto part = web::gzip_part(plain);
      if (!part) throw std::bad_alloc();
      add(*part, out);
    }
  }

  std::optional<std::string> beginning_;
  std::shared_ptr<const Ports<Part>> ports_;
  Format format_;
  web::GzipJoined joined_;
  std::size_t family_ = 0, part_ = 0;
  bool ended_ = false;
};

template <class Part>
web::Chunks chunks_of(std::string beginning, std::shared_ptr<const Ports<Part>> ports,
                      Format format) {
  Document<Part> document(std::move(beginning), std::move(ports), format);
  return [document = std::move(document)]() mutable -> asio::awaitable<std::optional<std::string>> {
    co_return document.next();
  };
}

asio::awaitable<web::Response> answer(const Views& views, PortText& ports, web::Request request) {
  const std::shared_ptr<const View> view = co_await views();
  const Format format = choose_format(request.header("accept").value_or(""));
  web::Response response;
  response.content_type = content_type(format);
  std::string own = text_of(own_families(*view), format);
  const std::optional<PortSource> source = port_source(*view);
  if (!source) {
    response.headers.emplace_back("vary", "Accept");
    response.body = std::move(own) + std::string(end_of_document(format));
    co_return response;
  }
  response.headers.emplace_back("vary", "Accept, Accept-Encoding");
  if (web::accepts_gzip(request.header("accept-encoding").value_or(""))) {
    response.headers.emplace_back("Content-Encoding", "gzip");
    response.chunks = chunks_of(std::move(own), ports.packed(*source), format);
  } else {
    response.chunks = chunks_of(std::move(own), ports.plain(*source), format);
  }
  co_return response;
}

}  // namespace

MetricsResources metrics_resources(Views views) {
  const auto ports = std::make_shared<PortText>();
  const auto handler = [views = std::move(views),
                        ports](web::Request request) -> asio::awaitable<web::Response> {
    return answer(views, *ports, std::move(request));
  };
  return {
      .resources = {.routes = {{.method = web::Method::get,
                                .path = "/metrics",
                                .least = web::Role::read,
                                .handler = handler,
                                .operation_id = "getMetrics",
                                .summary = "Metrics of the manager and of ports, for Prometheus",
                                .request_schema = "",
                                .response_schema = "",
                                .content_type = std::string(content_type(Format::text))}}},
      .observe = [ports](const View& view) { ports->observe(port_source(view)); }};
}

}  // namespace sm
