#pragma once
// Small finite fields, for slim_fly.cpp.

#include <vector>

namespace sim {

/// GF(q). Elements are 0 .. q-1: the coefficients of a polynomial over GF(p), as digits to the base
/// p.
class GaloisField {
 public:
  /// Throws TopologyError unless q is a prime power from 2 to 1024.
  explicit GaloisField(unsigned q);

  unsigned size() const { return q_; }
  unsigned add(unsigned a, unsigned b) const;
  unsigned negative(unsigned a) const;
  unsigned multiply(unsigned a, unsigned b) const;
  /// g^exponent of a fixed generator g of the multiplicative group.
  unsigned power(unsigned exponent) const { return power_[exponent % (q_ - 1)]; }

 private:
  unsigned q_, p_ = 0;
  std::vector<unsigned> power_, log_;
};

}  // namespace sim
