#include "berth/check/result.h"

#include <algorithm>

namespace berth::check {

std::string_view to_string(Severity severity) {
  switch (severity) {
    case Severity::kNote:
      return "note";
    case Severity::kWarning:
      return "warning";
    case Severity::kError:
      return "error";
  }
  return "unknown";
}

std::string_view to_string(Fit fit) {
  switch (fit) {
    case Fit::kNow:
      return "fits now";
    case Fit::kLater:
      return "fits later";
    case Fit::kNever:
      return "never fits";
    case Fit::kNotJudged:
      return "not judged";
  }
  return "unknown";
}

int exit_status(const CheckResult& result) {
  if (!result.problems.empty()) return 2;
  const bool misfit =
      std::any_of(result.workloads.begin(), result.workloads.end(), [](const auto& workload) {
        return workload.fit == Fit::kLater || workload.fit == Fit::kNever;
      });
  const bool error =
      std::any_of(result.findings.begin(), result.findings.end(),
                  [](const auto& finding) { return finding.severity == Severity::kError; });
  return misfit || error ? 1 : 0;
}

}  // namespace berth::check
