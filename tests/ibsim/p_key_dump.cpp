// Prints the first block of P_Key tables, read with libibmad: no code of Heddle.
//
//   p_key_dump LID:PORT ...
//
// PORT 0: the end port that has the LID; else an external port of the switch that has it.
// One line for each argument: the argument, and the 32 keys in hexadecimal.

#include <cstdio>
#include <cstdlib>

#include <infiniband/mad.h>

int main(int argc, char** argv) {
  int classes[] = {IB_SMI_CLASS, IB_SMI_DIRECT_CLASS};
  ibmad_port* via = mad_rpc_open_port(nullptr, 0, classes, 2);
  if (via == nullptr) return 1;
  int result = 0;
  for (int i = 1; i < argc; ++i) {
    char* rest = nullptr;
    const auto lid = static_cast<int>(std::strtol(argv[i], &rest, 10));
    const auto port =
        *rest == ':' ? static_cast<unsigned>(std::strtoul(rest + 1, nullptr, 10)) : 0u;
    ib_portid_t where{};
    ib_portid_set(&where, lid, 0, 0);
    unsigned char block[IB_SMP_DATA_SIZE];
    if (smp_query_via(block, &where, IB_ATTR_PKEY_TBL, port << 16, 0, via) == nullptr) {
      std::fprintf(stderr, "no answer from %s\n", argv[i]);
      result = 1;
      continue;
    }
    std::printf("%s", argv[i]);
    for (unsigned key = 0; key < 32; ++key)
      std::printf(" %02x%02x", block[2 * key], block[2 * key + 1]);
    std::printf("\n");
  }
  mad_rpc_close_port(via);
  return result;
}
