/// Our answers read as kube-scheduler reads them, and stricter where it would shrug.
///
/// Source of the rules: kubernetes pkg/scheduler/extender.go and Go's encoding/json; berth's own
/// promises on top (every requested node exactly once, order kept, constant reasons).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::harness {

/// A filter answer. It means what it says only if `violations` is empty.
struct FilterReading {
  std::vector<std::string> passes;  ///< in the order of the answer
  std::map<std::string, std::string> failed;
  std::map<std::string, std::string> unresolvable;
  std::vector<std::string> violations;

  /// The reason of a refused node, "" if it was not refused.
  [[nodiscard]] std::string reason(const std::string& node) const;
};
[[nodiscard]] FilterReading read_filter(std::string_view request, std::string_view reply);

enum class ExpectedHosts {
  kEveryNode,   ///< graded: every requested node once
  kWinnerOnly,  ///< decisive: at most one host, with 10
};
/// A prioritize answer.
struct PriorityReading {
  std::vector<std::pair<std::string, std::int64_t>> scores;  ///< in the order of the answer
  std::vector<std::string> violations;

  /// The score of a host, -1 if it is not listed.
  [[nodiscard]] std::int64_t score(const std::string& host) const;
  /// The host with 10, "" if there is none.
  [[nodiscard]] std::string winner() const;
};
[[nodiscard]] PriorityReading read_priorities(std::string_view request, std::string_view reply,
                                              ExpectedHosts expected = ExpectedHosts::kEveryNode);

/// Names of a request in order, each once; of the items in the full-node form.
[[nodiscard]] std::vector<std::string> requested_names(std::string_view request);

}  // namespace berth::harness
