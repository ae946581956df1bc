#include "sm/ops/web/status_text.h"

#include <boost/beast/http/status.hpp>

namespace sm::web {

std::string_view status_text(unsigned status) {
  const auto text = boost::beast::http::obsolete_reason(boost::beast::http::int_to_status(status));
  return {text.data(), text.size()};
}

}  // namespace sm::web
