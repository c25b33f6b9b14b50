/// A folder that is gone after the test, and files as people and tools change them.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace berth::harness {

class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] std::string path(std::string_view name) const;
  /// Writes beside the file and renames over it, as editors and ConfigMap mounts do: a reader sees
  /// the old file or the new one. Returns the path.
  std::string write(std::string_view name, std::string_view text) const;

 private:
  std::filesystem::path folder_;
};

/// The bytes of a file; fails the test by an exception if it cannot be read.
[[nodiscard]] std::string read_file(const std::string& path);

}  // namespace berth::harness
