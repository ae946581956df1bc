#include "sim/umad/umad_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "mad/rmpp.h"
#include "sim/umad/libc.h"

namespace sim::umad {

std::unique_ptr<QueuedMad> MadPool::take() {
  if (!free_) return std::make_unique<QueuedMad>();
  std::unique_ptr<QueuedMad> out = std::move(free_);
  free_ = std::move(out->next);
  --kept_;
  return out;
}

void MadPool::give(std::unique_ptr<QueuedMad> mad) {
  if (kept_ >= kKeptMax) return;
  mad->message.clear();
  if (mad->message.capacity() > kMessageKeptMaxBytes) mad->message.shrink_to_fit();
  mad->next = std::move(free_);
  free_ = std::move(mad);
  ++kept_;
}

UmadFile::~UmadFile() {
  while (first_) {  // iterative: a list of unique_ptr is destroyed recursively
    std::unique_ptr<QueuedMad> next = std::move(first_->next);
    pool_.give(std::exchange(first_, nullptr));
    first_ = std::move(next);
  }
}

bool UmadFile::enable_pkey_index() {
  if (used_) return false;
  pkey_index_ = true;
  return true;
}

void UmadFile::deliver(const ib_user_mad_hdr& header, std::span<const std::uint8_t> mad) {
  if (queued_ >= kQueueMax) return;
  std::unique_ptr<QueuedMad> item = pool_.take();
  item->header = header;
  // A MAD that comes back because of its timeout has the length that the program wrote.
  if (header.status == 0)
    item->header.length = static_cast<std::uint32_t>(header_bytes() + mad.size());
  item->size = mad.size();
  std::copy_n(mad.begin(), std::min(mad.size(), item->mad.size()), item->mad.begin());
  if (mad.size() > item->mad.size()) item->message.assign(mad.begin(), mad.end());
  QueuedMad* raw = item.get();
  if (last_ != nullptr)
    last_->next = std::move(item);
  else
    first_ = std::move(item);
  last_ = raw;
  ++queued_;
}

void UmadFile::signal() {
  if (signalled_ == (first_ != nullptr)) return;
  std::uint64_t value = 1;
  // Neither call can block: the counter is 0 before the first, and 1 before the second.
  const ssize_t done =
      signalled_ ? libc().read(fd_, &value, sizeof value) : libc().write(fd_, &value, sizeof value);
  if (done == static_cast<ssize_t>(sizeof value)) signalled_ = !signalled_;
}

ssize_t UmadFile::read(std::span<std::uint8_t> out) {
  const std::size_t header = header_bytes();
  if (out.size() < header) return -EINVAL;
  if (!first_) return -EAGAIN;
  QueuedMad& item = *first_;
  const std::size_t one = std::min(item.size, item.mad.size());
  if (out.size() < header + one) return -EINVAL;
  std::memcpy(out.data(), &item.header, header);
  if (item.size <= item.mad.size()) {
    std::memcpy(out.data() + header, item.mad.data(), item.size);
  } else {
    const bool fits = out.size() >= header + item.size;
    std::memcpy(out.data() + header, item.message.data(), fits ? item.size : one);
    if (!fits) return -ENOSPC;
  }
  const auto size = static_cast<ssize_t>(header + item.size);
  std::unique_ptr<QueuedMad> done = std::move(first_);
  first_ = std::move(done->next);
  if (!first_) last_ = nullptr;
  --queued_;
  pool_.give(std::move(done));
  if (!first_) signal();
  return size;
}

}  // namespace sim::umad
