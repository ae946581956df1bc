#pragma once
// A stage of requests that are known from the start, without a class of its own.

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "sm/sweep/devices/stage.h"

namespace sm {

/// Says what follows from the outcomes of the requests for items. Empty functions leave what Stage
/// does.
template <class Item>
struct Outcomes {
  std::function<void(const Item&, std::span<const std::uint8_t, 64>, ApplyReport&)> accept = {};
  std::function<bool(const Item&, std::uint16_t status)> refuse = {};
  std::function<void(const Item&)> lose = {};
  std::function<void(const Item&, std::uint16_t status, std::span<const std::uint8_t, 64>,
                     ApplyReport&)>
      accept_rejected = {};
  /// If it is not empty, the attribute is read right before it is written, and this decides.
  std::function<bool(const Item&, std::span<const std::uint8_t, 64>)> confirm = {};
  bool may_fail = false, reads_back = false;
};

/// Sends a request for each item. A request is made when it is sent: items may be many.
template <class Item>
class Requests final : public Stage {
 public:
  Requests(StageKind kind, mad::Method method, std::vector<Item> items,
           std::function<Write(const Item&)> request, Outcomes<Item> outcomes)
      : Stage(kind),
        method_(method),
        items_(std::move(items)),
        request_(std::move(request)),
        outcomes_(std::move(outcomes)) {}

  mad::Method method() const override { return method_; }
  std::size_t size() const override { return items_.size(); }
  Write write(std::size_t number) const override { return request_(items_[number]); }
  bool reads_first() const override { return static_cast<bool>(outcomes_.confirm); }
  bool confirm(std::size_t number, std::span<const std::uint8_t, 64> data) override {
    return outcomes_.confirm(items_[number], data);
  }
  void accept(std::size_t number, std::span<const std::uint8_t, 64> data,
              ApplyReport& report) override {
    outcomes_.accept(items_[number], data, report);
  }
  void accept_rejected(std::size_t number, std::uint16_t status,
                       std::span<const std::uint8_t, 64> data, ApplyReport& report) override {
    if (!outcomes_.accept_rejected) return accept(number, data, report);
    outcomes_.accept_rejected(items_[number], status, data, report);
  }
  bool may_fail() const override { return outcomes_.may_fail; }
  bool reads_back() const override { return outcomes_.reads_back; }
  bool refuse(std::size_t number, std::uint16_t status) override {
    return outcomes_.refuse && outcomes_.refuse(items_[number], status);
  }
  void lose(std::size_t number) override {
    if (outcomes_.lose) outcomes_.lose(items_[number]);
  }

 private:
  const mad::Method method_;
  const std::vector<Item> items_;
  const std::function<Write(const Item&)> request_;
  const Outcomes<Item> outcomes_;
};

/// Returns a stage of SubnGets. In a plan, the data of a request is the expected response.
template <class Item>
std::unique_ptr<Stage> make_reads(StageKind kind, std::vector<Item> items,
                                  std::function<Write(const Item&)> request,
                                  Outcomes<Item> outcomes) {
  return std::make_unique<Requests<Item>>(kind, mad::Method::get, std::move(items),
                                          std::move(request), std::move(outcomes));
}

}  // namespace sm
