// /v1/links

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sm/ops/api/list.h"
#include "sm/ops/api/place_filter.h"
#include "sm/ops/api/port_walk.h"
#include "sm/ops/api/resources.h"
#include "sm/ops/rows.h"

namespace sm::api {

namespace {

struct LinkFilters {
  explicit LinkFilters(Parameters& parameters)
      : state(parameters.one_of("state", value::kPortState)),
        degraded(parameters.boolean("degraded")),
        name(parameters.text("name")),
        guid(parameters.guid("guid")),
        node(parameters.text("node")) {}

  bool passes(const Fabric& fabric, PortIndex a, PortIndex b) const {
    const Port &one = fabric.ports[a], &other = fabric.ports[b];
    const mad::PortState wanted{static_cast<std::uint8_t>(state.value_or(0) + 1)};
    return (!state || std::min(one.info.port_state(), other.info.port_state()) == wanted) &&
           (!degraded || is_degraded(fabric, a, b) == *degraded) &&
           (!place || place->passes(one) || place->passes(other)) &&
           (!guid || fabric.nodes[one.node].guid == *guid ||
            fabric.nodes[other.node].guid == *guid) &&
           (!name.is_set() || name.passes(fabric.description(one.node)) ||
            name.passes(fabric.description(other.node)));
  }

  std::optional<std::size_t> state;
  std::optional<bool> degraded;
  NameFilter name;
  std::optional<mad::Guid> guid;
  std::optional<std::string_view> node;
  std::optional<PlaceFilter> place = {};  // what `node` names
};

/// Lists each link once, at the end with the lower NodeGUID and port.
class LinkRows : public RowSource {
 public:
  LinkRows(const Snapshot& of, const std::optional<PortPlace>& after, LinkFilters filters)
      : fabric_(of.subnet->fabric), walk_(of, after), filters_(std::move(filters)) {}

  std::optional<nlohmann::json> next() override {
    for (PortIndex a = walk_.next(); a != kNoIndex; a = walk_.next()) {
      const PortIndex b = fabric_.ports[a].peer;
      if (b != kNoIndex && key(a) < key(b) && filters_.passes(fabric_, a, b))
        return link_row(fabric_, a, b);
    }
    return std::nullopt;
  }
  std::string place() const override { return text(walk_.place()); }

 private:
  std::pair<mad::Guid, mad::PortNum> key(PortIndex port) const {
    return {fabric_.owning_node(port).guid, fabric_.ports[port].number};
  }

  const Fabric& fabric_;
  PortWalk walk_;
  LinkFilters filters_;
};

web::Response list_links(const SharedReading& reading) {
  Parameters parameters(reading->request);
  const Page page = make_page(parameters);
  LinkFilters filters(parameters);
  if (parameters.fault()) return *parameters.fault();
  auto place = find_place(*reading, filters.node);
  if (!place) return std::move(place.error());
  filters.place = *place;
  std::optional<PortPlace> after;
  if (page.cursor && !(after = read_port_place(*page.cursor))) return bad_cursor(*page.cursor);
  if (reading->subnet() == nullptr) return list(reading, "links", no_rows(), page.limit);
  return list(reading, "links",
              std::make_unique<LinkRows>(*reading->snapshot, after, std::move(filters)),
              page.limit);
}

}  // namespace

void add_links(web::Resources& to, const SharedCore& core) {
  add(to,
      get("/v1/links", "listLinks", "Links, by NodeGUID and port of the end where both are lower",
          "LinkList", filter_parameters(kLinkFilters)),
      reading_snapshot(core, list_links));
  to.schemas.emplace_back("End", object_schema(end_info().fields));
  add_schemas(to, link_info(), "links");
}

}  // namespace sm::api
