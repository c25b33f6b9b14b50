/// The request bodies that real kube-schedulers sent, test/data/requests.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace berth::codec::test {

struct Recorded {
  std::string path;  ///< relative to test/data/requests
  std::string bytes;
};

/// Every .json whose file name contains `part`, in the order of their paths.
[[nodiscard]] inline std::vector<Recorded> recorded(std::string_view part) {
  const std::filesystem::path root = std::filesystem::path(BERTH_TEST_DATA) / "requests";
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() == ".json" && name.find(part) != std::string::npos) {
      paths.push_back(entry.path());
    }
  }
  std::sort(paths.begin(), paths.end());
  std::vector<Recorded> files;
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    files.push_back({std::filesystem::relative(path, root).string(),
                     {std::istreambuf_iterator<char>(file), {}}});
  }
  return files;
}

}  // namespace berth::codec::test
