#include "test/harness/temporary_folder.h"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <system_error>

namespace berth::harness {

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "berth-test-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no folder " + pattern);
  folder_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::string TemporaryFolder::path(std::string_view name) const { return (folder_ / name).string(); }

std::string TemporaryFolder::write(std::string_view name, std::string_view text) const {
  std::string target = path(name);
  const std::string beside = target + ".new";
  {
    std::ofstream file(beside, std::ios::binary);
    file << text;
    if (!file.flush()) throw std::runtime_error("cannot write " + beside);
  }
  std::filesystem::rename(beside, target);
  return target;
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace berth::harness
