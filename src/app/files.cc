#include "berth/app/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <exception>
#include <functional>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "berth/base/mutex.h"

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

using WallTime = std::chrono::system_clock::time_point;

WallTime modified_at(const struct stat& facts) {
  return WallTime(std::chrono::duration_cast<WallTime::duration>(
      std::chrono::seconds(facts.st_mtim.tv_sec) +
      std::chrono::nanoseconds(facts.st_mtim.tv_nsec)));
}

/// What changes when a file is written or replaced.
struct Signature {
  dev_t device = 0;
  ino_t inode = 0;
  off_t size = 0;
  WallTime modified;
  friend bool operator==(const Signature&, const Signature&) = default;
};

/// Stands for contents that may be large.
struct Fingerprint {
  std::size_t size = 0;
  std::size_t hash = 0;
  friend bool operator==(const Fingerprint&, const Fingerprint&) = default;
};
Fingerprint fingerprint(std::string_view contents) {
  return {contents.size(), std::hash<std::string_view>()(contents)};
}

/// A later write may fall on the same tick of the file system's clock as the one that was seen.
constexpr std::chrono::seconds kTick{1};

/// One watched file and what was last seen of it.
class Watch {
 public:
  explicit Watch(WatchedFile file)
      : file_(std::move(file)), known_(fingerprint(file_.known_contents)) {
    file_.known_contents = {};
  }

  /// Reports new contents, or why there are none.
  void look() {
    try {
      look_once();
    } catch (const std::exception& exception) {  // out of memory, most likely: the file is as it is
      fail({ErrorCode::kInternal, "cannot read " + file_.path + ": " + exception.what()});
    }
  }

 private:
  void look_once() {
    struct stat facts {};
    if (::stat(file_.path.c_str(), &facts) != 0) return fail(cannot_read(file_.path, errno));
    if (!S_ISREG(facts.st_mode)) return;
    const Signature now{facts.st_dev, facts.st_ino, facts.st_size, modified_at(facts)};
    if (seen_ == now && settled_) return;
    Result<std::string> contents = read_file(file_.path, file_.max_bytes);
    if (!contents) return fail(contents.error());
    seen_ = now;
    settled_ = std::chrono::system_clock::now() - now.modified > kTick;
    failure_.clear();
    const Fingerprint read = fingerprint(*contents);
    if (known_ == read) return;
    known_ = read;
    file_.changed(contents);
  }

  void fail(const Error& error) {
    seen_.reset();
    if (failure_ == error.message) return;
    failure_ = error.message;
    file_.changed(error);
  }

  WatchedFile file_;
  Fingerprint known_;
  std::optional<Signature> seen_;
  bool settled_ = false;
  std::string failure_;
};

}  // namespace

Result<std::string> read_file(const std::string& path, std::size_t max_bytes) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return cannot_read(path, errno);
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
  std::vector<Watch> watches;
  std::chrono::milliseconds interval;
  Mutex mutex;
  CondVar wake;
  bool stopping BERTH_GUARDED_BY(mutex) = false;
  std::thread thread;

  void run() {
    while (wait()) {
      for (Watch& watch : watches) watch.look();
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
  for (WatchedFile& file : files) impl_->watches.emplace_back(std::move(file));
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
