#include <vector>

#include "fabric/topology/topology_model.h"
#include "mad/format.h"
#include "sm/ctl/topology/builder.h"
#include "sm/ctl/topology/generators.h"

namespace topology {

/// Implements the finite field GF(q). Elements are 0 .. q-1: the coefficients of a polynomial over
/// GF(p), as digits to the base p.
class GaloisField {
 public:
  /// Throws TopologyError unless q is a prime power from 2 to 1024.
  explicit GaloisField(unsigned q);

  unsigned size() const { return q_; }
  unsigned add(unsigned a, unsigned b) const;
  unsigned negative(unsigned a) const;
  unsigned multiply(unsigned a, unsigned b) const;
  /// Returns g^exponent of a fixed generator g of the multiplicative group.
  unsigned power(unsigned exponent) const { return power_[exponent % (q_ - 1)]; }

 private:
  unsigned q_, p_ = 0;
  std::vector<unsigned> power_, log_;
};

namespace {

unsigned smallest_factor(unsigned n) {
  for (unsigned f = 2; f * f <= n; ++f) {
    if (n % f == 0) return f;
  }
  return n;
}

}  // namespace

GaloisField::GaloisField(unsigned q) : q_(q) {
  if (q < 2 || q > 1024)
    throw TopologyError(
        fmt::format("there is no field here with {} elements: 2 to 1024 are possible", q));
  p_ = smallest_factor(q);
  unsigned rest = q;
  while (rest % p_ == 0) rest /= p_;
  if (rest != 1)
    throw TopologyError(
        fmt::format("there is no field with {} elements: it is not a power of a prime", q));
  // With x for the generator, x^degree = `tail` for some tail; the right tails are those for which
  // x has order q - 1. In a prime field (degree 1) that makes `tail` itself the generator.
  const unsigned top = q / p_;
  for (unsigned tail = 1; tail < q; ++tail) {
    power_.assign(1, 1);
    while (power_.size() < q) {
      const unsigned last = power_.back();
      unsigned next = last % top * p_;  // times x, without the digit that overflows
      for (unsigned i = 0; i < last / top; ++i) next = add(next, tail);
      if (next <= 1) break;
      power_.push_back(next);
    }
    if (power_.size() == q - 1) break;
  }
  log_.assign(q, 0);
  for (unsigned i = 0; i < power_.size(); ++i) log_[power_[i]] = i;
}

unsigned GaloisField::add(unsigned a, unsigned b) const {
  unsigned sum = 0;
  for (unsigned weight = 1; weight < q_; weight *= p_)
    sum += (a / weight + b / weight) % p_ * weight;
  return sum;
}

unsigned GaloisField::negative(unsigned a) const {
  unsigned result = 0;
  for (unsigned weight = 1; weight < q_; weight *= p_)
    result += (p_ - a / weight % p_) % p_ * weight;
  return result;
}

unsigned GaloisField::multiply(unsigned a, unsigned b) const {
  return a == 0 || b == 0 ? 0 : power(log_[a] + log_[b]);
}

// McKay, Miller, Siran: "A note on large graphs of diameter two and given maximum degree", 1998; in
// the form with generator sets that Hafner gave it (2004), and as a network: Besta and Hoefler,
// "Slim Fly", 2014.

namespace {

// Holds the differences for which two switches of a column are connected, in the first half of the
// columns and in the second.
struct GeneratorSets {
  std::vector<bool> first, second;
};

GeneratorSets generator_sets(const GaloisField& field) {
  const unsigned q = field.size();
  GeneratorSets sets{std::vector<bool>(q), std::vector<bool>(q)};
  if (q % 4 != 3) {  // 4w and 4w + 1: even powers, odd powers
    for (unsigned i = 0; i < q - 1; i += 2) sets.first[field.power(i)] = true;
    for (unsigned i = 1; i < q; i += 2) sets.second[field.power(i)] = true;
  } else {  // 4w - 1: -1 is an odd power, so the parity changes half way to keep the sets closed
            // under it
    const unsigned w = (q + 1) / 4;
    for (unsigned i = 0; i <= 2 * w - 2; i += 2)
      sets.first[field.power(i)] = sets.first[field.power(i + 2 * w - 1)] = true;
    for (unsigned i = 1; i <= 2 * w - 1; i += 2)
      sets.second[field.power(i)] = sets.second[field.power(i + 2 * w - 1)] = true;
  }
  return sets;
}

}  // namespace

Topology slim_fly(const SlimFlyParams& params) {
  const unsigned q = params.q;
  if (q < 3 || q > 156)
    throw TopologyError(
        fmt::format("q is {}; it must be 3 to 156, since 2 * q^2 switches need LIDs", q));
  if (q % 4 == 2)
    throw TopologyError(
        fmt::format("q is {}; it must be a power of a prime (3, 4, 5, 7, 8, 9, 11, 13, ...)", q));
  const GaloisField field(q);
  const GeneratorSets sets = generator_sets(field);
  const unsigned degree = (3 * q - (q % 4 == 1 ? 1 : 0) + (q % 4 == 3 ? 1 : 0)) / 2;
  const std::size_t p = params.hosts_per_switch == 0 ? (degree + 1) / 2 : params.hosts_per_switch;
  require(degree + p <= mad::kPortNumMax, "a switch would need more than 254 ports");

  Builder builder;
  const std::vector<std::size_t> hosts = builder.add_hosts(std::size_t{2} * q * q * p);
  std::vector<std::size_t> switches;  // half, column, row
  switches.reserve(std::size_t{2} * q * q);
  for (unsigned i = 0; i < 2 * q * q; ++i)
    switches.push_back(builder.add(NodeType::switch_, fmt::format("G{}-S{}", i / q, i % q)));
  const auto at = [&](unsigned half, unsigned column, unsigned row) {
    return switches[(half * q + column) * q + row];
  };
  for (std::size_t i = 0; i < hosts.size(); ++i) builder.link(hosts[i], switches[i / p]);
  for (unsigned half = 0; half < 2; ++half) {
    const std::vector<bool>& joined = half == 0 ? sets.first : sets.second;
    for (unsigned column = 0; column < q; ++column) {
      for (unsigned row = 0; row < q; ++row) {
        for (unsigned other = row + 1; other < q; ++other) {
          if (joined[field.add(other, field.negative(row))])
            builder.link(at(half, column, row), at(half, column, other));
        }
      }
    }
  }
  // The line y = m x + c joins (x, y) of the first half and (m, c) of the second.
  for (unsigned x = 0; x < q; ++x) {
    for (unsigned m = 0; m < q; ++m) {
      for (unsigned c = 0; c < q; ++c)
        builder.link(at(0, x, field.add(field.multiply(m, x), c)), at(1, m, c));
    }
  }
  return builder.finish();
}

}  // namespace topology
