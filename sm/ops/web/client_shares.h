#pragma once
// A bounded number of places for clients, of which no user and no address takes all.

#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <tl/expected.hpp>
#include <utility>

#include "sm/ops/web/exchange.h"

namespace sm::web {

/// Any thread.
class ClientShares {
 public:
  struct Bounds {
    std::size_t all = 0, of_user = 0, of_address = 0;
  };

  /// Holds a place during its lifetime, which ends before that of the ClientShares.
  class Place {
   public:
    Place(ClientShares& shares, std::string user, std::string address)
        : shares_(&shares), user_(std::move(user)), address_(std::move(address)) {}
    Place(Place&& other) noexcept
        : shares_(std::exchange(other.shares_, nullptr)),
          user_(std::move(other.user_)),
          address_(std::move(other.address_)) {}
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    Place& operator=(Place&&) = delete;
    ~Place() {
      if (shares_ != nullptr) shares_->give_back(user_, address_);
    }

   private:
    ClientShares* shares_;
    std::string user_, address_;
  };

  explicit ClientShares(Bounds bounds) : bounds_(bounds) {}

  /// Takes a place. A caller without a user, and one on this machine, whose address is not limited,
  /// has no bound of that kind. Errors: which bound is reached, as a sentence for the client.
  tl::expected<Place, std::string> take(const Caller& caller);

 private:
  using Counts = std::map<std::string, std::size_t>;  // without zeros
  void give_back(const std::string& user, const std::string& address);

  const Bounds bounds_;
  std::mutex mutex_;
  std::size_t all_ = 0;
  Counts of_user_, of_address_;
};

}  // namespace sm::web
