#pragma once

#include <set>
#include <string>
#include <vector>

namespace sm {

/// Lines that stand for as long as what they say is true, and are told when they appear.
class ToldOnce {
 public:
  /// `standing`: all that is true now. Returns those that were not so at the last call, in their
  /// order.
  std::vector<std::string> news(const std::vector<std::string>& standing) {
    std::vector<std::string> fresh;
    std::set<std::string> now;
    for (const std::string& line : standing) {
      if (now.insert(line).second && !told_.contains(line)) fresh.push_back(line);
    }
    told_ = std::move(now);
    return fresh;
  }

 private:
  std::set<std::string> told_;
};

}  // namespace sm
