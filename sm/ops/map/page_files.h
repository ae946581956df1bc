#pragma once
// The files of the page, as the build has put them into the program. Private to this
// directory.

#include <string_view>

namespace sm::page {

std::string_view index_html();
std::string_view app_css();
std::string_view app_js();
std::string_view icon_svg();
std::string_view licences_txt();

}  // namespace sm::page
