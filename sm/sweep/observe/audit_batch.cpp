#include "sm/sweep/observe/audit_batch.h"

#include <algorithm>
#include <optional>

namespace sm {
namespace {

class AuditBatch final : public mad::SmpBatch {
 public:
  AuditBatch(const Fabric& fabric, std::vector<AuditItem> items)
      : fabric_(fabric), items_(std::move(items)), answers_(items_.size()) {}

  bool next(mad::SmpRequest& request) override {
    while (next_ < items_.size()) {
      const std::size_t number = next_++;
      const AuditItem& item = items_[number];
      const auto route = fabric_.route_to(item.port);
      if (!route) continue;
      request = {};
      request.attribute = item.attribute;
      request.modifier = item.modifier;
      request.route = *route;
      request.node = fabric_.owning_node(item.port).guid;
      request.port = fabric_.m_key_port(item.port);
      request.cookie = number;
      return true;
    }
    return false;
  }

  void done(const mad::SmpRequest& request, const mad::SmpReply& reply) override {
    mad::SmpAnswer& answer = answers_[request.cookie].emplace();
    answer.fault = reply.fault;
    answer.status = reply.status;
    if (reply.ok()) std::ranges::copy(reply.data, answer.data.begin());
  }

  std::vector<AuditAnswer> take() const {
    std::vector<AuditAnswer> all;
    for (std::size_t number = 0; number < items_.size(); ++number)
      if (answers_[number]) all.push_back({.item = items_[number], .answer = *answers_[number]});
    return all;
  }

 private:
  const Fabric& fabric_;
  const std::vector<AuditItem> items_;
  std::vector<std::optional<mad::SmpAnswer>> answers_;
  std::size_t next_ = 0;
};

}  // namespace

boost::asio::awaitable<std::vector<AuditAnswer>> read_audit_items(
    mad::SmpClient& client, std::shared_ptr<const Subnet> subnet, std::vector<AuditItem> items) {
  AuditBatch batch(subnet->fabric, std::move(items));
  co_await client.exchange(batch);
  co_return batch.take();
}

}  // namespace sm
