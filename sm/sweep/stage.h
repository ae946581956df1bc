#pragma once
// One step of programming: many requests of one kind, all of which have their outcome before the
// next step begins.

#include <deque>
#include <string>
#include <string_view>

#include "mad/smp_client.h"
#include "sm/sweep/apply.h"

namespace sm {

inline constexpr std::size_t kProblemsListed = 20;  // in a report; more are only counted

/// Numbered jobs, each one request. Jobs whose node does not answer are tried again at the end.
class Stage : public mad::SmpBatch {
 public:
  /// `what` is for who watches the progress. None of the references is owned.
  Stage(const ApplyOptions& options, const Fabric& fabric, std::string_view what, std::size_t jobs,
        ApplyReport& report)
      : options_(options), fabric_(fabric), what_(what), jobs_(jobs), report_(report) {}

  bool next(mad::SmpRequest& request) final;
  void done(const mad::SmpRequest& request, const mad::SmpReply& reply) final;

 protected:
  /// Writes what is to be sent; returns a port of the node that it goes to, kNoIndex to skip the
  /// job.
  virtual PortIndex fill(std::size_t job, mad::SmpRequest& request) = 0;
  virtual void accept(std::size_t job, std::span<const std::uint8_t, 64> data) = 0;
  virtual void give_up(std::size_t) {}
  /// The node answered with a bad status. True: that has been dealt with, and is no failure of the
  /// sweep.
  virtual bool refused(std::size_t, const mad::SmpRequest&, const mad::SmpReply&) { return false; }
  virtual NodeIndex node_of(std::size_t job) const = 0;

  void problem(std::string text);

  const ApplyOptions& options_;
  const Fabric& fabric_;
  std::string_view what_;
  std::size_t jobs_;
  ApplyReport& report_;

 private:
  // A cookie: bit 63 says that the job is only read back, bits 56..62 count rounds, the rest is the
  // job's number.
  static constexpr unsigned kRoundShift = 56;
  static constexpr std::uint64_t kJobMask = (std::uint64_t{1} << kRoundShift) - 1;
  static constexpr std::uint64_t kCheck = std::uint64_t{1} << 63;
  static constexpr std::uint64_t kRoundMask = 0x7F;
  std::size_t next_ = 0, done_ = 0;
  std::deque<std::uint64_t> again_;
};

}  // namespace sm
