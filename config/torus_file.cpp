#include "config/torus_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "config/words.h"

namespace config {
namespace {

constexpr std::uint64_t kUnicastLids = 0xBFFF;

class TorusParser {
 public:
  TorusParser(const Source& source, Diagnostics& out)
      : source_(source), out_(out), lines_(content_lines(source.text)) {}

  TorusFile parse() {
    for (const Line& line : lines_) {
      Words words(line, source_.file, out_);
      const std::string_view keyword = words.word();
      if (keyword == "torus" || keyword == "mesh") {
        read_shape(keyword, words);
      } else if (shape_ != nullptr) {
        read(keyword, line, words);
      } else {
        if (!shape_failed_)
          words.error(keyword, fmt::format("{} before the size of the torus", in_quotes(keyword)),
                      "begin with a line such as 'torus 5 5 4'");
        shape_failed_ = true;  // without it, no other line can be checked
        continue;
      }
      words.expect_end();
    }
    if (shape_ != nullptr) {
      if (file_.seeds.empty())
        add(*shape_, "no switches are named",
            "write xp_link, yp_link and zp_link with the GUIDs of two switches each");
      for (std::size_t i = 0; i < file_.seeds.size(); ++i)
        check_seed(file_.seeds[i], *seed_lines_[i]);
    }
    return std::move(file_);
  }

 private:
  void read_shape(std::string_view keyword, Words& words) {
    if (shape_ != nullptr)
      return words.error(keyword, "the size of the torus was given before",
                         "leave one of the two lines out");
    std::uint64_t cells = 1;
    auto dimensions = file_.dimensions;
    for (auto& dimension : dimensions) {
      const std::string_view word = words.word();
      if (!words.ok()) return;
      std::string_view digits = word;
      dimension.wraps = keyword == "torus";
      if (!digits.empty() &&
          std::string_view("tTmM").find(digits.back()) != std::string_view::npos) {
        dimension.wraps = digits.back() == 't' || digits.back() == 'T';
        digits.remove_suffix(1);
      }
      const auto radix = parse_number(digits, 10);
      if (!radix || *radix < 1 || *radix > TorusFile::kRadixMax) {
        shape_failed_ = true;
        return words.error(word,
                           word.empty()
                               ? "three sizes are needed"
                               : fmt::format("{} is not the size of a dimension", in_quotes(word)),
                           fmt::format("write 1..{}, with t or m after it for a ring or a line",
                                       TorusFile::kRadixMax));
      }
      dimension.radix = static_cast<unsigned>(*radix);
      cells *= *radix;
    }
    if (cells > kUnicastLids) {
      shape_failed_ = true;
      return words.error(
          keyword, fmt::format("these are {} switches, and there are {} LIDs", cells, kUnicastLids),
          "write smaller sizes");
    }
    file_.dimensions = dimensions;
    shape_ = &*std::ranges::find_if(
        lines_, [&](const Line& line) { return line.text.data() == keyword.data(); });
  }

  void read(std::string_view keyword, const Line& line, Words& words) {
    const auto dimension =
        keyword.empty() ? std::string_view::npos : std::string_view("xyz").find(keyword.front());
    const std::string_view rest = keyword.substr(std::min<std::size_t>(1, keyword.size()));
    if (keyword == "next_seed") {
      next_seed(line);
    } else if (keyword == "portgroup_max_ports") {
      words.number("number of ports", {1, 255});
    } else if (keyword == "max_changes") {
      const auto most = words.number("number of changes", {0, 65535});
      if (words.ok()) file_.max_changes = static_cast<unsigned>(most);
    } else if (keyword == "port_order") {
      do {
        const auto port = static_cast<std::uint8_t>(words.number("port number", kPortLimits));
        if (words.ok() && std::ranges::find(file_.port_order, port) == file_.port_order.end())
          file_.port_order.push_back(port);
      } while (words.ok() && !words.at_end());
    } else if (dimension != std::string_view::npos && (rest == "p_link" || rest == "m_link")) {
      read_link(static_cast<unsigned>(dimension), rest == "p_link", line, words);
    } else if (dimension != std::string_view::npos && rest == "_dateline") {
      read_dateline(static_cast<unsigned>(dimension), line, words);
    } else {
      words.error(keyword, fmt::format("{} is not a keyword", in_quotes(keyword)),
                  "write torus, mesh, xp_link, xm_link (y, z too), x_dateline, next_seed, "
                  "portgroup_max_ports, port_order or max_changes");
    }
  }

