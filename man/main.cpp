// Makes the manual pages: heddle-manual TEXTS PAGES DATE PROGRAM...
// TEXTS: the directory of NAME.SECTION.in; PAGES: where man1, man5, ..., bash, zsh and fish are
// made; PROGRAM: its
// --help replaces "@HELP@" in the text of that name.

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <span>
#include <sstream>
#include <string>

#include <fmt/format.h>

#include "man/mdoc.h"
#include "man/pages.h"
#include "sm/ctl/commands/command_line.h"

namespace {

std::string read(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::ostringstream out;
  out << in.rdbuf();
  if (!in) throw std::runtime_error(fmt::format("{} cannot be read", path.string()));
  return std::move(out).str();
}

std::string help_of(const std::string& program) {
  struct Close {
    void operator()(FILE* pipe) const { pclose(pipe); }
  };
  const std::unique_ptr<FILE, Close> pipe(popen(("'" + program + "' --help").c_str(), "r"));
  std::string text;
  for (int character = 0; pipe && (character = std::fgetc(pipe.get())) != EOF;)
    text += static_cast<char>(character);
  if (text.empty()) throw std::runtime_error(fmt::format("{} --help says nothing", program));
  return text;
}

void replace_all(std::string& text, std::string_view mark, std::string_view by) {
  for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos; at += by.size())
    text.replace(at, mark.size(), by);
}

void write(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream out(path);
  out << text;
  if (!out.flush()) throw std::runtime_error(fmt::format("{} cannot be written", path.string()));
}

void write_page(const std::filesystem::path& pages, const std::string& name,
                const std::string& text) {
  write(pages / ("man" + name.substr(name.rfind('.') + 1)) / name, text);
}

void make(std::span<char*> arguments) {
  if (arguments.size() < 3)
    throw std::runtime_error("usage: heddle-manual TEXTS PAGES DATE PROGRAM...");
  const std::filesystem::path texts = arguments[0], pages = arguments[1];
  const std::string date = arguments[2];
  std::filesystem::remove_all(pages);
  for (const auto& entry : std::filesystem::directory_iterator(texts)) {
    if (entry.path().extension() != ".in") continue;
    const std::string name = entry.path().stem().string();
    std::string page = manual::filled(read(entry.path()));
    replace_all(page, "@DATE@", date);
    replace_all(page, "@ROWS@\n", manual::rows());
    for (const char* const program : arguments.subspan(3)) {
      if (std::filesystem::path(program).filename() == entry.path().stem().stem())
        replace_all(page, "@HELP@\n", manual::from_help(help_of(program)));
    }
    write_page(pages, name, page);
  }
  sm::commands::CommandLine heddlectl;
  for (const auto& [name, page] : manual::command_pages(heddlectl.app(), date))
    write_page(pages, name, page);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    make(std::span(argv, static_cast<std::size_t>(argc)).subspan(1));
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "heddle-manual: " << error.what() << '\n';
    return 1;
  }
}
