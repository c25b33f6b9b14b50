#include "test/harness/program.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>

namespace berth::harness {
namespace {

struct Pipe {
  int read_end = -1;
  int write_end = -1;
  Pipe() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    read_end = ends[0];
    write_end = ends[1];
  }
};

int exit_code(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

struct Program::Impl {
  pid_t pid = -1;
  mutable std::mutex mutex;
  mutable std::condition_variable changed;
  std::array<std::string, 2> outputs;  // stdout, stderr
  std::optional<int> exit;
  std::thread reader;

  void spawn(std::vector<std::string>& arguments, const Pipe& out, const Pipe& err) {
    std::vector<char*> argv;
    argv.reserve(arguments.size() + 1);
    for (auto& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, out.write_end, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, err.write_end, STDERR_FILENO);
    const int failure = posix_spawn(&pid, argv[0], &actions, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(out.write_end);
    close(err.write_end);
    if (failure != 0) {
      close(out.read_end);
      close(err.read_end);
      throw std::runtime_error("cannot start " + arguments[0]);
    }
  }

  /// Reads until the program closed both outputs, then collects its exit code.
  void follow(std::array<int, 2> ends) {
    std::array<pollfd, 2> waiting{};
    for (std::size_t i = 0; i < 2; ++i) waiting[i] = {ends[i], POLLIN, 0};
    while (waiting[0].fd >= 0 || waiting[1].fd >= 0) {
      if (poll(waiting.data(), waiting.size(), -1) < 0 && errno != EINTR) break;
      for (std::size_t i = 0; i < 2; ++i) {
        if (waiting[i].fd < 0 || waiting[i].revents == 0) continue;
        std::array<char, 4096> piece{};
        const auto count = ::read(waiting[i].fd, piece.data(), piece.size());
        if (count <= 0) {
          close(std::exchange(waiting[i].fd, -1));
          continue;
        }
        const std::lock_guard lock(mutex);
        outputs[i].append(piece.data(), static_cast<std::size_t>(count));
        changed.notify_all();
      }
    }
    siginfo_t info{};
    // The zombie stays until the exit code is noted, so that kill() never hits another process.
    while (waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
    }
    int status = 0;
    const std::lock_guard lock(mutex);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    exit = exit_code(status);
    changed.notify_all();
  }

  void kill(int number) const {
    const std::lock_guard lock(mutex);
    if (!exit) ::kill(pid, number);
  }
};

Program::Program(std::vector<std::string> arguments) : impl_(std::make_unique<Impl>()) {
  const Pipe out;
  const Pipe err;
  impl_->spawn(arguments, out, err);
  impl_->reader =
      std::thread([this, ends = std::array{out.read_end, err.read_end}] { impl_->follow(ends); });
}

Program::~Program() {
  impl_->kill(SIGKILL);
  impl_->reader.join();
}

void Program::signal(int number) const { impl_->kill(number); }

std::optional<std::string> Program::wait_for_line(std::string_view start) const {
  std::unique_lock lock(impl_->mutex);
  std::optional<std::string> found;
  const auto look = [&] {
    const std::string& text = impl_->outputs[0];
    for (std::size_t line = 0; line < text.size();) {
      const std::size_t end = text.find('\n', line);
      if (end == text.npos) break;
      if (text.compare(line, start.size(), start) == 0) {
        found = text.substr(line + start.size(), end - line - start.size());
        return true;
      }
      line = end + 1;
    }
    return impl_->exit.has_value();
  };
  impl_->changed.wait_for(lock, kPatience, look);
  return found;
}

std::optional<int> Program::wait_for_exit() const {
  std::unique_lock lock(impl_->mutex);
  impl_->changed.wait_for(lock, kPatience, [&] { return impl_->exit.has_value(); });
  return impl_->exit;
}

bool Program::running() const {
  const std::lock_guard lock(impl_->mutex);
  return !impl_->exit;
}

std::string Program::standard_output() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->outputs[0];
}

std::string Program::standard_error() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->outputs[1];
}

namespace {

std::vector<std::string> serve(std::string program, std::vector<std::string> arguments) {
  const auto names = [&](std::string_view flag) {
    return std::find(arguments.begin(), arguments.end(), flag) != arguments.end();
  };
  std::vector<std::string> all = {std::move(program), "serve"};
  for (const char* flag : {"--listen", "--admin-listen"}) {
    if (names(flag)) continue;
    all.emplace_back(flag);
    all.emplace_back("127.0.0.1:0");
  }
  all.insert(all.end(), arguments.begin(), arguments.end());
  return all;
}

int port_of(const std::string& url) {
  return std::atoi(url.substr(url.rfind(':') + 1).c_str());  // NOLINT: 0 is a fine answer to junk
}

}  // namespace

Berth::Berth(std::string program, std::vector<std::string> arguments)
    : process_(serve(std::move(program), std::move(arguments))) {}

bool Berth::wait_until_listening() {
  const auto listening = process_.wait_for_line("listening on ");
  const auto admin = process_.wait_for_line("admin on ");
  if (!listening || !admin) return false;
  port_ = port_of(*listening);
  admin_port_ = port_of(*admin);
  return true;
}

std::optional<int> Berth::stop() {
  process_.signal(SIGTERM);
  return process_.wait_for_exit();
}

}  // namespace berth::harness
