#include "fabric/topology/galois.h"

#include "fabric/topology/model.h"
#include "mad/format.h"

namespace sim {

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

}  // namespace sim
