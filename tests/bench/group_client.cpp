// bench_group_client: joins multicast groups through libibumad; what a host does that is the first
// member of many groups. Started by bench_adverse.
//
//   bench_group_client GROUPS
//
// Full memberships of groups that do not exist yet, 32 requests at a time; what has no response
// within a second is sent again. Prints how many were granted.

#include <endian.h>
#include <infiniband/umad.h>
#include <infiniband/umad_sa.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>

#include "mad/records/mc_member_record.h"
#include "mad/rmpp.h"

namespace {

constexpr unsigned kAtOnce = 32;
constexpr int kTimeoutMs = 1000, kRetries = 30;
constexpr int kMadBytes = mad::kMadBytes;
constexpr std::uint32_t kQp1QKey = 0x80010000;
constexpr std::uint64_t kGroupPrefix = 0xFF12A01C00000000;

struct FreeUmad {
  void operator()(void* umad) const { umad_free(umad); }
};

class Client {
 public:
  Client() {
    if (umad_init() < 0) throw std::runtime_error("no umad");
    id_ = umad_open_port(nullptr, 0);
    if (id_ < 0 || umad_get_port(nullptr, 0, &port_) < 0) throw std::runtime_error("no port");
    agent_ = umad_register(id_, UMAD_CLASS_SUBN_ADM, UMAD_SA_CLASS_VERSION, 1, nullptr);
    if (agent_ < 0) throw std::runtime_error("no agent");
  }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  unsigned run(unsigned groups) {
    unsigned sent = 0, granted = 0;
    while (sent < groups && sent < kAtOnce) join(sent++);
    for (unsigned answered = 0; answered < groups; ++answered) {
      granted += response_is_granted() ? 1 : 0;
      if (sent < groups) join(sent++);
    }
    return granted;
  }

 private:
  void join(unsigned number) {
    using Record = mad::McMemberRecord;
    Record record;
    record.set_mgid({kGroupPrefix, number + 1});
    record.set_port_gid({be64toh(port_.gid_prefix), be64toh(port_.port_guid)});
    record.set_join_state(1);
    record.set_p_key(mad::kDefaultPKeyFull);
    record.set_q_key(0x0B1B);
    std::uint64_t mask = 0;
    for (const unsigned bit : {Record::kMgid, Record::kPortGid, Record::kJoinState, Record::kPKey,
                               Record::kQKey, Record::kTClass, Record::kFlowLabel, Record::kSl})
      mask |= std::uint64_t{1} << bit;
    void* const umad = out_.get();
    std::memset(umad, 0, umad_size() + kMadBytes);
    mad::SaView sa{std::span<std::uint8_t, mad::kMadBytes>(
        static_cast<std::uint8_t*>(umad_get_mad(umad)), mad::kMadBytes)};
    sa.set_base_version(mad::kBaseVersion);
    sa.set_mgmt_class(mad::MgmtClass::sa);
    sa.set_class_version(UMAD_SA_CLASS_VERSION);
    sa.set_method(mad::Method::set);
    sa.set_transaction_id(number + 1);
    sa.set_attribute_id(mad::AttributeId{mad::to_raw(mad::SaAttributeId::mc_member_record)});
    sa.set_component_mask(mask);
    std::ranges::copy(record.bytes(), sa.data().begin());
    umad_set_addr(umad, static_cast<int>(port_.sm_lid), 1, static_cast<int>(port_.sm_sl),
                  static_cast<int>(kQp1QKey));
    if (umad_send(id_, agent_, umad, kMadBytes, kTimeoutMs, kRetries) < 0)
      throw std::runtime_error("it cannot send");
  }

  /// Reads the next response.
  bool response_is_granted() {
    int length = kMadBytes;
    if (umad_recv(id_, in_.get(), &length, kTimeoutMs * (kRetries + 1)) < 0)
      throw std::runtime_error("no response");
    const mad::ConstSaView sa{std::span<const std::uint8_t, mad::kMadBytes>(
        static_cast<const std::uint8_t*>(umad_get_mad(in_.get())), mad::kMadBytes)};
    return umad_status(in_.get()) == 0 && sa.status() == 0;
  }

  int id_ = -1, agent_ = -1;
  umad_port_t port_{};
  const std::unique_ptr<void, FreeUmad> out_{umad_alloc(1, umad_size() + kMadBytes)},
      in_{umad_alloc(1, umad_size() + kMadBytes)};
};

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 2) throw std::invalid_argument("usage: bench_group_client GROUPS");
    Client client;
    std::printf("%u\n", client.run(static_cast<unsigned>(std::stoul(argv[1]))));
    std::fflush(stdout);
    std::_Exit(0);  // umad2sim's end frees what was never allocated
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_group_client: %s\n", error.what());
    return 1;
  }
}
