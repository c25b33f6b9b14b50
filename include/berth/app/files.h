/// Reading files, and noticing that they changed.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/result.h"

namespace berth::app {

/// The whole file; pipes are read to their end, however long that takes. Devices and sockets are
/// refused. Error: "cannot read FILE: why"; kTooLarge.
[[nodiscard]] Result<std::string> read_file(const std::string& path, std::size_t max_bytes);

/// Called with the new contents, or why they could not be read (said once, not at every look).
using FileChanged = std::function<void(const Result<std::string>& contents)>;

struct WatchedFile {
  std::string path;
  std::size_t max_bytes = 0;
  std::string known_contents;  ///< what was read before: not reported again
  FileChanged changed;
};

/// Looks at files every `interval` and reports each new content once, from one thread of its own,
/// when size and time of the file have stood still for an interval: not while it is being written.
/// It looks at the path, so that renames over it and symbolic links that are switched are seen;
/// files that are not regular (pipes) are left alone. Cost of a look: one stat.
class FileWatcher {
 public:
  FileWatcher(std::vector<WatchedFile> files, std::chrono::milliseconds interval);
  ~FileWatcher();  ///< joins the thread
  FileWatcher(const FileWatcher&) = delete;
  FileWatcher& operator=(const FileWatcher&) = delete;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace berth::app
