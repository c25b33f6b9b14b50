/// One watched file and what was last seen of it.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "berth/app/files.h"

struct stat;

namespace berth::app {

/// One look after the other at one file; what FileWatcher does at intervals. Not thread-safe.
class FileLook {
 public:
  explicit FileLook(WatchedFile file);

  /// Reports new contents that have stood still since the look before, or why there are none.
  void look();

 private:
  using WallTime = std::chrono::system_clock::time_point;

  /// What changes when a file is written or replaced.
  struct Signature {
    dev_t device = 0;
    ino_t inode = 0;
    off_t size = 0;
    WallTime modified;
    friend bool operator==(const Signature&, const Signature&) = default;
  };
  static Signature signature_of(const struct stat& facts);

  /// Stands for contents that may be large.
  struct Fingerprint {
    std::size_t size = 0;
    std::size_t hash = 0;
    friend bool operator==(const Fingerprint&, const Fingerprint&) = default;
  };
  static Fingerprint fingerprint(std::string_view contents);

  void look_once();
  /// The file as it is now, unless it is no regular one (which is left alone) or not there.
  [[nodiscard]] std::optional<Signature> find();
  void fail(const Error& error);

  WatchedFile file_;
  Fingerprint known_;
  std::optional<Signature> standing_;  // at the last look
  std::optional<Signature> seen_;      // when it was last read
  bool settled_ = false;
  std::string failure_;
};

}  // namespace berth::app
