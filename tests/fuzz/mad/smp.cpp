// Any 256 bytes may arrive as an SMP. Input: up to 256 bytes.
#include <algorithm>
#include <cstdlib>

#include "mad/smp.h"

namespace mad {
namespace {

using Bytes = std::array<std::uint8_t, kMadBytes>;

void require(bool holds) {
  if (!holds) std::abort();
}

void check_view(const Bytes& bytes) {
  const ConstSmpView smp{std::span<const std::uint8_t, kMadBytes>(bytes)};
  require(smp.is_directed() == (bytes[1] == 0x81));
  require(!smp.is_directed() || smp.status() <= 0x7FFF);
  require(smp.is_returning() == ((bytes[4] & 0x80) != 0));
  require(smp.route().has_value() == (smp.hop_count() <= DirectedRoute::kHopsMax));
  require(name(smp.method()).size() <= 17 && name(smp.attribute_id()).size() <= 32);
  require(!dump(MadHeaderFields::kFields, bytes).empty());
  Bytes copy{};
  SmpView written(copy);
  written.set_base_version(smp.base_version());
  written.set_mgmt_class(smp.mgmt_class());
  written.set_class_version(smp.class_version());
  written.set_method(smp.method());
  written.set_status(smp.status());
  written.set_returning(smp.is_returning());
  written.set_hop_pointer(smp.hop_pointer());
  written.set_hop_count(smp.hop_count());
  written.set_transaction_id(smp.transaction_id());
  written.set_attribute_id(smp.attribute_id());
  written.set_attribute_modifier(smp.attribute_modifier());
  written.set_m_key(smp.m_key());
  written.set_dr_slid(smp.dr_slid());
  written.set_dr_dlid(smp.dr_dlid());
  written.set_data(smp.data());
  std::copy_n(smp.initial_path().begin(), 64, written.initial_path().begin());
  std::copy_n(smp.return_path().begin(), 64, written.return_path().begin());
  std::copy_n(bytes.begin() + 18, 2, copy.begin() + 18);   // reserved
  std::copy_n(bytes.begin() + 36, 28, copy.begin() + 36);  // reserved
  require(copy == bytes);
}

void check_response(const Bytes& request) {
  Bytes bytes = request;
  SmpView smp(bytes);
  const auto status = static_cast<std::uint16_t>(request[255] & 0x1F);
  if (!make_response(smp, status)) {
    require(bytes == request);
    return;
  }
  require(smp.is_response() && smp.status() == status &&
          !make_response(smp));  // a response is never answered
  require(!smp.is_directed() || smp.is_returning());
  require(std::equal(bytes.begin() + 24, bytes.end(), request.begin() + 24));
  require(std::equal(bytes.begin() + 8, bytes.begin() + 20, request.begin() + 8));
}

void check_request(const Bytes& bytes) {
  const std::size_t hops = bytes[7] % 70;
  const auto route = DirectedRoute::of(std::span<const std::uint8_t>(bytes).subspan(128, hops));
  require(route.has_value() == (hops <= DirectedRoute::kHopsMax));
  if (!route) return;
  const auto longer = route->extended(PortNum{bytes[9]});
  require(longer.has_value() == (hops < DirectedRoute::kHopsMax));
  require(!longer || (longer->hop_count() == hops + 1 && *longer != *route &&
                      longer->text().starts_with(route->text())));
  Bytes out = bytes;
  const ConstSmpView smp = make_dr_smp(out, Method::get, AttributeId{bytes[17]}, bytes[20], *route,
                                       MKey{bytes[24]}, bytes[8]);
  require(smp.route() == route &&
          std::hash<DirectedRoute>{}(*smp.route()) == std::hash<DirectedRoute>{}(*route));
  require(!smp.is_response() && !smp.is_returning() && smp.status() == 0);
}

}  // namespace
}  // namespace mad

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  mad::Bytes bytes{};
  std::copy_n(data, std::min(size, bytes.size()), bytes.begin());
  mad::check_view(bytes);
  mad::check_response(bytes);
  mad::check_request(bytes);
  return 0;
}
