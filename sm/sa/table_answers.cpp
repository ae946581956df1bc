#include "sm/sa/table_answers.h"

#include <algorithm>
#include <utility>

#include "mad/sa_attribute.h"

namespace sa {
namespace {

constexpr std::size_t kTableHeaderBytes = ResponseBuffer::kHeaderBytes;

/// Returns the headers of all segments of a table.
std::array<std::uint8_t, kTableHeaderBytes> table_headers(const mad::ReceivedMad& received,
                                                          const ResponseBuffer& response) {
  mad::MadBytes headers = single_response(received, mad::status::kOk);
  mad::SaView header{std::span<std::uint8_t, mad::kMadBytes>(headers)};
  header.set_attribute_offset(
      static_cast<std::uint16_t>(response.records() == 0 ? 0 : response.pitch() / 8));
  std::array<std::uint8_t, kTableHeaderBytes> out{};
  std::copy_n(headers.begin(), out.size(), out.begin());
  return out;
}

}  // namespace

mad::ConstSaView sa_view(const mad::ReceivedMad& received) {
  return mad::ConstSaView{std::span<const std::uint8_t, mad::kMadBytes>(received.bytes)};
}

mad::MadBytes single_response(const mad::ReceivedMad& received, std::uint16_t status,
                              std::span<const std::uint8_t> record) {
  mad::MadBytes bytes = received.bytes;
  mad::SaView mad{std::span<std::uint8_t, mad::kMadBytes>(bytes)};
  // Set is answered with GetResp: there is no SetResp (IBTA Vol 1, 13.4.5 and 15.2.2).
  mad.set_method(mad.method() == mad::Method::set
                     ? mad::Method::get_resp
                     : static_cast<mad::Method>(mad::to_raw(mad.method()) | mad::kResponseBit));
  mad.set_status(status);
  mad.set_sm_key(0);
  mad.set_rmpp_flags(0);
  // The request asks for paths, and so does the answer say.
  if (static_cast<mad::SaAttributeId>(mad.attribute_id()) ==
      mad::SaAttributeId::multi_path_record) {
    mad.set_attribute_id(static_cast<mad::AttributeId>(mad::SaAttributeId::path_record));
  }
  if (record.empty()) return bytes;
  std::ranges::fill(mad.data(), std::uint8_t{0});
  std::ranges::copy(record.first(std::min(record.size(), mad.data().size())), mad.data().begin());
  mad.set_attribute_offset(static_cast<std::uint16_t>((record.size() + 7) / 8));
  return bytes;
}

bool TableAnswers::has_room(const Waiting& request) const {
  const Client& requester = request.requester;
  InUse tables{.all = size_}, pending;
  if (const auto found = of_port_.find(requester.port); found != of_port_.end()) {
    for (const auto& production : found->second) {
      if (production->is_get()) continue;
      const std::size_t own = production->request.requester == requester ? 1 : 0;
      ++tables.port;
      tables.own += own;
      if (production->stage == Stage::streaming) continue;  // it is one of the transfers
      ++pending.port;
      pending.own += own;
    }
  }
  if (!transfers_.has_room(requester, pending.port, pending.own)) return false;
  const Admission decision = admission(kTables, requester, tables);
  return decision == Admission::admitted ||
         (decision == Admission::full && find_displaced_by(request) != nullptr);
}

/// Returns the table that ends for this request if all places are taken, or null if none may end.
const TableAnswers::Production* TableAnswers::find_displaced_by(const Waiting& request) const {
  std::vector<Holding> holdings;
  std::vector<const Production*> tables;
  for (const auto& [port, turn] : of_port_) {
    for (const auto& production : turn) {
      if (production->is_get()) continue;
      const mad::TimePoint came = production->request.came;
      holdings.push_back({.port = port,
                          .since = came,
                          .due = production->stage == Stage::streaming
                                     ? transfers_.due(production->stream)
                                     : came + time_for(0)});
      tables.push_back(production.get());
    }
  }
  const std::vector<std::size_t> displaced =
      find_displaced(holdings, request.requester.port, 1, request.came);
  return displaced.empty() ? nullptr : tables[displaced.front()];
}

/// Ends answers until the bytes of all fit. Returns false if `current` is one of them. It has its
/// turn, and is not in of_port_.
bool TableAnswers::fits(Production& current) {
  if (current.is_get()) return true;
  const std::size_t own = current.response.record_bytes().size();
  while (bytes() + own > kBytesMax) {
    Production& largest = find_largest(current);
    end(largest);
    if (&largest == &current) return false;
    largest.is_over = true;
    largest.response = {};
  }
  return true;
}

/// Returns the latest answer of the port that has the most bytes in answers that are produced as a
/// whole.
TableAnswers::Production& TableAnswers::find_largest(Production& current) const {
  const auto own = of_port_.find(current.request.requester.port);
  Production* latest = &current;
  std::size_t most = current.response.record_bytes().size();
  const auto add = [](const Turn& turn, std::size_t& bytes, Production*& last) {
    for (const auto& production : turn) {
      if (production->stage != Stage::whole || production->is_get() || production->is_over)
        continue;
      bytes += production->response.record_bytes().size();
      if (last == nullptr || production->request.came > last->request.came) last = production.get();
    }
  };
  if (own != of_port_.end()) add(own->second, most, latest);
  for (auto port = of_port_.begin(); port != of_port_.end(); ++port) {
    if (port == own) continue;
    std::size_t bytes = 0;
    Production* last = nullptr;
    add(port->second, bytes, last);
    if (bytes <= most) continue;
    most = bytes;
    latest = last;
  }
  return *latest;
}

/// Ends an answer before it is complete; its requester repeats the request.
void TableAnswers::end(Production& production) {
  if (production.is_over) return;
  ++ended_early_;
  if (production.stage == Stage::streaming)
    transfers_.abort(production.stream);
  else
    owner_.drop(production.request.mad, Drop::no_room);
}

bool TableAnswers::has_room_for_get(const Client& requester) const {
  InUse gets{.all = gets_};
  if (const auto found = of_port_.find(requester.port); found != of_port_.end())
    for (const auto& production : found->second) gets.port += production->is_get() ? 1u : 0u;
  return admission(kGets, requester, gets) == Admission::admitted;
}

bool TableAnswers::is_running(const mad::MadAddress& from, std::uint64_t transaction_id) const {
  return std::ranges::any_of(of_port_, [&](const auto& port) {
    return std::ranges::any_of(port.second, [&](const auto& production) {
      const mad::ReceivedMad& request = production->request.mad;
      return !production->is_over && sa_view(request).transaction_id() == transaction_id &&
             EndAddress(request.from) == EndAddress(from);
    });
  });
}

void TableAnswers::add(const Waiting& request, const Query& query, const RecordType& type,
                       Snapshot snapshot, AnswerPosition position, ResponseBuffer response) {
  auto production = std::make_unique<Production>();
  production->request = request;
  production->snapshot = std::move(snapshot);
  production->snapshot_number = snapshots_;
  production->query = query;
  const Waiting& own = production->request;
  production->query.record = own.rest.empty()
                                 ? std::span<const std::uint8_t>(sa_view(own.mad).data())
                                 : std::span<const std::uint8_t>(own.rest);
  production->type = &type;
  production->position = position;
  production->response = std::move(response);
  if (!production->is_get() && size_ >= kTables.total) {
    const Production* const displaced = find_displaced_by(request);
    drop([&](Production& other) {
      if (&other != displaced) return false;
      end(other);
      return true;
    });
  }
  ++count_of(*production);
  of_port_[request.requester.port].push_back(std::move(production));
}

void TableAnswers::send(const Waiting& request, ResponseBuffer& response) {
  std::ranges::copy(table_headers(request.mad, response), response.header().begin());
  if (!transfers_.start(response.bytes(), answer_to(request.mad.from), request.requester))
    return owner_.drop(request.mad, Drop::no_room);
  owner_.answered(request.mad, request.came);
}

bool TableAnswers::has_work(const Production& production) const {
  if (production.stage != Stage::streaming) return true;
  const std::optional<std::size_t> takes = transfers_.takes(production.stream);
  return !takes || *takes > 0;
}

bool TableAnswers::has_work() const {
  return std::ranges::any_of(of_port_, [&](const auto& port) {
    return std::ranges::any_of(port.second,
                               [&](const auto& production) { return has_work(*production); });
  });
}

bool TableAnswers::work() {
  // Tries the ports after the one that had the latest turn, then those before it.
  const auto try_ports = [&](auto begin, auto end) {
    for (auto port = begin; port != end; ++port) {
      Turn& turn = port->second;
      const auto ready =
          std::ranges::find_if(turn, [&](const auto& production) { return has_work(*production); });
      if (ready == turn.end()) continue;
      latest_turn_ = port->first;
      std::unique_ptr<Production> production = std::move(*ready);
      turn.erase(ready);
      if (step(*production)) {
        --count_of(*production);
        if (turn.empty()) of_port_.erase(port);
      } else {
        turn.push_back(std::move(production));
      }
      return true;
    }
    return false;
  };
  const auto first = of_port_.upper_bound(latest_turn_);
  return try_ports(first, of_port_.end()) || try_ports(of_port_.begin(), first);
}

bool TableAnswers::step(Production& production) {
  if (production.is_over) return true;
  std::optional<std::size_t> takes;
  if (production.stage == Stage::streaming) {
    takes = transfers_.takes(production.stream);
    if (!takes) return true;  // acknowledged, or given up
    if (production.position.at_end) {
      // Its inputs have changed, and the answer has become shorter than announced.
      transfers_.abort(production.stream);
      return true;
    }
  }
  const View seen{.subnet = *production.snapshot.subnet,
                  .registrations = registrations_,
                  .options = production.snapshot.context->options,
                  .files = production.snapshot.context->files,
                  .paths = production.snapshot.paths.get(),
                  .own_sm = &production.snapshot.own_sm};
  ++slices_;
  ResponseBuffer& response = production.response;
  const bool as_a_whole = production.type->registered;
  const std::uint16_t status =
      answer_slice(seen, production.query, *production.type, response, production.position,
                   as_a_whole ? kResponseBytesMax : kStreamBytesMax);
  if (production.stage == Stage::streaming) {
    if (status != mad::status::kOk) {
      transfers_.abort(production.stream);
      return true;
    }
    transfers_.supply(production.stream, response.record_bytes());
    response.drop_records();
    return false;
  }
  if (status != mad::status::kOk) {
    owner_.refuse(production.request.mad, status);
    return true;
  }
  if (production.stage == Stage::whole && !fits(production)) return true;
  if (production.stage == Stage::whole) {
    if (production.position.at_end) {
      if (production.is_get())
        owner_.send_record(production.request, response);
      else
        send(production.request, response);
      return true;
    }
    if (as_a_whole || response.record_bytes().size() <= kWholeBytesMax) return false;
    production.stage = Stage::counting;
  }
  response.drop_records();
  return production.position.at_end && end_of_count(production);
}

bool TableAnswers::end_of_count(Production& production) {
  ResponseBuffer& response = production.response;
  const auto stream = transfers_.start_stream(
      table_headers(production.request.mad, response), response.records() * response.pitch(),
      answer_to(production.request.mad.from), production.request.requester);
  if (!stream) {
    owner_.drop(production.request.mad, Drop::no_room);
    return true;
  }
  owner_.answered(production.request.mad, production.request.came);
  production.stage = Stage::streaming;
  production.stream = *stream;
  production.position = {};
  response = {};
  return false;
}

template <class Which>
void TableAnswers::drop(const Which& which) {
  for (auto port = of_port_.begin(); port != of_port_.end();) {
    std::erase_if(port->second, [&](const auto& production) {
      if (!which(*production)) return false;
      --count_of(*production);
      return true;
    });
    port = port->second.empty() ? of_port_.erase(port) : std::next(port);
  }
}

void TableAnswers::update_from(const std::shared_ptr<const fabric::Subnet>& latest) {
  if (latest_.lock() == latest) return;
  latest_ = latest;
  ++snapshots_;
  std::vector<std::uint64_t> numbers;
  for (const auto& [port, turn] : of_port_)
    for (const auto& production : turn) numbers.push_back(production->snapshot_number);
  std::ranges::sort(numbers);
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  if (numbers.size() <= kOldSubnetsMax) return;
  const std::uint64_t oldest_kept = numbers[numbers.size() - kOldSubnetsMax];
  drop([&](Production& production) {
    if (production.snapshot_number >= oldest_kept) return false;
    end(production);
    return true;
  });
}

void TableAnswers::clear() {
  drop([&](const Production& production) {
    if (production.stage == Stage::streaming) transfers_.abort(production.stream);
    return true;
  });
}

std::size_t TableAnswers::bytes() const {
  std::size_t bytes = 0;
  for (const auto& [port, turn] : of_port_)
    for (const auto& production : turn) bytes += production->response.record_bytes().size();
  return bytes;
}

}  // namespace sa
