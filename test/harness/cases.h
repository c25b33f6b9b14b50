/// The acceptance cases of test/data/cases.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace berth::harness {

/// The request of a case, as kube-scheduler would send it.
enum class RequestForm { kNames, kWholeNodes };

/// One case; what its fields mean stands in the README beside the cases.
struct AcceptanceCase {
  std::string id;
  std::string title;
  std::string verb;  ///< "filter", "prioritize" or "explain"
  std::string now;

  std::string label_key;
  std::string label_value;
  std::int64_t grace_seconds = 0;
  std::string annotation;
  std::vector<std::string> gpu_resources;

  std::string cluster_json;         ///< the state as a List
  std::string names_request;        ///< ExtenderArgs with NodeNames
  std::string whole_nodes_request;  ///< the same with the nodes of the state as Nodes

  std::vector<std::string> passes;
  std::map<std::string, std::vector<std::string>> fails;  ///< parts of the reason, all required
  std::vector<std::string> unresolvable;
  std::vector<std::string> either;
  std::vector<std::string> order;
  std::optional<std::pair<std::int64_t, std::int64_t>> score_range;

  [[nodiscard]] const std::string& request(RequestForm form) const {
    return form == RequestForm::kNames ? names_request : whole_nodes_request;
  }
};

/// For the test runner: the id.
void PrintTo(const AcceptanceCase& test_case, std::ostream* out);
void PrintTo(RequestForm form, std::ostream* out);

/// Every case of the folder that asks for one of `verbs`, by file name. Throws on a broken file.
[[nodiscard]] std::vector<AcceptanceCase> load_cases(const std::string& folder,
                                                     const std::vector<std::string>& verbs);

}  // namespace berth::harness
