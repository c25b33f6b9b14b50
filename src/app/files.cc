#include "berth/app/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <thread>
#include <utility>

#include "berth/base/mutex.h"
#include "file_look.h"

namespace berth::app {
namespace {

Error cannot_read(const std::string& path, int number) {
  return {ErrorCode::kNotFound,
          "cannot read " + path + ": " + std::generic_category().message(number)};
}

/// Closes a file descriptor.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int get() const { return fd_; }

 private:
  int fd_;
};

}  // namespace

Result<std::string> read_file(const std::string& path, std::size_t max_bytes) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return cannot_read(path, errno);
  struct stat facts {};
  if (::fstat(file.get(), &facts) != 0) return cannot_read(path, errno);
  if (S_ISDIR(facts.st_mode)) return cannot_read(path, EISDIR);
  if (!S_ISREG(facts.st_mode) && !S_ISFIFO(facts.st_mode)) {
    return Error{ErrorCode::kNotFound, "cannot read " + path + ": neither a file nor a pipe"};
  }
  std::string contents;
  std::array<char, 1U << 16U> chunk;  // NOLINT: read() fills it
  for (;;) {
    const ssize_t got = ::read(file.get(), chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return cannot_read(path, errno);
    if (got == 0) return contents;
    if (contents.size() + static_cast<std::size_t>(got) > max_bytes) {
      return Error{ErrorCode::kTooLarge,
                   "cannot read " + path + ": larger than " + std::to_string(max_bytes) + " bytes"};
    }
    contents.append(chunk.data(), static_cast<std::size_t>(got));
  }
}

struct FileWatcher::Impl {
  std::vector<FileLook> files;
  std::chrono::milliseconds interval;
  Mutex mutex;
  CondVar wake;
  bool stopping BERTH_GUARDED_BY(mutex) = false;
  std::thread thread;

  void run() {
    while (wait()) {
      for (FileLook& file : files) file.look();
    }
  }

  /// Until the next look; false when there is none.
  bool wait() BERTH_EXCLUDES(mutex) {
    const MutexLock lock(mutex);
    const auto next = std::chrono::steady_clock::now() + interval;
    while (!stopping) {
      const auto left = next - std::chrono::steady_clock::now();
      if (left <= left.zero()) return true;
      wake.wait_for(mutex, left);
    }
    return false;
  }
};

FileWatcher::FileWatcher(std::vector<WatchedFile> files, std::chrono::milliseconds interval)
    : impl_(std::make_unique<Impl>()) {
  impl_->interval = interval;
  for (WatchedFile& file : files) impl_->files.emplace_back(std::move(file));
  impl_->thread = std::thread([impl = impl_.get()] { impl->run(); });
}

FileWatcher::~FileWatcher() {
  {
    const MutexLock lock(impl_->mutex);
    impl_->stopping = true;
  }
  impl_->wake.notify_all();
  impl_->thread.join();
}

}  // namespace berth::app
