// Any request for any type of records: no crash, records of the right size, and a Get returns one
// record or a status. The input is a MAD of 256 bytes, shorter ones are filled up with zeros; the
// type is selected by its AttributeID, or by the low byte of it if there is no such type.

#include <algorithm>
#include <array>
#include <cstdlib>

#include "mad/mad_header.h"
#include "sm/sa/paths/path_types.h"
#include "sm/sa/query/answer.h"
#include "sm/sa/records/record_types.h"
#include "support/fabrics.h"
#include "support/subnets.h"
#include "support/vports.h"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

subnets::Site& site() {
  static subnets::Site made = [] {
    fabrics::Maker maker;
    const fabric::NodeIndex leaf = maker.sw(20), spine = maker.sw(4);
    for (int i = 0; i < 3; ++i) maker.host(leaf);
    maker.host(spine);
    maker.cable(leaf, spine, 2);
    const fabric::NodeIndex router = maker.router(1);
    maker.cable(router, spine);
    fabric::Fabric fabric = maker.build();
    subnets::randomize_attributes(fabric, 1);
    subnets::Site out(subnets::bring_up(std::move(fabric), 1));
    out.subnet->partitions = subnets::random_partitions(out.subnet->fabric.end_ports.size(), 3);
    auto groups = std::make_shared<fabric::MulticastTables>(2, 2);
    groups->grow(2);
    out.subnet->mfts = std::move(groups);
    out.files.prefix_routes = {{std::nullopt, std::nullopt}};
    fabric::Subnet& subnet = *out.subnet;
    const fabric::PortIndex host = subnet.fabric.end_ports.back(),
                            other = subnet.fabric.end_ports.front();
    const mad::Lid own{static_cast<std::uint16_t>(subnet.lids.lid_top.value + 1)};
    vports::give(subnet, {{.port = host, .guid = {0xA1}},
                          {.port = host, .guid = {0xA2}, .keys = {}, .own_lid = own},
                          {.port = other, .guid = {0xB1}, .hold = fabric::VPortHold::p_keys}});
    return out;
  }();
  return made;
}

const sa::RecordType& find_type(std::uint16_t id) {
  std::vector<const sa::RecordType*> types(sa::record_types().begin(), sa::record_types().end());
  types.insert(types.end(), sa::path_types().begin(), sa::path_types().end());
  const auto found =
      std::ranges::find(types, static_cast<mad::SaAttributeId>(id), &sa::RecordType::attribute);
  return found != types.end() ? **found : *types[(id & 0xFF) % types.size()];
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::array<std::uint8_t, mad::kMadBytes> bytes{};
  std::copy_n(data, std::min(size, bytes.size()), bytes.begin());
  const mad::ConstMadView header{std::span<const std::uint8_t, mad::kMadBytes>(bytes)};
  const sa::RecordType& type = find_type(static_cast<std::uint16_t>(header.attribute_id()));
  const std::span<const std::uint8_t> all(bytes);
  const auto& ends = site().subnet->fabric.end_ports;
  sa::Query query;
  query.method = header.method();
  query.attribute = type.attribute;
  query.modifier = header.attribute_modifier();
  query.component_mask = mad::read_bits<384, 64>(all);
  query.record = all.subspan(sa::ResponseBuffer::kHeaderBytes);
  query.from.port = ends[fabric::EndPortIndex(bytes[8] % ends.size())];
  query.from.trusted = bytes[9] % 2 != 0;
  site().options.enable_virt_rec_ext = bytes[9] / 2 % 2 != 0;
  const fabric::VPorts& vports = *site().subnet->vports;
  if (const auto* const at = vports.at(query.from.port); at != nullptr && bytes[10] != 0)
    query.from.vport = at->first + std::uint32_t{bytes[10]} % at->count;

  static sa::ResponseBuffer out;
  const std::uint16_t status = sa::answer(site().view(), query, type, out, 1u << 16);
  require(out.bytes().size() == sa::ResponseBuffer::kHeaderBytes + out.records() * out.pitch() &&
          out.pitch() % 8 == 0);
  require(status == mad::status::kOk || out.records() == 0);
  require(type.answers(query.method) || status == mad::status::kMethodAttributeUnsupported);
  if (query.method == mad::Method::get && status == mad::status::kOk) require(out.records() == 1);
  return 0;
}
