#pragma once
// The datagram protocol between programs and a fabric simulator, as ibsim defines it (checked
// against ibsim 0.10). Our preload library is a client, heddle-sim is a server.
//
// A client has two datagram sockets. On the control socket it has one request open at a time: a
// Control goes to the server's control socket, and the answer is the same record with `type` set to
// `error`, or with `data` filled. The data socket carries MADs, one per datagram, each in a Packet.
// The order of events when a client attaches:
//   1. bind the client's control socket (any name) and its data socket ("<base>:in<id>"; id is not
//      0; upstream clients take their pid);
//   2. Control{connect, Attach{.id = id, .nodeid = ...}}; the answer's Attach.id is the number of
//      the client, 0...;
//   3. connect the data socket to "<base>:out<client>" and send; the server sends to
//      "<base>:in<id>";
//   4. Control{disconnect}. The server is not notified of a client's end in any other way.
// Over UDP the same runs on ports: control on P, client n's data on P + 1 + n, and Attach.id is the
// port of the client's data socket.
//
// All integers are in host order unless a comment says otherwise: client and server run on machines
// of one byte order.
//
// A server for upstream's clients, and a client of upstream's server, must respect these rules:
//  - Names are in the abstract namespace, and a NUL after the text belongs to the name (see
//    socket_address()).
//  - The data socket of a client must be bound before `connect` is sent: upstream's server exits
//    when it cannot connect to it.
//  - Upstream has 10 client numbers. It notices the end of a client only when a write to it fails;
//    the number is taken until then.
//  - Upstream answers a control type it does not know with the unchanged record, not with `error`,
//    and does not answer at all when the magic or the client number is wrong. It crashes when a
//    client that is not attached sends anything but `connect`.
//  - The server overwrites the top 16 bits of the transaction id of every MAD that is not a
//  response
//    (R bit clear) with the number of the client it came from, and gives a response to the client
//    with the number that these bits hold. An RMPP ACK of a response has R clear (and the
//    requester's own number already in place); an ACK of a request has R set. Only 48 bits are the
//    client's.
//  - A MAD that is not a response and that no agent inside of the server answers is given to a
//    client of the destination port: upstream takes the first one with the flag that Attach.issm or
//    `set_is_sm` sets. Attach.issm requests such MADs only; `set_is_sm` also sets IsSM in the
//    CapabilityMask, and sends trap 144. Upstream admits one client with Attach.issm to a node;
//    heddle-sim should give the MAD to all clients of the port with the flag, since each drops what
//    none of its agents takes.
//  - A MAD that cannot be delivered goes back to its sender at once, with Packet.status ETIMEDOUT.
//    It may be half changed into an answer. That holds for responses, too. A real port would
//    receive nothing: clients must treat such a packet as lost.
//  - Directed routes: HopPointer must be 0 in requests and in responses, D must equal R, both DR
//    LIDs must be permissive; upstream drops anything else, and MADs with BaseVersion != 1 or
//    ClassVersion > 2, without a message. It delivers requests with HopPointer 0 and the return
//    path filled in, and expects the answer in the same form. TrapRepress is dropped.
//  - Upstream's agents are looked up with MgmtClass & 15: class 0x31 ends in the subnet management
//    agent.
//  - Upstream's server spins at 100 % CPU while a client does not read (it repeats write() on
//  EAGAIN), and serves no other client until it reads. So neither side may block in send() without
//  reading. Two unix sockets that are connected to each other, as these are, are not limited by
//  net.unix.max_dgram_qlen: some 270 packets fit before EAGAIN, and nothing is lost (measured:
//  20,000 requests sent without a pause, 160,000 answers a second). A server that sends from a
//  socket that is not connected has 11 packets only.
//  - Upstream reads control sockets first. A client that disconnects must wait until the server has
//    read what it sent before (SIOCOUTQ); otherwise the server takes that for a packet of the next
//    client with the number.
//  - Upstream's `get_guid` and `get_gid` give the node GUID; the GUID of port n of a CA is node
//    GUID + n, and the port's NodeInfo says so.
//  - Upstream attaches to port 1 of a CA, or port 0 of a switch. `nodeid` is the quoted name of the
//    topology file, or else the NodeDescription; the answer has the quoted name, at most 31
//    characters.

#include <sys/socket.h>
#include <sys/un.h>

