#pragma once
// Lists by pages.

#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sm/ops/api/core.h"
#include "sm/ops/api/parameters.h"
#include "sm/ops/list_filters.h"
#include "sm/ops/row_declaration.h"

namespace sm::api {

inline constexpr std::size_t kRowsDefault = 1'000, kRowsMax = 10'000;

/// Rows in an order that does not depend on the snapshot.
class RowSource {
 public:
  virtual ~RowSource() = default;
  /// The next row that passes the filters; nothing at the end.
  virtual std::optional<nlohmann::json> next() = 0;
  /// Where the row of the latest next() is in the order: the cursor of what follows it.
  virtual std::string place() const = 0;
};

/// limit and cursor.
struct Page {
  std::size_t limit = kRowsDefault;
  std::optional<std::string_view> cursor;
};
Page make_page(Parameters& parameters);
/// 400: this cursor is none of this list.
web::Response bad_cursor(std::string_view cursor);

/// Rows of what was published; `source` may refer to what `reading` holds. A page of more than
/// kRowsDefault rows is made while it is sent.
web::Response list(SharedReading reading, std::string_view name, std::unique_ptr<RowSource> source,
                   std::size_t limit, bool etag = true);

/// A list that exists as a whole: rows from the `from`th on pass `filter`.
class VectorRows : public RowSource {
 public:
  using Row = std::function<std::optional<nlohmann::json>(std::size_t index)>;
  using Place = std::function<std::string(std::size_t index)>;
  VectorRows(std::size_t from, std::size_t size, Row row, Place place)
      : next_(from), size_(size), row_(std::move(row)), place_(std::move(place)) {}
  std::optional<nlohmann::json> next() override;
  std::string place() const override { return place_(next_ - 1); }

 private:
  std::size_t next_, size_;
  Row row_;
  Place place_;
};

std::unique_ptr<RowSource> no_rows();

/// A list of `size` rows by their keys, ascending: `key` of a row, in exactly `digits` hexadecimal
/// digits, is the cursor. `row`: as of VectorRows.
web::Response list_by_key(SharedReading reading, std::string_view name, const Page& page,
                          std::size_t size, std::size_t digits, VectorRows::Place key,
                          VectorRows::Row row, bool etag = true);

/// A list whose rows have no key: the cursor is a place in it, so that a row that comes or goes
/// between pages may shift others to another page. `row`: as of VectorRows.
web::Response list_by_place(SharedReading reading, std::string_view name, const Page& page,
                            std::size_t size, VectorRows::Row row, bool etag = false);

/// Acts as list_by_place() for a list without filters, by the request's page.
web::Response list_all(const SharedReading& reading, std::string_view name, std::size_t size,
                       VectorRows::Row row, bool etag = false);

/// The parameters of each list, and more.
std::vector<web::Route::Parameter> list_parameters(std::vector<web::Route::Parameter> more);
std::vector<web::Route::Parameter> filter_parameters(std::span<const ListFilter> filters);
/// The schema of the row, and that of an answer with a list of them in `list`, as its name has it
/// with "List" behind.
void add_schemas(web::Resources& to, const RowInfo& row, std::string_view list);

/// Part of a name, in either case of letters.
class NameFilter {
 public:
  explicit NameFilter(std::optional<std::string_view> part);
  bool passes(const std::string& name) const;
  bool is_set() const { return !part_.empty(); }

 private:
  std::string part_;  // lower case
};

}  // namespace sm::api
