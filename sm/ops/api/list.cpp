#include "sm/ops/api/list.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <nlohmann/json.hpp>
#include <ranges>

#include "mad/format.h"
#include "sm/ops/rows.h"

namespace sm::api {
namespace asio = boost::asio;

namespace {

char lower_case(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

/// Writes the page part by part.
class PageWriter {
 public:
  PageWriter(SharedReading reading, std::string_view name, std::unique_ptr<RowSource> source,
             std::size_t limit)
      : reading_(std::move(reading)),
        source_(std::move(source)),
        left_(limit),
        head_(open_object(envelope(*reading_->snapshot), name) + "[") {}

  /// Writes at most `rows` rows; returns nullopt if everything is written.
  std::optional<std::string> write(std::size_t rows) {
    if (ended_) return std::nullopt;
    std::string text = std::exchange(head_, {});
    for (; rows > 0; --rows) {
      std::optional<std::string> after;
      if (left_ == 0 && !first_) after = source_->place();
      const auto row = source_->next();
      if (!row || left_ == 0) {
        ended_ = true;
        text += fmt::format("{}],\"next_cursor\":{}}}\n", first_ ? "" : "\n",
                            row && after ? to_line(*after) : "null");
        return text;
      }
      text += first_ ? "\n" : ",\n";
      text += to_line(*row);
      first_ = false;
      --left_;
    }
    return text;
  }

 private:
  SharedReading reading_;
  std::unique_ptr<RowSource> source_;
  std::size_t left_;
  std::string head_;
  bool first_ = true, ended_ = false;
};

}  // namespace

std::optional<nlohmann::json> VectorRows::next() {
  while (next_ < size_) {
    if (auto row = row_(next_++)) return row;
  }
  return std::nullopt;
}

std::unique_ptr<RowSource> no_rows() {
  return std::make_unique<VectorRows>(0, 0, nullptr, nullptr);
}

Page make_page(Parameters& parameters) {
  Page page;
  page.limit = parameters.number("limit", 1, kRowsMax).value_or(kRowsDefault);
  page.cursor = parameters.text("cursor");
  return page;
}

web::Response bad_cursor(std::string_view cursor) {
  return web::problem(400, fmt::format("the query parameter cursor is '{}'", cursor.substr(0, 100)),
                      "next_cursor of a page of this list, or none for the first page");
}

web::Response list(SharedReading reading, std::string_view name, std::unique_ptr<RowSource> source,
                   std::size_t limit, bool etag) {
  web::Response response;
  if (etag) response.etag = reading->snapshot->id;
  auto writer = std::make_shared<PageWriter>(std::move(reading), name, std::move(source), limit);
  if (limit <= kRowsDefault) {
    response.body = *writer->write(limit + 1);
    return response;
  }
  response.chunks = [writer]() -> asio::awaitable<std::optional<std::string>> {
    co_return writer->write(kRowsDefault);
  };
  return response;
}

web::Response list_by_key(SharedReading reading, std::string_view name, const Page& page,
                          std::size_t size, std::size_t digits, VectorRows::Place key,
                          VectorRows::Row row, bool etag) {
  std::size_t from = 0;
  if (page.cursor) {
    std::string cursor(*page.cursor);
    std::ranges::transform(cursor, cursor.begin(), lower_case);
    if (cursor.size() != digits ||
        cursor.find_first_not_of("0123456789abcdef") != std::string::npos)
      return bad_cursor(*page.cursor);
    const auto all = std::views::iota(std::size_t{0}, size);
    from = static_cast<std::size_t>(std::ranges::upper_bound(all, cursor, {}, key) - all.begin());
  }
  auto rows = std::make_unique<VectorRows>(from, size, std::move(row), std::move(key));
  return list(std::move(reading), name, std::move(rows), page.limit, etag);
}

web::Response list_by_place(SharedReading reading, std::string_view name, const Page& page,
                            std::size_t size, VectorRows::Row row, bool etag) {
  return list_by_key(
      std::move(reading), name, page, size, 8,
      [](std::size_t i) { return fmt::format("{:08x}", i + 1); }, std::move(row), etag);
}

web::Response list_all(const SharedReading& reading, std::string_view name, std::size_t size,
                       VectorRows::Row row, bool etag) {
  Parameters parameters(reading->request);
  const Page page = make_page(parameters);
  if (parameters.fault()) return *parameters.fault();
  return list_by_place(reading, name, page, size, std::move(row), etag);
}

std::vector<web::Route::Parameter> list_parameters(std::vector<web::Route::Parameter> more) {
  more.push_back(query("limit", R"({"type":"integer","minimum":1,"maximum":10000,"default":1000})",
                       "Rows on a page at most"));
  more.push_back(query("cursor", value::kPartOfName, "next_cursor of the page before"));
  return more;
}

std::vector<web::Route::Parameter> filter_parameters(std::span<const ListFilter> filters) {
  std::vector<web::Route::Parameter> all;
  for (const ListFilter& filter : filters) {
    std::string what(filter.what);
    what.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(what.front())));
    all.push_back(query(std::string(filter.name), filter.schema, std::move(what)));
  }
  return list_parameters(std::move(all));
}

void add_schemas(web::Resources& to, const RowInfo& row, std::string_view list) {
  const std::string rows = fmt::format("{}[]", row.name);
  const std::array more{FieldInfo{list, rows},
                        FieldInfo{"next_cursor", value::kTextOrNull, "null: of the last page"}};
  to.schemas.emplace_back(row.name, object_schema(row.fields));
  to.schemas.emplace_back(fmt::format("{}List", row.name), answer_schema({}, more));
}

NameFilter::NameFilter(std::optional<std::string_view> part) : part_(part.value_or("")) {
  std::ranges::transform(part_, part_.begin(), lower_case);
}

bool NameFilter::passes(const std::string& name) const {
  if (part_.empty()) return true;
  return !std::ranges::search(name, part_, {}, lower_case).empty();
}

}  // namespace sm::api
