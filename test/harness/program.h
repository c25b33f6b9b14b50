/// A program as its users run it: started with arguments, heard on stdout and stderr, stopped by
/// signals.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace berth::harness {

/// How long anything may take before a test calls it hung: generous, since sanitizers are slow.
inline constexpr std::chrono::seconds kPatience{60};

/// One running process; killed by the destructor if it still runs. Both outputs are read as they
/// come, so that the process never waits for us. Thread-safe.
class Program {
 public:
  /// Starts `arguments[0]` (a path). Throws std::runtime_error if that fails.
  explicit Program(std::vector<std::string> arguments);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  void signal(int number) const;

  /// The rest of the first whole stdout line that starts so; waits for it. Nothing: the program
  /// ended, or time ran out.
  [[nodiscard]] std::optional<std::string> wait_for_line(std::string_view start) const;
  /// Exit code (128 + number after a signal). Nothing: time ran out.
  [[nodiscard]] std::optional<int> wait_for_exit() const;
  [[nodiscard]] bool running() const;

  [[nodiscard]] std::string standard_output() const;
  [[nodiscard]] std::string standard_error() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// `berth serve` on free ports.
class Berth {
 public:
  /// `program` is the path of berth; `--listen` and `--admin-listen` on 127.0.0.1:0 come in
  /// addition to the arguments unless they name them.
  Berth(std::string program, std::vector<std::string> arguments);

  /// Waits until both listeners are announced; false if berth ended instead.
  [[nodiscard]] bool wait_until_listening();
  [[nodiscard]] int port() const { return port_; }  ///< 0 before wait_until_listening()
  [[nodiscard]] int admin_port() const { return admin_port_; }
  [[nodiscard]] Program& process() { return process_; }
  /// SIGTERM and the exit code.
  [[nodiscard]] std::optional<int> stop();

 private:
  Program process_;
  int port_ = 0;
  int admin_port_ = 0;
};

}  // namespace berth::harness
