#pragma once
// Connections between managers in virtual time: streams of bytes that arrive after a while, wait
// while a link is cut, and end with a process.

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/world/virtual_runtime.h"
#include "sm/store/peers/byte_stream.h"

namespace shared_state {

/// All functions but those of the streams are for tests. A process is known by its number, and has
/// the address of its place.
class PeerNetwork {
 public:
  static constexpr mad::Duration kLatency = std::chrono::microseconds(200),
                                 kConnectLimit = std::chrono::seconds(3);
  static constexpr std::size_t kBufferBytes = 256 << 10;  // between two processes

  explicit PeerNetwork(sim::VirtualRuntime& runtime) : runtime_(runtime) {}

  static sm::peers::PeerAddress address(std::size_t place) {
    return {.host = "manager-" + std::to_string(place), .port = 7890};
  }
  std::unique_ptr<sm::peers::Transport> attach(std::size_t process, std::size_t place,
                                               mad::Runtime& runtime) {
    ends_[process] = std::make_shared<End>(*this, process, place);
    return std::make_unique<Connections>(*this, ends_[process], runtime);
  }
  /// The process handles nothing until resume().
  void suspend(std::size_t process) { ends_.at(process)->is_suspended = true; }
  void resume(std::size_t process) {
    ends_.at(process)->is_suspended = false;
    wake_all();
  }
  /// Its connections end, and it handles nothing. What it does after resume() reaches no other
  /// process.
  void kill(std::size_t process) {
    End& end = *ends_.at(process);
    end.is_dead = end.is_suspended = true;
    for (const auto& pipe : pipes_)
      if (pipe->from == process || pipe->to == process) pipe->is_closed = true;
    wake_all();
  }
  /// Bytes from a place to another one wait.
  void set_cut(std::size_t from, std::size_t to, bool is_cut) {
    if (is_cut)
      cuts_.insert({from, to});
    else
      cuts_.erase({from, to});
    if (!is_cut) wake_all();
  }

 private:
  /// One direction of a connection.
  struct Pipe {
    Pipe(sim::VirtualRuntime& runtime, std::size_t from_process, std::size_t to_process)
        : from(from_process), to(to_process), readable(runtime), writable(runtime) {}
    std::size_t from, to;
    std::deque<std::pair<mad::TimePoint, std::string>> parts;  // with the times of arrival
    std::size_t bytes = 0;
    bool is_closed = false;
    mad::WakeUp readable, writable;
  };
  /// A process.
  struct End {
    End(PeerNetwork& network, std::size_t process_number, std::size_t at)
        : process(process_number), place(at), accepted(network.runtime_) {}
    std::size_t process, place;
    std::deque<std::shared_ptr<sm::peers::ByteStream>> waiting;  // to be accepted
    mad::WakeUp accepted;
    bool is_suspended = false, is_dead = false, is_closed = false;
  };
  class Stream;
  class Connections;

  bool passes(std::size_t from, std::size_t to) const {
    return !cuts_.contains({ends_.at(from)->place, ends_.at(to)->place});
  }
  /// A closed connection is seen when the link passes.
  bool can_read(const Pipe& pipe) const {
    if (ends_.at(pipe.to)->is_suspended || !passes(pipe.from, pipe.to)) return false;
    return pipe.parts.empty() ? pipe.is_closed : pipe.parts.front().first <= runtime_.now();
  }
  void wake_all() {
    for (const auto& pipe : pipes_) {
      pipe->readable.signal();
      pipe->writable.signal();
    }
    for (const auto& [process, end] : ends_) end->accepted.signal();
  }
  std::shared_ptr<Pipe> make_pipe(std::size_t from, std::size_t to) {
    return pipes_.emplace_back(std::make_shared<Pipe>(runtime_, from, to));
  }
  std::shared_ptr<End> listener(const sm::peers::PeerAddress& to) const {
    for (const auto& [process, end] : ends_)
      if (address(end->place) == to && !end->is_dead && !end->is_closed) return end;
    return nullptr;
  }

