#pragma once
// This file finds out who can change a file, by the owners and modes of the file, of the
// directories that lead to it, and of the symbolic links among these.

#include <sys/types.h>

#include <string>

#include <tl/expected.hpp>

namespace config {

/// The part of stat(2) that decides who can change a file, a directory or a symbolic link.
struct FileAccess {
  uid_t owner = 0;
  mode_t mode = 0;  // with the type
};

/// True for root and for the caller: their files are as trustworthy as the caller's own orders.
constexpr bool is_trusted_user(uid_t user, uid_t caller) { return user == 0 || user == caller; }

/// Returns why another user than root and `caller` can change the entry, as a part of a sentence
/// ("belongs to user 1001"); "" if none can. In a directory with the sticky bit others may create
/// entries, but change only their own. Pure.
std::string change_fault(const FileAccess& entry, uid_t caller);

/// Returns why another user than root and `caller` can change what a program reads at `path`: the
/// entry on its way, and the fault. "" if none can, also if there is no such file and no other user
/// can create it.
std::string trust_fault(const std::string& path, uid_t caller);

/// Opens a file as open(2) does (close-on-exec), but follows no symbolic link of another user than
/// root and the process's own: in a directory that others may write, such a link would choose the
/// file. Returns the descriptor. Errors: the reason.
tl::expected<int, std::string> open_refusing_foreign_links(const std::string& path, int flags,
                                                           mode_t mode = 0);

}  // namespace config
