#pragma once

#include <string>

#include "sm/ops/web/exchange.h"

namespace sm::web {

struct Framing {
  bool keep_alive = true;
  bool chunked = false;    // of an answer without a length; HTTP/1.0 has it until the end
  bool has_length = true;  // Content-Length is sent
};

/// Status line and headers with the empty line behind them: those of the response, Date, Server,
/// length or coding, and those that keep browsers from guessing and from loading things from
/// elsewhere. A header with a control character is left out: it would begin another one.
std::string response_head(const Response& response, Framing framing);

}  // namespace sm::web
