#pragma once
// The fabrics of tests/data/real.

#include <zlib.h>

#include <stdexcept>
#include <string>

#include "fabric/topology/read.h"
#include "support/fabrics.h"

namespace real_fabrics {

/// Reads tests/data/real/NAME.net.gz.
inline topology::Topology read(const std::string& name) {
  const std::string path = std::string(HEDDLE_TEST_DATA "/real/") + name + ".net.gz";
  const gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) throw std::runtime_error(path);
  std::string text(1 << 16, '\0');
  std::size_t size = 0;
  for (int got = 1; got > 0; size += static_cast<std::size_t>(got)) {
    if (size == text.size()) text.resize(2 * text.size());
    got = gzread(file, text.data() + size, static_cast<unsigned>(text.size() - size));
    if (got < 0) throw std::runtime_error(path);
  }
  gzclose(file);
  text.resize(size);
  topology::TopologyFile read = topology::read_ibnetdiscover({path, text});
  if (!read.ok()) throw std::runtime_error(read.findings.front().text());
  return std::move(read.topology);
}

inline fabrics::Subnet subnet(const std::string& name, unsigned lmc = 0) {
  return fabrics::Subnet(fabrics::from_topology(read(name)), lmc);
}

}  // namespace real_fabrics
