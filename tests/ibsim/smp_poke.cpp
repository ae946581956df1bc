// Writes wrong values into a fabric, so that tests can verify that the reference checks report
// them. Uses libibmad, no code of Heddle.
//
//   smp_poke lft <switch LID> <LID> <port>      one entry of a linear forwarding table
//   smp_poke lid <LID> <port> <new LID>         PortInfo of an end port, nothing else changed

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <infiniband/mad.h>

namespace {

int use() {
  std::fprintf(stderr, "usage: smp_poke lft SWITCH_LID LID PORT | lid LID PORT NEW_LID\n");
  return 2;
}

int set_forwarding_entry(ib_portid_t* where, unsigned lid, unsigned port, ibmad_port* via) {
  unsigned char block[IB_SMP_DATA_SIZE];
  if (smp_query_via(block, where, IB_ATTR_LINEARFORWTBL, lid / 64, 0, via) == nullptr) return 1;
  block[lid % 64] = static_cast<unsigned char>(port);
  return smp_set_via(block, where, IB_ATTR_LINEARFORWTBL, lid / 64, 0, via) == nullptr ? 1 : 0;
}

int set_lid(ib_portid_t* where, unsigned port, unsigned new_lid, ibmad_port* via) {
  unsigned char info[IB_SMP_DATA_SIZE];
  if (smp_query_via(info, where, IB_ATTR_PORT_INFO, port, 0, via) == nullptr) return 1;
  mad_set_field(info, 0, IB_PORT_LID_F, new_lid);
  mad_set_field(info, 0, IB_PORT_STATE_F, 0);       // no change
  mad_set_field(info, 0, IB_PORT_PHYS_STATE_F, 0);  // no change
  return smp_set_via(info, where, IB_ATTR_PORT_INFO, port, 0, via) == nullptr ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return use();
  int classes[] = {IB_SMI_CLASS, IB_SMI_DIRECT_CLASS};
  ibmad_port* via = mad_rpc_open_port(nullptr, 0, classes, 2);
  if (via == nullptr) return 1;
  ib_portid_t where{};
  ib_portid_set(&where, static_cast<int>(std::strtol(argv[2], nullptr, 0)), 0, 0);
  const auto second = static_cast<unsigned>(std::strtoul(argv[3], nullptr, 0));
  const auto third = static_cast<unsigned>(std::strtoul(argv[4], nullptr, 0));
  int result = 2;
  if (std::strcmp(argv[1], "lft") == 0) {
    result = set_forwarding_entry(&where, second, third, via);
  } else if (std::strcmp(argv[1], "lid") == 0) {
    result = set_lid(&where, second, third, via);
  } else {
    result = use();
  }
  mad_rpc_close_port(via);
  return result;
}
