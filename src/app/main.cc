// berth: reads the command line, does what it says, exits: 0 done, 1 failed, 2 usage.
#include <cstdio>
#include <exception>
#include <string>
#include <variant>
#include <vector>

#include "berth/app/command_line.h"
#include "berth/app/serve.h"

namespace {

int run(const std::vector<std::string>& arguments) {
  const auto command = berth::app::parse_command_line(arguments);
  if (!command) {
    std::fprintf(stderr, "berth: %s\nTry 'berth --help'.\n", command.error().message.c_str());
    return 2;
  }
  if (const auto* print = std::get_if<berth::app::PrintText>(&*command)) {
    const bool written = std::fputs(print->text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0;
    return written ? 0 : 1;
  }
  return berth::app::run_serve(std::get<berth::app::ServeFlags>(*command));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const std::exception& exception) {
    std::fprintf(stderr, "berth: %s\n", exception.what());
    return 1;
  }
}