#include <arpa/inet.h>
#include <endian.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace sim::wire {

inline constexpr std::uint32_t kMagic = 0xDEADBEEF;
inline constexpr std::uint16_t kDefaultUdpPort = 7070;
inline constexpr std::uint32_t kStatusTimedOut = 110;  // ETIMEDOUT of Linux, whatever the platform

/// Environment variables of both sides.
inline constexpr const char* kEnvSocketName = "IBSIM_SOCKNAME";  // base of the socket names
inline constexpr const char* kDefaultSocketName = "sim";
inline constexpr const char* kEnvServerHost =
    "IBSIM_SERVER_NAME";  // if set and not empty: UDP to this host
inline constexpr const char* kEnvServerPort = "IBSIM_SERVER_PORT";  // kDefaultUdpPort if not set
inline constexpr const char* kEnvHost =
    "SIM_HOST";  // node to attach to; the server's default if not set

enum class ControlType : std::uint32_t {
  error = 0,          // in answers only
  connect = 1,        // data: Attach, in both directions
  disconnect = 2,     // no data
  get_port = 3,       // answer: LidAndState
  get_vendor = 4,     // answer: Vendor
  get_gid = 5,        // answer: 16 bytes; the prefix in network order, the GUID in host order
  get_guid = 6,       // answer: 8 bytes, host order. heddle-sim: the GUID of the attached port
  get_node_info = 7,  // answer: 64 bytes of NodeInfo as on the wire; LocalPortNum and PortGUID are
                      // not those of the attached port
  get_port_info =
      8,  // data[0]: port number, 0 = the attached one; answer: 64 bytes of PortInfo as on the wire
  set_is_sm = 9,    // data: std::uint32_t, 1 or 0
  get_p_keys = 10,  // answer: the first 32 P_Keys as on the wire
  use_routes = 11,  // heddle-sim only. data: kRoutesWanted, answer: kRoutesAccepted. From then on
                    // packets are RoutedPackets in both directions. Upstream does not know it
  read_attribute = 12,  // heddle-sim only. data: ReadAttribute, answer: 64 bytes of the attribute.
                        // The driver reads its own device so, whatever M_Key protects it
  use_omni_path = 13,   // heddle-sim only. data: kOmniPathWanted, answer: kOmniPathAccepted where
                        // ports have MADs of Omni-Path; from then on also OmniPathPackets
};
inline constexpr std::uint32_t kRoutesWanted = 0x47524820, kRoutesAccepted = 0x47524821;
inline constexpr std::uint32_t kOmniPathWanted = 0x4F504120, kOmniPathAccepted = 0x4F504121;

/// A datagram of the control sockets.
struct Control {
  std::uint32_t magic = kMagic;
  std::uint32_t client = 0;  // ignored with `connect`
  ControlType type = ControlType::error;
  std::uint32_t length = 0;  // of the used part of `data`; not checked by upstream
  std::array<std::uint8_t, 64> data{};
};

/// Data of `connect`. heddle-sim also takes "NAME:PORT" and "0x<port GUID>" as nodeid, and then
/// attaches to any port; "#N" behind any of them selects vport N of the port.
struct Attach {
  std::uint32_t id =
      0;  // request: number in the name of the client's data socket. Answer: number of the client
  std::uint32_t qp = 0;    // upstream: a MAD for this QP (above 1) is for this client. 0 in all
                           // clients that are known
  std::uint32_t issm = 0;  // 1: the client takes MADs that are not responses
  std::array<char, 32> nodeid{};  // NUL at the end; empty: the server's default
};

struct ReadAttribute {
  std::uint32_t attribute_id = 0;
  std::uint32_t attribute_modifier = 0;
};

struct LidAndState {
  std::uint16_t lid = 0;
  std::uint8_t state = 0;
  std::uint8_t padding = 0;
};

struct Vendor {
  std::uint32_t vendor_id = 0;
  std::uint32_t device_id = 0;
  std::uint32_t revision = 0;
  std::uint32_t padding = 0;
  std::uint64_t firmware = 0;
};

/// A 16-bit number in network order, in the lower half of a 32-bit number in host order.
struct NetLid {
  std::uint32_t raw = 0;
  static NetLid of(std::uint16_t lid) { return {htons(lid)}; }
  std::uint16_t value() const { return ntohs(static_cast<std::uint16_t>(raw)); }
};

