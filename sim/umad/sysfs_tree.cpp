#include "sim/umad/sysfs_tree.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "mad/number.h"
#include "sim/umad/libc.h"

namespace sim::umad {
namespace {

constexpr std::string_view kSysfsRoot = "/sys/class/infiniband";
constexpr std::string_view kDev = "/dev/infiniband";

bool to_number(std::string_view text, unsigned& out) {
  const auto number = mad::parse_number<unsigned>(text);
  if (number) out = *number;
  return number.has_value();
}

}  // namespace

std::string tidy(std::string_view path) {
  std::string out;
  std::size_t at = 0;
  while (at < path.size()) {
    while (at < path.size() && path[at] == '/') ++at;
    const std::size_t end = std::min(path.find('/', at), path.size());
    const std::string_view part = path.substr(at, end - at);
    if (!part.empty() && part != ".") (out += '/') += part;
    at = end;
  }
  return out.empty() ? "/" : out;
}

OurPath classify(const char* path) {
  // Paths such as "//sys" are rare: the test must be fast for all other paths of the program.
  if (path == nullptr || path[0] != '/') return {};
  const char* begin = path;
  while (begin[1] == '/') ++begin;
  if (begin[1] != 's' && begin[1] != 'd') return {};
  if (std::strstr(begin, "infiniband") == nullptr) return {};
  const std::string clean = tidy(begin);
  const std::string_view view = clean;
  if (view.starts_with(kSysfsRoot)) {
    // The simulated tree replaces infiniband and infiniband_mad, which need not exist on this host.
    return {.kind = OurPath::Kind::sysfs};
  }
  if (!view.starts_with(kDev)) return {};
  const std::string_view rest = view.substr(kDev.size());
  if (rest.empty()) return {.kind = OurPath::Kind::sysfs};
  if (rest.front() != '/') return {};
  OurPath out;
  if (rest.starts_with("/umad") && to_number(rest.substr(5), out.number))
    out.kind = OurPath::Kind::umad;
  else if (rest.starts_with("/issm") && to_number(rest.substr(5), out.number))
    out.kind = OurPath::Kind::issm;
  else
    out.kind = OurPath::Kind::sysfs;
  return out;
}

SysfsPort port_of(std::string_view path) {
  constexpr std::string_view kDevices = "/sys/class/infiniband/", kPorts = "/ports/";
  SysfsPort out;
  if (!path.starts_with(kDevices)) return out;
  path.remove_prefix(kDevices.size());
  const std::size_t slash = path.find('/');
  if (slash == std::string_view::npos || !path.substr(slash).starts_with(kPorts)) return out;
  out.device = path.substr(0, slash);
  path.remove_prefix(slash + kPorts.size());
  const std::size_t end = std::min(path.find('/'), path.size());
  if (!to_number(path.substr(0, end), out.port)) return out;
  out.named = true;
  if (end < path.size()) out.file = path.substr(end + 1);
  return out;
}

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "heddle-umad-";
constexpr const char* kSysfs = "/sys/class/infiniband/";
constexpr const char* kSysfsMad = "/sys/class/infiniband_mad/";
constexpr unsigned kGidsMax =
    8;  // entries of the GID table that are shown: programs read only the first ones
// A port is not read again within this time: a program reads it file by file, and each file would
// be a request, 128 of them for a P_Key table of four blocks.
constexpr std::chrono::milliseconds kCurrent{10};
constexpr int kPortInfoPart = -1;  // other parts are blocks of the P_Key table

[[gnu::format(printf, 1, 2)]] std::string text(const char* format, ...) {
  char buffer[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(buffer, sizeof buffer, format, arguments);
  va_end(arguments);
  return buffer;
}

unsigned word(std::uint64_t value, unsigned index) {
  return static_cast<unsigned>(value >> (48 - 16 * index) & 0xFFFF);
}
std::string words(std::uint64_t value) {
  return text("%04x:%04x:%04x:%04x", word(value, 0), word(value, 1), word(value, 2),
              word(value, 3));
}

const char* find_name(mad::NodeType type) {
  switch (type) {
    case mad::NodeType::switch_:
      return "switch";
    case mad::NodeType::router:
      return "router";
    default:
      return "CA";
  }
}

const char* state_name(unsigned state) {
  constexpr std::array<const char*, 6> kNames{"NOP",   "DOWN",   "INIT",
                                              "ARMED", "ACTIVE", "ACTIVE_DEFER"};
  return state < kNames.size() ? kNames[state] : "<unknown>";
}

const char* physical_state_name(unsigned state) {
  constexpr std::array<const char*, 8> kNames{
      "<unknown>",         "Sleep",   "Polling", "Disabled", "PortConfigurationTraining", "LinkUp",
      "LinkErrorRecovery", "Phy Test"};
  return state < kNames.size() ? kNames[state] : "<unknown>";
}

unsigned width_of(unsigned width) {
  switch (width) {
    case 2:
      return 4;
    case 4:
      return 8;
    case 8:
      return 12;
    case 16:
      return 2;
    default:
      return 1;
  }
}

struct Speed {
  const char* name;
  unsigned tenth_gbit;  // of a link width of 1x
};

Speed speed_of(const mad::PortInfo& info) {
  switch (info.link_speed_ext_active()) {
    case 1:
      return {" FDR", 140};
    case 2:
      return {" EDR", 250};
    case 4:
      return {" HDR", 500};
    case 8:
      return {" NDR", 1000};
    default:
      break;
  }
  switch (info.link_speed_active()) {
    case 2:
      return {" DDR", 50};
    case 4:
      return {" QDR", 100};
    default:
      return {"", 25};
  }
}

std::string rate(const mad::PortInfo& info) {
  const Speed speed = speed_of(info);
  const unsigned width = width_of(info.link_width_active()), tenths = width * speed.tenth_gbit;
  return text("%u%s Gb/sec (%uX%s)\n", tenths / 10, tenths % 10 != 0 ? ".5" : "", width,
              speed.name);
}

std::string port_path(const Device& device, const DevicePort& port) {
  return kSysfs + device.name + "/ports/" + std::to_string(port.number) + "/";
}

/// Returns the directory of the trees: $TMPDIR, or else memory. A tree has some 200 files and lasts
/// as long as the program. ext4 does not reuse an inode for some seconds after its file was
/// removed: the tree of a program that runs after many others takes 150 ms there, and 3 ms in
/// memory.
fs::path parent_of_trees() {
  constexpr const char* kMemory = "/dev/shm";
  constexpr std::uint64_t kRoom = 16u << 20;  // containers may have little
  struct statvfs memory{};
  if (std::getenv("TMPDIR") == nullptr && statvfs(kMemory, &memory) == 0 &&
      std::uint64_t{memory.f_bavail} * memory.f_frsize >= kRoom &&
      libc().access(kMemory, W_OK | X_OK) == 0)
    return kMemory;
  std::error_code ignored;
  fs::path directory = fs::temp_directory_path(ignored);
  return directory.empty() ? "/tmp" : directory;
}

/// Removes directories whose process has ended; a free lock shows that.
void remove_left_behind(const fs::path& directory) {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory, ignored)) {
    if (!entry.path().filename().string().starts_with(kPrefix)) continue;
    const int lock = libc().open((entry.path() / "lock").c_str(), O_RDWR | O_CLOEXEC);
    if (lock < 0) continue;
    if (flock(lock, LOCK_EX | LOCK_NB) == 0) fs::remove_all(entry.path(), ignored);
    libc().close(lock);
  }
}

}  // namespace

