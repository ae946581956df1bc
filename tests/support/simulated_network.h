#pragma once
// Streams of bytes between managers in virtual time, with faults: latency, slow links, links cut in
// one direction or both, ends of streams in the middle of a frame. A cut link keeps what was sent,
// as TCP does, until it heals or an end closes the stream.

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/world/virtual_runtime.h"
#include "sm/store/peers/byte_stream.h"

namespace support {

class SimulatedNetwork {
 public:
  explicit SimulatedNetwork(sim::VirtualRuntime& runtime) : runtime_(runtime) {}

  mad::Duration latency = std::chrono::milliseconds(1);
  /// By destination; without an entry the link has no limit.
  std::map<std::string, std::size_t> bytes_per_second;
  /// May change or shorten what a host sends; false closes the stream after it.
  std::function<bool(const std::string& from, const std::string& to, std::string& bytes)> on_send;
  std::map<std::pair<std::string, std::string>, std::size_t> sent;  // bytes, by from and to

  void cut(const std::string& from, const std::string& to) { cuts_.emplace(from, to); }
  void cut_both(const std::string& one, const std::string& other) {
    cut(one, other);
    cut(other, one);
  }
  void heal() {
    cuts_.clear();
    for (const auto& weak : pipes_)
      if (const auto pipe = weak.lock()) pipe->readable.signal();
  }
  /// Makes the transport of a host; the one before, if any, is closed.
  std::unique_ptr<sm::peers::Transport> attach(const std::string& host);

  /// A program that has attached.
  struct Listener {
    explicit Listener(sim::VirtualRuntime& runtime) : wake(runtime) {}
    std::deque<std::shared_ptr<sm::peers::ByteStream>> waiting;
    mad::WakeUp wake;
    bool is_suspended = false, is_closed = false;
  };
  using Program = std::shared_ptr<Listener>;
  Program program(const std::string& host) const { return listeners_.at(host); }
  /// SIGSTOP and SIGCONT: what arrives for the program waits.
  static void suspend(const Program& program) { program->is_suspended = true; }
  void resume(const Program& program) {
    program->is_suspended = false;
    program->wake.signal();
    for (const auto& weak : pipes_)
      if (const auto pipe = weak.lock()) pipe->readable.signal();
  }
  /// kill -9: its streams end, and it handles nothing before resume().
  void kill(const Program& program) {
    program->is_suspended = program->is_closed = true;
    program->waiting.clear();
    for (const auto& weak : pipes_) {
      const auto pipe = weak.lock();
      if (!pipe || (pipe->reader != program && pipe->writer != program)) continue;
      pipe->is_closed = true;
      pipe->readable.signal();
      pipe->writable.signal();
    }
  }

 private:
  static constexpr std::size_t kWindow = std::size_t{256} << 10;

  struct Pipe {
    Pipe(sim::VirtualRuntime& runtime, std::string source, std::string destination,
         Program source_program, Program destination_program)
        : readable(runtime),
          writable(runtime),
          from(std::move(source)),
          to(std::move(destination)),
          writer(std::move(source_program)),
          reader(std::move(destination_program)) {}
    mad::WakeUp readable, writable;
    std::string from, to;
    Program writer, reader;
    std::deque<std::pair<mad::TimePoint, std::string>> chunks;
    std::size_t in_flight = 0;
    mad::TimePoint last{};
    bool is_closed = false;
  };
  using PipePointer = std::shared_ptr<Pipe>;

  class Stream final : public sm::peers::ByteStream {
   public:
    Stream(SimulatedNetwork& network, PipePointer in, PipePointer out)
        : network_(network), in_(std::move(in)), out_(std::move(out)) {}
    ~Stream() override { close(); }
    boost::asio::awaitable<tl::expected<std::string, std::string>> read() override {
      return network_.receive(in_);
    }
    boost::asio::awaitable<bool> write(std::string bytes) override {
      return network_.send(out_, in_, std::move(bytes));
    }
    void close() override {
      for (const PipePointer& pipe : {in_, out_}) {
        pipe->is_closed = true;
        pipe->readable.signal();
        pipe->writable.signal();
      }
    }
    std::string remote() const override { return in_->from; }

   private:
    SimulatedNetwork& network_;
    PipePointer in_, out_;
  };

  class HostTransport final : public sm::peers::Transport {
   public:
    HostTransport(SimulatedNetwork& network, std::string host, Program listener)
        : network_(network), host_(std::move(host)), listener_(std::move(listener)) {}
    ~HostTransport() override { close(); }
    boost::asio::awaitable<sm::peers::NewStream> connect(sm::peers::PeerAddress address) override {
      return network_.connect(host_, listener_, std::move(address.host));
    }
    boost::asio::awaitable<sm::peers::NewStream> accept() override {
      return network_.accept(listener_);
    }
    void close() override {
      listener_->is_closed = true;
      listener_->waiting.clear();
      listener_->wake.signal();
    }

