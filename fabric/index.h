#pragma once
// Dense indices as types: code that passes the index of a port as the index of a switch does not
// compile. An index costs nothing at run time: it is one std::uint32_t.

#include <algorithm>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <utility>
#include <vector>

#include "fabric/large_array.h"

namespace fabric {

/// The index of an `Of` in the one array that holds them all; `Of` is only a name here. Integers
/// become an index explicitly. An index is read as an integer without a cast, since loads, masks
/// and bitmaps are computed from indices everywhere; IndexVector accepts only the right kind.
template <class Of>
class Index {
 public:
  constexpr Index() = default;
  template <std::integral Integer>
    requires(!std::same_as<Integer, bool>)
  explicit constexpr Index(Integer integer) : value(static_cast<std::uint32_t>(integer)) {}
  constexpr operator std::uint32_t() const { return value; }
  /// An index is no condition: index 0 is as valid as the others. Compare with kNoIndex instead.
  template <std::same_as<bool> Bool>
  operator Bool() const = delete;

  constexpr Index& operator++() {
    ++value;
    return *this;
  }
  constexpr Index operator++(int) { return Index(value++); }
  constexpr Index& operator--() {
    --value;
    return *this;
  }
  constexpr Index& operator+=(std::uint32_t count) {
    value += count;
    return *this;
  }

  friend constexpr bool operator==(Index, Index) = default;
  friend constexpr std::strong_ordering operator<=>(Index, Index) = default;
  /// Returns the index that is `count` further. A sum with a wider integer is that integer.
  template <std::integral Integer>
    requires(sizeof(Integer) <= sizeof(std::uint32_t))
  friend constexpr Index operator+(Index index, Integer count) {
    return Index(index.value + static_cast<std::uint32_t>(count));
  }
  template <std::integral Integer>
    requires(sizeof(Integer) <= sizeof(std::uint32_t))
  friend constexpr Index operator-(Index index, Integer count) {
    return Index(index.value - static_cast<std::uint32_t>(count));
  }
  friend constexpr std::uint32_t operator-(Index last, Index first) {
    return last.value - first.value;
  }

  std::uint32_t value = 0;
};

/// Indices of different kinds have no common order, sum or distance.
template <class A, class B>
  requires(!std::same_as<A, B>)
bool operator==(Index<A>, Index<B>) = delete;
template <class A, class B>
  requires(!std::same_as<A, B>)
std::strong_ordering operator<=>(Index<A>, Index<B>) = delete;
template <class A, class B>
Index<A> operator+(Index<A>, Index<B>) = delete;
template <class A, class B>
  requires(!std::same_as<A, B>)
std::uint32_t operator-(Index<A>, Index<B>) = delete;

/// The type of kNoIndex, "no element". It converts to every kind of index, and to nothing else.
struct NoIndex {
  template <class Of>
  constexpr operator Index<Of>() const {
    return Index<Of>(0xFFFFFFFFu);
  }
};
inline constexpr NoIndex kNoIndex;

using NodeIndex = Index<struct Node>;              // Fabric::nodes
using PortIndex = Index<struct Port>;              // Fabric::ports
using SwitchIndex = Index<struct Switch>;          // Fabric::switches
using EndPortIndex = Index<struct FabricEndPort>;  // Fabric::end_ports
using ChannelIndex = Index<struct GraphChannel>;   // SwitchGraph: one direction of a link

/// The indices first, first + 1, ..., last - 1, for a loop over them.
template <class I>
class IndexRange {
 public:
  class iterator {
   public:
    using value_type = I;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::input_iterator_tag;
    using pointer = const I*;
    using reference = I;

    constexpr iterator() = default;
    explicit constexpr iterator(I index) : index_(index) {}
    constexpr I operator*() const { return index_; }
    constexpr iterator& operator++() {
      ++index_;
      return *this;
    }
    constexpr iterator operator++(int) { return iterator(index_++); }
    friend constexpr bool operator==(iterator, iterator) = default;

   private:
    I index_{};
  };

  constexpr IndexRange(I first, I last) : first_(first), last_(last) {}
  constexpr iterator begin() const { return iterator(first_); }
  constexpr iterator end() const { return iterator(last_); }
  constexpr std::size_t size() const { return last_ - first_; }
  constexpr bool empty() const { return first_ == last_; }

 private:
  I first_, last_;
};

/// A std::vector whose elements are accessed by one kind of index. A large one is in huge pages.
template <class I, class T>
class IndexVector : public std::vector<T, LargeAllocator<T>> {
 public:
  using Base = std::vector<T, LargeAllocator<T>>;
  using typename Base::const_reference;
  using typename Base::reference;

  using Base::Base;
  IndexVector() = default;
  explicit IndexVector(Base elements) : Base(std::move(elements)) {}
  IndexVector(std::initializer_list<T> elements) : Base(elements) {}

  // Accepts only an I: an integer, or an index of another kind, does not convert to it.
  reference operator[](I index) { return Base::operator[](index.value); }
  const_reference operator[](I index) const { return Base::operator[](index.value); }
  reference at(I index) { return Base::at(index.value); }
  const_reference at(I index) const { return Base::at(index.value); }
  /// True if there is such an element.
  bool has(I index) const { return index.value < Base::size(); }

  /// The index that push_back() gives to its element.
  I next_index() const { return I(Base::size()); }
  IndexRange<I> indices() const { return {I(0), next_index()}; }

  /// True if the elements are equal; the allocators may differ.
  friend bool operator==(const IndexVector& a, const std::vector<T>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }
};

}  // namespace fabric

template <class Of>
struct std::hash<fabric::Index<Of>> {
  std::size_t operator()(fabric::Index<Of> index) const noexcept { return index.value; }
};
