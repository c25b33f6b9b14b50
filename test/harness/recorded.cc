#include "test/harness/recorded.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "test/harness/temporary_folder.h"

namespace berth::harness {
namespace {

using nlohmann::json;

/// Names look like 0002-filter-gpt4o-inference-soft.json.
RecordedRequest read_request(const std::filesystem::path& file) {
  RecordedRequest request;
  request.name = file.stem().string();
  const std::size_t verb = request.name.find('-') + 1;
  const std::size_t verb_end = std::min(request.name.find('-', verb), request.name.size());
  request.verb = request.name.substr(verb, verb_end - verb);
  if (verb_end < request.name.size()) request.pod = request.name.substr(verb_end + 1);
  request.body = read_file(file.string());
  return request;
}

}  // namespace

std::string Recording::cluster_file(const char* when) const {
  return path + "/cluster-" + when + ".json";
}

Recording load_recording(const std::string& root, const std::string& folder) {
  Recording recording;
  recording.folder = folder;
  recording.path = root + "/" + folder;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(recording.path)) {
    const std::string name = entry.path().filename().string();
    if (name.rfind("cluster-", 0) != 0 && entry.path().extension() == ".json") {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  for (const auto& file : files) recording.requests.push_back(read_request(file));
  return recording;
}

std::string cluster_at(const Recording& recording, std::size_t number) {
  std::set<std::string> asked;
  for (std::size_t i = 0; i < number; ++i) asked.insert(recording.requests[i].pod);
  json cluster = json::parse(read_file(recording.cluster_file("before")));
  const json after = json::parse(read_file(recording.cluster_file("after")));
  for (const auto& item : after["items"]) {
    if (item.value("kind", "") != "Pod" || !item["spec"].contains("nodeName")) continue;
    const auto name = item["metadata"]["name"].get<std::string>();
    if (asked.count(name) != 0 && name != recording.requests[number].pod) {
      cluster["items"].push_back(item);
    }
  }
  return cluster.dump();
}

}  // namespace berth::harness