   private:
    SimulatedNetwork& network_;
    std::string host_;
    Program listener_;
  };

  bool is_cut(const Pipe& pipe) const { return cuts_.contains({pipe.from, pipe.to}); }

  boost::asio::awaitable<tl::expected<std::string, std::string>> receive(PipePointer pipe) {
    for (;;) {
      const bool arrives = !pipe->chunks.empty() && !is_cut(*pipe) && !pipe->reader->is_suspended;
      if (arrives && pipe->chunks.front().first <= runtime_.now()) {
        std::string bytes = std::move(pipe->chunks.front().second);
        pipe->chunks.pop_front();
        pipe->in_flight -= bytes.size();
        pipe->writable.signal();
        co_return bytes;
      }
      if (pipe->is_closed && !arrives && !pipe->reader->is_suspended)
        co_return tl::unexpected(std::string("it has closed the connection"));
      co_await pipe->readable.wait_until(arrives ? pipe->chunks.front().first
                                                 : mad::TimePoint::max());
    }
  }
  boost::asio::awaitable<bool> send(PipePointer pipe, PipePointer back, std::string bytes) {
    while (pipe->in_flight > 0 && pipe->in_flight + bytes.size() > kWindow && !pipe->is_closed)
      co_await pipe->writable.wait_until(mad::TimePoint::max());
    if (pipe->is_closed) co_return false;
    const bool goes_on = !on_send || on_send(pipe->from, pipe->to, bytes);
    sent[{pipe->from, pipe->to}] += bytes.size();
    pipe->in_flight += bytes.size();
    // A slow link delivers in parts.
    const auto limit = bytes_per_second.find(pipe->to);
    const std::size_t part_bytes = limit == bytes_per_second.end() ? kWindow : 1000;
    pipe->last = std::max(runtime_.now() + latency, pipe->last);
    for (std::size_t at = 0; at < bytes.size(); at += part_bytes) {
      std::string part = bytes.substr(at, part_bytes);
      if (limit != bytes_per_second.end())
        pipe->last += std::chrono::microseconds(1'000'000 * part.size() / limit->second);
      pipe->chunks.emplace_back(pipe->last, std::move(part));
    }
    pipe->is_closed |= !goes_on;
    back->is_closed |= !goes_on;
    pipe->readable.signal();
    back->readable.signal();
    co_return goes_on;
  }
  boost::asio::awaitable<sm::peers::NewStream> connect(std::string from, Program program,
                                                       std::string to) {
    mad::WakeUp pause(runtime_);
    const auto listener = listeners_.find(to);
    const bool is_away = cuts_.contains({from, to}) || cuts_.contains({to, from}) ||
                         (listener != listeners_.end() && listener->second->is_suspended &&
                          !listener->second->is_closed);
    co_await pause.wait_until(runtime_.now() + (is_away ? std::chrono::seconds(2) : latency));
    while (program->is_suspended)
      co_await pause.wait_until(runtime_.now() + std::chrono::seconds(1));
    if (is_away || program->is_closed || listener == listeners_.end() ||
        listener->second->is_closed)
      co_return tl::unexpected(std::string(is_away ? "connect: time-out" : "connect: refused"));
    const auto there = std::make_shared<Pipe>(runtime_, from, to, program, listener->second);
    const auto back = std::make_shared<Pipe>(runtime_, to, from, listener->second, program);
    std::erase_if(pipes_, [](const auto& weak) { return weak.expired(); });
    pipes_.insert(pipes_.end(), {there, back});
    listener->second->waiting.push_back(std::make_shared<Stream>(*this, there, back));
    listener->second->wake.signal();
    co_return std::make_shared<Stream>(*this, back, there);
  }
  static boost::asio::awaitable<sm::peers::NewStream> accept(Program listener) {
    while (listener->is_suspended || (listener->waiting.empty() && !listener->is_closed))
      co_await listener->wake.wait_until(mad::TimePoint::max());
    if (listener->is_closed) co_return tl::unexpected(std::string("closed"));
    auto stream = std::move(listener->waiting.front());
    listener->waiting.pop_front();
    co_return stream;
  }

  sim::VirtualRuntime& runtime_;
  std::set<std::pair<std::string, std::string>> cuts_;
  std::vector<std::weak_ptr<Pipe>> pipes_;
  std::map<std::string, Program> listeners_;
};

inline std::unique_ptr<sm::peers::Transport> SimulatedNetwork::attach(const std::string& host) {
  auto listener = std::make_shared<Listener>(runtime_);
  if (const auto before = listeners_.find(host); before != listeners_.end()) {
    before->second->is_closed = true;
    before->second->wake.signal();
  }
  listeners_.insert_or_assign(host, listener);
  return std::make_unique<HostTransport>(*this, host, std::move(listener));
}

}  // namespace support
