#pragma once
// Published subnets without a manager: fabrics with links of all kinds, LIDs, tables of min-hop
// routing and partitions; and the input of SA answers.

#include <cstdint>
#include <memory>
#include <vector>

#include "config/input_files.h"
#include "fabric/subnet.h"
#include "sm/sa/paths/path_index.h"
#include "sm/sa/query/record_type.h"
#include "sm/sa/registrations/registrations.h"

namespace subnets {

/// Every end port is a full member of the default partition.
fabric::PartitionMap default_partition(std::size_t end_ports);
/// The keys of the end ports in order; SL 0.
fabric::PartitionMap make_partitions(const std::vector<std::vector<mad::PKey>>& keys);
/// Full and limited members of a few partitions, some ports in none or in one twice; each with its
/// SL.
fabric::PartitionMap random_partitions(std::size_t end_ports, std::uint64_t seed);

/// Gives the ports random MTUs, widths, speeds, capabilities, keys and P_Key tables, independently
/// at both ends of a link.
void randomize_attributes(fabric::Fabric& fabric, std::uint64_t seed);

/// LIDs and tables for the fabric; indexed.
fabric::Subnet bring_up(fabric::Fabric fabric, unsigned lmc = 0);

/// A subnet with the whole input of SA answers. Not copied: the view points into it. Changes are
/// allowed before the first view().
struct Site {
  explicit Site(fabric::Subnet from) : subnet(std::make_unique<fabric::Subnet>(std::move(from))) {
    subnet->partitions = default_partition(subnet->fabric.end_ports.size());
  }

  std::unique_ptr<fabric::Subnet> subnet;
  sa::Registrations registrations{};
  config::Options options{};
  config::InputFiles files{};
  mad::SmInfo own_sm{};

  sa::View view() {
    if (!paths_) {
      subnet->index();
      paths_ = std::make_unique<sa::PathIndex>(*subnet);
    }
    return {*subnet, registrations, options, files, paths_.get(), &own_sm};
  }

 private:
  std::unique_ptr<sa::PathIndex> paths_;
};

}  // namespace subnets
