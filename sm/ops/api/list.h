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
  /// Returns the next row that passes the filters; nullopt at the end.
  virtual std::optional<nlohmann::json> next() = 0;
  /// Returns the position of the latest row of next(): the cursor for the rows after it.
  virtual std::string place() const = 0;
};

/// The parameters limit and cursor.
struct Page {
  std::size_t limit = kRowsDefault;
  std::optional<std::string_view> cursor;
};
Page make_page(Parameters& parameters);
/// Returns a 400: the cursor is not valid for this list.
web::Response bad_cursor(std::string_view cursor);

/// Answers with rows of published data; `source` may refer to data that `reading` holds. A page of
/// more than kRowsDefault rows is made while it is sent.
web::Response list(SharedReading reading, std::string_view name, std::unique_ptr<RowSource> source,
                   std::size_t limit, bool etag = true);

/// A list that is already in memory: rows from the `from`th on that pass `filter`.
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

/// Answers with a list of `size` rows by their keys, ascending. The `key` of a row, in exactly
/// `digits` hexadecimal digits, is the cursor. `row` has the form that VectorRows takes.
web::Response list_by_key(SharedReading reading, std::string_view name, const Page& page,
                          std::size_t size, std::size_t digits, VectorRows::Place key,
                          VectorRows::Row row, bool etag = true);

/// Answers with a list whose rows have no key: the cursor is an index, so that an added or removed
/// row may shift others to another page. `row` has the form that VectorRows takes.
web::Response list_by_place(SharedReading reading, std::string_view name, const Page& page,
                            std::size_t size, VectorRows::Row row, bool etag = false);

/// Acts as list_by_place() for a list without filters, by the request's page.
web::Response list_all(const SharedReading& reading, std::string_view name, std::size_t size,
                       VectorRows::Row row, bool etag = false);

/// Returns the parameters of each list, followed by `more`.
std::vector<web::Route::Parameter> list_parameters(std::vector<web::Route::Parameter> more);
std::vector<web::Route::Parameter> filter_parameters(std::span<const ListFilter> filters);
/// Adds the schema of the row, and the schema of an answer with a list of such rows in `list`. The
/// name of the second is the row's with "List" appended.
void add_schemas(web::Resources& to, const RowInfo& row, std::string_view list);

/// Matches a part of a name, without regard to case.
class NameFilter {
 public:
  explicit NameFilter(std::optional<std::string_view> part);
  bool passes(const std::string& name) const;
  bool is_set() const { return !part_.empty(); }

 private:
  std::string part_;  // lower case
};

}  // namespace sm::api