/// A packet on the data sockets, always of 288 bytes.
struct Packet {
  NetLid dlid, slid;  // 0xFFFF: by the directed route inside. slid 0: the server puts in the LID of
                      // the client's port
  std::uint32_t dqp_be = 0;  // network order
  std::uint32_t sqp_be = 0;  // network order
  std::uint32_t status_be =
      0;  // network order; not 0 (kStatusTimedOut): this is the client's own MAD, which got lost
  std::uint32_t padding = 0;    // need not be 0
  std::uint64_t length_be = 0;  // network order; bytes of the MAD that count, 256 as a rule;
                                // upstream hands it through unread
  std::array<std::uint8_t, 256> mad{};

  std::uint32_t dqp() const { return ntohl(dqp_be); }
  std::uint32_t sqp() const { return ntohl(sqp_be); }
  std::uint32_t status() const { return ntohl(status_be); }
  std::uint64_t length() const { return be64toh(length_be); }
};

/// The parts of a MAD's address that Packet does not have.
struct PacketRoute {
  std::array<std::uint8_t, 16> gid{};  // of the GRH: the destination of a sent packet, the source
                                       // of a received one
  std::uint8_t grh_present = 0;
  std::uint8_t own_gid_index = 0, hop_limit = 0, traffic_class = 0;
  std::uint32_t flow_label = 0;
  std::uint16_t p_key_index = 0;  // in the own port's table
  std::uint8_t sl = 0;
  std::uint8_t padding = 0;
  std::uint32_t more_padding = 0;
};
/// A packet of a client that has sent `use_routes`.
struct RoutedPacket : Packet {
  PacketRoute route;
};
/// A packet with a MAD of Omni-Path: `mad` has its first bytes, `length` counts all of them.
struct OmniPathPacket : RoutedPacket {
  static constexpr std::size_t kMadBytes = 2048;
  std::array<std::uint8_t, kMadBytes - 256> rest{};
};

static_assert(sizeof(OmniPathPacket) == sizeof(RoutedPacket) + 2048 - 256);
static_assert(sizeof(PacketRoute) == 32 && sizeof(RoutedPacket) == sizeof(Packet) + 32);
static_assert(sizeof(Control) == 80 && offsetof(Control, type) == 8 &&
              offsetof(Control, data) == 16);
static_assert(sizeof(Attach) == 44 && offsetof(Attach, nodeid) == 12);
static_assert(sizeof(LidAndState) == 4 && offsetof(LidAndState, state) == 2);
static_assert(sizeof(Vendor) == 24 && offsetof(Vendor, firmware) == 16);
static_assert(sizeof(Packet) == 288 && offsetof(Packet, dqp_be) == 8 &&
              offsetof(Packet, status_be) == 16 && offsetof(Packet, length_be) == 24 &&
              offsetof(Packet, mad) == 32);
static_assert(std::is_trivially_copyable_v<Control> && std::is_trivially_copyable_v<Attach> &&
              std::is_trivially_copyable_v<Packet> && std::is_trivially_copyable_v<RoutedPacket>);

/// Names of the server's control socket, of its data socket for client `n`, and of a client's two
/// sockets.
inline std::string control_name(std::string_view base) { return std::string(base) + ":ctl"; }
inline std::string server_data_name(std::string_view base, unsigned client) {
  return std::string(base) + ":out" + std::to_string(client);
}
inline std::string client_control_name(std::string_view base, unsigned id) {
  return std::string(base) + ":ctl" + std::to_string(id);
}
inline std::string client_data_name(std::string_view base, unsigned id) {
  return std::string(base) + ":in" + std::to_string(id);
}

/// An address in the abstract namespace of unix sockets.
struct SocketAddress {
  sockaddr_un address{};
  socklen_t length = 0;
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&address); }
};

/// Returns the address of one of the names above. It includes the NUL behind the text, as
/// upstream's does. A name that is too long is cut.
inline SocketAddress socket_address(std::string_view name) {
  SocketAddress out;
  out.address.sun_family = AF_UNIX;
  const std::size_t size = std::min(name.size(), sizeof(out.address.sun_path) - 2);
  std::copy_n(name.begin(), size, out.address.sun_path + 1);
  out.length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + size + 1);
  return out;
}

}  // namespace sim::wire
