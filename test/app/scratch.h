/// A folder of a test's own, gone with it.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace berth::app {

class Scratch {
 public:
  Scratch() {
    std::string name = (std::filesystem::temp_directory_path() / "berth-test-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  [[nodiscard]] std::string path(std::string_view name) const { return (folder_ / name).string(); }

  /// Returns the path.
  std::string write(std::string_view name, std::string_view text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }
  /// Replaces the file at once, as editors and ConfigMaps do.
  void replace(std::string_view name, std::string_view text) const {
    write("next", text);
    std::filesystem::rename(path("next"), path(name));
  }

 private:
  std::filesystem::path folder_;
};

}  // namespace berth::app