SysfsTree::SysfsTree() {
  const fs::path directory = parent_of_trees();
  remove_left_behind(directory);
  std::string pattern =
      (directory / (std::string(kPrefix) + std::to_string(getpid()) + "-XXXXXX")).string();
  if (mkdtemp(pattern.data()) == nullptr) return;
  lock_ = libc().open((pattern + "/lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock_ >= 0) flock(lock_, LOCK_EX | LOCK_NB);
  root_ = pattern;
}

SysfsTree::~SysfsTree() {
  std::error_code ignored;
  if (good()) fs::remove_all(root_, ignored);
  if (lock_ >= 0) libc().close(lock_);
}

void SysfsTree::write(const std::string& path, const std::string& text) {
  const auto [written, is_new] = written_.try_emplace(path, text);
  if (!is_new && written->second == text) return;
  written->second = text;
  const std::string file = root_ + path;
  if (is_new) {
    create(file, text);
    return;
  }
  // A reader must see the old text or the new one.
  const std::string fresh = root_ + "/fresh";
  if (create(fresh, text)) std::rename(fresh.c_str(), file.c_str());
}

void SysfsTree::write_entry(const std::string& path, const std::string& text) {
  // Most entries of a table are equal, so they are links to one file. That file is never written
  // again; a file that changes is replaced.
  std::string& other = entry_with_[text];
  if (!written_.contains(path) && !other.empty() && written_[other] == text &&
      link((root_ + other).c_str(), (root_ + path).c_str()) == 0) {
    written_[path] = text;
    return;
  }
  write(path, text);
  other = path;
}

bool SysfsTree::create(const std::string& file, const std::string& text) {
  constexpr int kFlags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC;
  int fd = libc().open(file.c_str(), kFlags, 0644);
  if (fd < 0 && errno == ENOENT) {
    std::error_code ignored;
    fs::create_directories(fs::path(file).parent_path(), ignored);
    fd = libc().open(file.c_str(), kFlags, 0644);
  }
  if (fd < 0) return false;
  const bool all = libc().write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  libc().close(fd);
  return all;
}

void SysfsTree::write_port(const Device& device, const DevicePort& port,
                           const mad::PortInfo& info) {
  const std::string base = port_path(device, port);
  const auto state = static_cast<unsigned>(info.port_state()),
             physical = static_cast<unsigned>(info.port_physical_state());
  write(base + "state", text("%u: %s\n", state, state_name(state)));
  write(base + "phys_state", text("%u: %s\n", physical, physical_state_name(physical)));
  write(base + "lid", text("0x%x\n", info.lid().value));
  write(base + "lid_mask_count", text("%u\n", info.lmc()));
  write(base + "sm_lid", text("0x%x\n", info.master_sm_lid().value));
  write(base + "sm_sl", text("%u\n", info.master_sm_sl().value));
  write(base + "cap_mask", text("0x%08x\n", info.capability_mask()));
  write(base + "rate", rate(info));
  write(base + "link_layer", "InfiniBand\n");
  // Before a subnet manager has set GidPrefix, the port has the default prefix.
  const std::uint64_t prefix = info.gid_prefix() != 0 ? info.gid_prefix() : 0xFE80'0000'0000'0000u;
  const unsigned gids = std::clamp<unsigned>(info.guid_cap(), 1, kGidsMax);
  for (unsigned i = 0; i < gids; ++i)
    write_entry(base + "gids/" + std::to_string(i),
                words(prefix) + ":" + words(i == 0 ? port.guid.value : 0) + "\n");
}

void SysfsTree::write_p_keys(const Device& device, const DevicePort& port, unsigned block,
                             const mad::PKeyTable& table) {
  const std::string base = port_path(device, port) + "pkeys/";
  const unsigned capacity = std::max<unsigned>(1, device.node_info.partition_cap());
  for (unsigned i = 0;
       i < mad::PKeyTable::kEntries && block * mad::PKeyTable::kEntries + i < capacity; ++i)
    write_entry(base + std::to_string(block * mad::PKeyTable::kEntries + i),
                text("0x%04x\n", table.p_key(i).value));
}

void SysfsTree::build(std::span<const Device> devices, const QuerySmp& query) {
  write(std::string(kSysfsMad) + "abi_version", "5\n");
  for (const Device& device : devices) {
    const std::string base = kSysfs + device.name + "/";
    const mad::NodeInfo& node = device.node_info;
    const unsigned type = node.node_type_raw();
    write(base + "node_type", text("%u: %s\n", type, find_name(node.node_type())));
    write(base + "node_guid", words(node.node_guid().value) + "\n");
    write(base + "sys_image_guid", words(node.system_image_guid().value) + "\n");
    write(base + "node_desc", device.description + "\n");
    write(base + "fw_ver", "1.0.0\n");
    write(base + "hw_rev", text("%x\n", node.revision()));
    write(base + "hca_type", text("simulated-%u\n", node.device_id()));
    write(base + "board_id", "simulated\n");
    for (const DevicePort& port : device.ports) {
      write_port(device, port, device.port_info(port, query).value_or(mad::PortInfo()));
      // The files are created on first access, because there may be thousands.
      std::error_code ignored;
      fs::create_directories(root_ + port_path(device, port) + "pkeys", ignored);
      for (const char* kind : {"umad", "issm"}) {
        const std::string number = kind + std::to_string(port.umad);
        write(kSysfsMad + number + "/ibdev", device.name + "\n");
        write(kSysfsMad + number + "/port", text("%u\n", port.number));
        write("/dev/infiniband/" + number, "");
      }
    }
  }
}

bool SysfsTree::is_current(const DevicePort& port, int part, std::uint64_t exchanged) const {
  const auto found = reads_.find({port.umad, part});
  return found != reads_.end() && found->second.exchanged == exchanged &&
         Clock::now() - found->second.at < kCurrent;
}

void SysfsTree::refresh(std::span<const Device> devices, const std::string& tidy_path,
                        std::uint64_t exchanged, const QuerySmp& query) {
  const SysfsPort named = port_of(tidy_path);
  if (!named.named) return;
  const auto device = std::find_if(devices.begin(), devices.end(),
                                   [&](const Device& other) { return other.name == named.device; });
  if (device == devices.end()) return;
  const DevicePort* port = device->port(named.port);
  if (port == nullptr) return;
  if (!named.file.starts_with("pkeys")) {
    if (is_current(*port, kPortInfoPart, exchanged)) return;
    const auto info = device->port_info(*port, query);
    if (!info) return;
    write_port(*device, *port, *info);
    reads_[{port->umad, kPortInfoPart}] = {.at = Clock::now(), .exchanged = exchanged};
    return;
  }
  const unsigned blocks = std::max(1u, mad::PKeyTable::blocks(device->node_info.partition_cap()));
  unsigned first = 0, end = blocks;
  if (named.file.size() > 6) {
    first = static_cast<unsigned>(
                std::strtoul(std::string(named.file.substr(6)).c_str(), nullptr, 10)) /
            mad::PKeyTable::kEntries;
    end = std::min(first + 1, blocks);
  }
  for (unsigned block = first; block < end; ++block) {
    if (is_current(*port, static_cast<int>(block), exchanged)) continue;
    const auto table = device->p_keys(*port, block, query);
    if (!table && port->agents != nullptr) continue;
    write_p_keys(*device, *port, block, table.value_or(mad::PKeyTable()));
    reads_[{port->umad, static_cast<int>(block)}] = {.at = Clock::now(), .exchanged = exchanged};
  }
}

}  // namespace sim::umad
