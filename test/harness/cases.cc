#include "test/harness/cases.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "test/harness/temporary_folder.h"

namespace berth::harness {
namespace {

// Keeps the order of keys, so that requests look as they were written.
using json = nlohmann::ordered_json;

std::vector<std::string> strings(const json& object, const char* key) {
  return object.contains(key) ? object[key].get<std::vector<std::string>>()
                              : std::vector<std::string>{};
}

std::string cluster_of(const json& state) {
  json items = state["nodes"];
  for (const auto& pod : state["pods"]) items.push_back(pod);
  return json{{"apiVersion", "v1"}, {"kind", "List"}, {"items", items}}.dump();
}

/// The nodes of the state that the request names, in its order; kube-scheduler sends them without
/// kind. A name without a node cannot be said in this form.
std::string as_whole_nodes(const json& request, const json& nodes) {
  json items = json::array();
  for (const auto& name : request["NodeNames"]) {
    const auto node = std::find_if(nodes.begin(), nodes.end(), [&](const json& candidate) {
      return candidate["metadata"]["name"] == name;
    });
    if (node == nodes.end()) continue;
    json item = *node;
    item.erase("apiVersion");
    item.erase("kind");
    items.push_back(std::move(item));
  }
  json whole = request;
  whole["Nodes"] = {{"metadata", json::object()}, {"items", std::move(items)}};
  whole["NodeNames"] = nullptr;
  return whole.dump();
}

void read_expectation(const json& expect, AcceptanceCase& result) {
  result.passes = strings(expect, "passes");
  result.unresolvable = strings(expect, "unresolvable");
  result.either = strings(expect, "either");
  result.order = strings(expect, "order");
  for (const auto& [node, parts] : expect["fails"].items()) {
    result.fails[node] = parts.is_array() ? parts.get<std::vector<std::string>>()
                                          : std::vector{parts.get<std::string>()};
  }
  if (expect.contains("score_range")) {
    result.score_range = expect["score_range"].get<std::pair<std::int64_t, std::int64_t>>();
  }
}

AcceptanceCase read_case(const json& file) {
  AcceptanceCase result;
  result.id = file["id"].get<std::string>();
  result.title = file["title"].get<std::string>();
  result.verb = file["verb"].get<std::string>();
  result.now = file["now"].get<std::string>();
  const json& config = file["config"];
  result.label_key = config["labelKey"].get<std::string>();
  result.label_value = config["labelValue"].get<std::string>();
  result.grace_seconds = config["graceSeconds"].get<std::int64_t>();
  result.annotation = config["affinityModeAnnotation"].get<std::string>();
  result.gpu_resources = strings(config, "gpuResources");
  result.cluster_json = cluster_of(file["state"]);
  result.names_request = file["request"].dump();
  result.whole_nodes_request = as_whole_nodes(file["request"], file["state"]["nodes"]);
  read_expectation(file["expect"], result);
  return result;
}

}  // namespace

void PrintTo(const AcceptanceCase& test_case, std::ostream* out) { *out << test_case.id; }

void PrintTo(RequestForm form, std::ostream* out) {
  *out << (form == RequestForm::kNames ? "names" : "nodes");
}

std::vector<AcceptanceCase> load_cases(const std::string& folder,
                                       const std::vector<std::string>& verbs) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<AcceptanceCase> cases;
  for (const auto& file : files) {
    auto found = read_case(json::parse(read_file(file.string())));
    if (std::find(verbs.begin(), verbs.end(), found.verb) == verbs.end()) continue;
    cases.push_back(std::move(found));
  }
  return cases;
}

}  // namespace berth::harness
