// Commands about HCAs below the kernel of this machine.

#include "sim/server/console.h"
#include "sim/server/kernel_device.h"

namespace sim::server {
namespace {

void hca(Session& s, Arguments& args) {
  if (s.kernel == nullptr) throw CommandError("not available without --kernel");
  if (args.empty()) {
    for (const KernelDevice::Plugged& each : s.kernel->plugged())
      s.say("{} {}", each.device, s.names.id(each.node));
    return;
  }
  const bool plugs = args.choice("action", {"pull", "plug"}) == 1;
  const NodeIndex node = args.node();
  Interfaces interfaces = Interfaces::all;
  if (plugs && !args.empty()) {
    constexpr Interfaces kKinds[] = {Interfaces::no_qp0, Interfaces::with_grh,
                                     Interfaces::ethernet};
    interfaces = kKinds[args.choice("interface", {"no-qp0", "grh", "ethernet"})];
  }
  args.finish();
  const auto done = plugs ? s.kernel->plug(node, interfaces) : s.kernel->unplug(node);
  if (!done) throw CommandError(done.error());
}

constexpr Command kKernelCommands[] = {
    {"hca", "[plug NODE [no-qp0|grh|ethernet] | pull NODE]",
     "plugs a node into this machine as an HCA, or pulls it out; alone: lists them", hca},
};

}  // namespace

std::span<const Command> kernel_commands() { return kKernelCommands; }

}  // namespace sim::server
