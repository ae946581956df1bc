#pragma once
// Lines that do not come from an operator. Pure.

#include <string_view>

namespace sm::console {

/// True for a line that a web browser or another client of HTTP or TLS sends: the line of a request
/// ("POST / HTTP/1.1", also its beginning), a header ("Host: ...") or the first bytes of a TLS
/// handshake. Each page that a browser of this machine shows can make it send them to the console,
/// with commands behind them. No line with a command is such a line.
bool is_of_http(std::string_view line);

}  // namespace sm::console
