#pragma once
// HTTP requests and responses for the code that answers them: values without sockets, so that every
// resource is tested without a server.

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sm::web {

/// The reason phrase of an HTTP status (RFC 9110, 15): "Not Found".
std::string_view status_text(unsigned status);

enum class Method : std::uint8_t { get, head, post, put, patch, delete_ };
std::string_view name(Method method);

/// Rights of a user: each role includes the rights of the previous ones.
enum class Role : std::uint8_t {
  none,        // no credentials
  read,        // everything that changes nothing
  partitions,  // memberships of partitions
  admin,       // everything
};
std::string_view name(Role role);

struct Caller {
  std::string user;     // "" without credentials; "uid 0" over a Unix socket
  std::string address;  // "192.0.2.1:40000", "unix"
  Role role = Role::none;
  std::string limited_as = {};  // the address that limits count; empty: on this machine, unlimited
  /// Returns "alice (192.0.2.1:40000)"; "-" stands for no user.
  std::string text() const;
};

/// Names and values, in order; a name may occur more than once. Names of headers are lower case.
using Fields = std::vector<std::pair<std::string, std::string>>;

struct Request {
  Method method = Method::get;
  std::string path;        // decoded, without the query; begins with "/"
  Fields query = {};       // decoded
  Fields headers = {};     // without Authorization
  std::string body = {};   // bounded by the server
  Fields parameters = {};  // of the route's template: {"p_key", "0x7fff"}
  Caller caller = {};

  /// Returns the first value of that name; nullopt if there is none.
  std::optional<std::string_view> header(std::string_view name) const;
  std::optional<std::string_view> query_value(std::string_view name) const;
  /// Returns the value of a parameter that the template has.
  std::string_view parameter(std::string_view name) const;
};

/// Produces the parts of a body while it is sent; nullopt ends the body. Called on the server's
/// threads, one call at a time; may wait.
using Chunks = std::function<boost::asio::awaitable<std::optional<std::string>>()>;

struct Response {
  unsigned status = 200;
  std::string content_type = "application/json";
  std::string body = {};
  Fields headers = {};    // further ones
  std::string etag = {};  // of a resource that can be changed: without quotes; the server compares
                          // If-None-Match, the resource If-Match
  Chunks chunks = {};     // in place of `body`
};

/// Returns an error in the form of RFC 9457 (application/problem+json): title (of the status),
/// status, detail (the fault), remedy (left out if empty), and pointer (RFC 6901) if one member of
/// the body caused the error.
Response problem(unsigned status, std::string_view detail, std::string_view remedy = {},
                 std::string_view pointer = {});

/// Answers a request. It runs on the server's threads, not on the control thread: it reads
/// published data, and sends changes to the control thread.
using Handler = std::function<boost::asio::awaitable<Response>(Request)>;

/// A row of the table from which requests are routed and the OpenAPI document is made.
struct Route {
  Method method = Method::get;
  std::string path;  // "/v1/partitions/{p_key}"
  Role least = Role::read;
  Handler handler;
  std::string operation_id;     // "getPartition"
  std::string summary;          // one line, no full stop
  std::string request_schema;   // name in Schemas; empty: no body
  std::string response_schema;  // of status 200; empty: no body, or one that is no JSON
  struct Parameter {
    std::string name, in, schema, description;  // in: "path", "query"; schema: JSON text
    bool required = false;
  };
  std::vector<Parameter> parameters = {};
  std::string content_type = "application/json";  // of status 200
  bool in_document = true;  // in the OpenAPI document (other contracts and files are not)
  bool changes = true;      // of methods other than GET: false where it computes only, as a what-if
};

/// Selects a manager in a process with several. Any request may have this parameter.
inline constexpr std::string_view kManagerParameter = "port_guid";

/// Returns a 400 for a query parameter that the route does not have, or that occurs twice, and for
/// a required one that is missing.
std::optional<Response> unknown_parameter(const Request& request,
                                          std::span<const Route::Parameter> known);
/// Formats names as a list of alternatives in messages: "Down, Init or Active".
std::string one_of_text(std::span<const std::string_view> names);

/// Named JSON schemas (JSON Schema 2020-12), as JSON text.
using Schemas = Fields;

/// A part of the API.
struct Resources {
  std::vector<Route> routes;
  Schemas schemas = {};
};

}  // namespace sm::web