  void read_link(unsigned dimension, bool plus, const Line& line, Words& words) {
    const std::string_view place = line.text;
    const std::uint64_t from = words.number("GUID", kGuidLimits),
                        to = words.number("GUID", kGuidLimits);
    if (!words.ok()) return;
    TorusFile::Seed& seed = this->seed(line);
    if (from == to)
      return words.error(place, "a link from a switch to itself", "name two switches");
    if (!seed.links.empty() && seed.links.front().from != from)
      return words.error(
          place,
          fmt::format("other links of this seed begin at 0x{:016x}", seed.links.front().from),
          "let all links of a seed begin at the same switch");
    for (const TorusFile::Link& link : seed.links) {
      if (link.dimension == dimension && link.plus == plus)
        return words.error(place, "this direction was given before in this seed",
                           "leave one of the two out, or write next_seed between them");
      if (link.to == to && !(link.dimension == dimension && file_.dimensions[dimension].radix == 2))
        return words.error(place,
                           fmt::format("0x{:016x} is at the end of another link of this seed", to),
                           "name the switch that is in this direction");
    }
    if (file_.dimensions[dimension].radix == 1)
      return words.error(place, "this dimension has one switch only",
                         "leave the line out, or correct the size of the torus");
    seed.links.push_back({dimension, plus, from, to});
  }

  void read_dateline(unsigned dimension, const Line& line, Words& words) {
    const std::string_view word = words.word();
    const bool negative = word.starts_with('-');
    const auto distance = parse_number(word.substr(negative ? 1 : 0), 10);
    const std::uint64_t radix = file_.dimensions[dimension].radix;
    if (!distance || *distance >= std::max<std::uint64_t>(radix, 1))
      return words.error(
          word.empty() ? line.text : word,
          fmt::format("{} is not a position of the origin", in_quotes(word)),
          fmt::format("write a number in -{}..{}, counted from the first switch of the seed",
                      radix - 1, radix - 1));
    seed(line).dateline[dimension] =
        negative ? -static_cast<int>(*distance) : static_cast<int>(*distance);
  }

  TorusFile::Seed& seed(const Line& line) {
    if (file_.seeds.empty()) next_seed(line);
    return file_.seeds.back();
  }
  void next_seed(const Line& line) {
    file_.seeds.emplace_back();
    seed_lines_.push_back(&line);
  }

  void check_seed(const TorusFile::Seed& seed, const Line& line) {
    for (unsigned d = 0; d < 3; ++d) {
      const TorusFile::Dimension& dimension = file_.dimensions[d];
      const auto links = std::ranges::count(seed.links, d, &TorusFile::Link::dimension);
      const char name = "xyz"[d];
      if (dimension.radix > 1 && links == 0)
        add(line, fmt::format("this seed has no link in dimension {}", name),
            fmt::format("write {}p_link or {}m_link", name, name));
      else if (dimension.radix == 4 && dimension.wraps && links < 2)
        add(line,
            fmt::format("{} is a ring of four, and this seed has a link in one direction only",
                        name),
            fmt::format("write both {}p_link and {}m_link", name, name));
    }
  }

  void add(const Line& line, std::string what, std::string remedy) {
    out_.push_back({Severity::error, source_.file, line.number, line.column(line.text),
                    std::move(what), std::move(remedy)});
  }

  const Source& source_;
  Diagnostics& out_;
  const std::vector<Line> lines_;
  const Line* shape_ = nullptr;
  bool shape_failed_ = false;  // and that was reported
  TorusFile file_;
  std::vector<const Line*> seed_lines_;  // the first line of each seed
};

}  // namespace

TorusFile parse_torus_file(const Source& source, Diagnostics& out) {
  return TorusParser(source, out).parse();
}

}  // namespace config
