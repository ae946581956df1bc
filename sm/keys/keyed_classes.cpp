#include "sm/keys/keyed_classes.h"

#include <array>

#include "mad/attributes/keyed_class.h"

namespace sm {
namespace {

constexpr auto kKeyInfo = static_cast<std::uint16_t>(mad::KeyedClassAttribute::key_info);

ClassKeySettings vendor_specific(const config::Options& options) {
  return {.mode = static_cast<ClassKeyMode>(options.vs_key_enable),
          .lease_s = options.vs_key_lease_period,
          .is_protected = options.vs_key_ci_protect_bits != 0,
          .window = options.vs_max_outstanding_mads};
}

ClassKeySettings node_to_node(const config::Options& options) {
  return {.mode = static_cast<ClassKeyMode>(options.n2n_key_enable),
          .lease_s = options.n2n_key_lease_period,
          .is_protected = options.n2n_key_protect_bit != 0,
          .window = options.n2n_max_outstanding_mads};
}

constexpr std::array kClasses{
    KeyedClass{.mgmt_class = mad::MgmtClass::vendor_0a,
               .version = mad::kKeyedClassVersion,
               .data_byte = mad::kKeyedClassDataByte,
               .key_info = kKeyInfo,
               .needed_capability = mad::class_key_capability::kVendorSpecific,
               .name = "vendor specific",
               .option = "vs_key_enable",
               .purpose = "heddle vs_key",
               .file = "guid2vskey",
               .settings = vendor_specific},
    KeyedClass{.mgmt_class = mad::MgmtClass::node_to_node,
               .version = mad::kKeyedClassVersion,
               .data_byte = mad::kKeyedClassDataByte,
               .key_info = kKeyInfo,
               .needed_capability = 0,
               .name = "node to node",
               .option = "n2n_key_enable",
               .purpose = "heddle n2n_key",
               .file = "guid2_m2n_key",
               .settings = node_to_node}};

}  // namespace

std::span<const KeyedClass> keyed_classes() { return kClasses; }

}  // namespace sm