  sim::VirtualRuntime& runtime_;
  std::map<std::size_t, std::shared_ptr<End>> ends_;  // by process
  std::vector<std::shared_ptr<Pipe>> pipes_;
  std::set<std::pair<std::size_t, std::size_t>> cuts_;  // from a place to a place
};

class PeerNetwork::Stream final : public sm::peers::ByteStream {
 public:
  Stream(PeerNetwork& network, std::shared_ptr<Pipe> in, std::shared_ptr<Pipe> out)
      : network_(network), in_(std::move(in)), out_(std::move(out)) {}

  boost::asio::awaitable<tl::expected<std::string, std::string>> read() override {
    while (!is_closed_ && !network_.can_read(*in_))
      co_await in_->readable.wait_until(mad::TimePoint::max());
    if (is_closed_ || in_->parts.empty())
      co_return tl::unexpected(std::string("the connection was closed"));
    std::string bytes = std::move(in_->parts.front().second);
    in_->parts.pop_front();
    in_->bytes -= bytes.size();
    in_->writable.signal();
    co_return bytes;
  }
  boost::asio::awaitable<bool> write(std::string bytes) override {
    const End& writer = *network_.ends_.at(out_->from);
    while (!is_closed_ &&
           (writer.is_suspended || (!out_->is_closed && out_->bytes >= kBufferBytes)))
      co_await out_->writable.wait_until(mad::TimePoint::max());
    if (is_closed_ || out_->is_closed) co_return false;
    out_->bytes += bytes.size();
    out_->parts.emplace_back(network_.runtime_.now() + kLatency, std::move(bytes));
    network_.runtime_.after(kLatency, [pipe = out_] { pipe->readable.signal(); });
    co_return true;
  }
  void close() override {
    is_closed_ = in_->is_closed = out_->is_closed = true;
    for (Pipe* const pipe : {in_.get(), out_.get()}) {
      pipe->readable.signal();
      pipe->writable.signal();
    }
  }
  std::string remote() const override {
    return to_text(address(network_.ends_.at(in_->from)->place));
  }

 private:
  PeerNetwork& network_;
  std::shared_ptr<Pipe> in_, out_;
  bool is_closed_ = false;
};

class PeerNetwork::Connections final : public sm::peers::Transport {
 public:
  Connections(PeerNetwork& network, std::shared_ptr<End> end, mad::Runtime& runtime)
      : network_(network), end_(std::move(end)), runtime_(runtime) {}
  ~Connections() override { end_->is_closed = true; }

  boost::asio::awaitable<sm::peers::NewStream> connect(sm::peers::PeerAddress to) override {
    co_await wait(2 * kLatency);
    const std::shared_ptr<End> other = network_.listener(to);
    const auto is_cut = [&](std::size_t place) {
      return network_.cuts_.contains({end_->place, place}) ||
             network_.cuts_.contains({place, end_->place});
    };
    const bool answers = other && !other->is_suspended && !is_cut(other->place);
    if (!answers && other) co_await wait(kConnectLimit);
    if (!answers || end_->is_dead || end_->is_closed || other->is_dead)
      co_return tl::unexpected(to_text(to) + ": no connection");
    const auto there = network_.make_pipe(end_->process, other->process),
               back = network_.make_pipe(other->process, end_->process);
    other->waiting.push_back(std::make_shared<Stream>(network_, there, back));
    other->accepted.signal();
    std::shared_ptr<sm::peers::ByteStream> stream = std::make_shared<Stream>(network_, back, there);
    co_return stream;
  }
  boost::asio::awaitable<sm::peers::NewStream> accept() override {
    while (!end_->is_closed && (end_->is_suspended || end_->waiting.empty()))
      co_await end_->accepted.wait_until(mad::TimePoint::max());
    if (end_->is_closed) co_return tl::unexpected(std::string("closed"));
    std::shared_ptr<sm::peers::ByteStream> stream = std::move(end_->waiting.front());
    end_->waiting.pop_front();
    co_return stream;
  }
  void close() override {
    end_->is_closed = true;
    end_->accepted.signal();
  }

 private:
  /// On the clock of the process, which may be suspended.
  boost::asio::awaitable<void> wait(mad::Duration time) {
    mad::WakeUp pause(runtime_);
    co_await pause.wait_until(runtime_.now() + time);
  }

  PeerNetwork& network_;
  std::shared_ptr<End> end_;
  mad::Runtime& runtime_;
};

}  // namespace shared_state
