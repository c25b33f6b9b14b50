/// What a check of manifests found: verdicts, findings, problems. Values; `report` renders them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "berth/placement/explain.h"

namespace berth::check {

/// A place in a manifest. Lines and columns count from 1; 0: not known.
struct Location {
  std::string file;
  std::size_t line = 0;
  std::size_t column = 0;
  std::string field;  ///< spec.template.spec.containers[0].resources.requests.cpu; may be empty
};

enum class Severity : std::uint8_t { kNote, kWarning, kError };
[[nodiscard]] std::string_view to_string(Severity severity);  ///< "note", "warning", "error"

/// A rule that something breaks. An error makes `berth check` exit with 1.
struct Finding {
  std::string rule;  ///< "late-label", "gpu-limit", ...: see docs/check.md
  Severity severity = Severity::kError;
  std::string workload;  ///< "Deployment inference/llm"
  std::string message;
  Location where;
  std::vector<placement::Change> advice;  ///< changes to the pod that cure it; may be empty
};

enum class Fit : std::uint8_t {
  kNow,        ///< all replicas, now
  kLater,      ///< after a wait or a scale-up
  kNever,      ///< on no node, whatever leaves
  kNotJudged,  ///< no cluster to judge with
};
[[nodiscard]] std::string_view to_string(Fit fit);  ///< "fits now", "fits later", "never fits", ...

struct WorkloadVerdict {
  std::string kind;
  std::string namespace_name;
  std::string name;
  Location where;
  std::string template_path;  ///< JSON pointer of the pod template in its document
  Fit fit = Fit::kNotJudged;
  std::size_t wanted = 0;   ///< pods at the worst moment of a rollout
  std::size_t fitting = 0;  ///< of them, that find a place now
  std::string summary;      ///< one sentence
  /// Of the first pod that finds no place.
  std::optional<placement::Explanation> explanation;
};

/// Something could not be judged; makes `berth check` exit with 2.
struct Problem {
  Location where;
  std::string message;
};

/// A document that holds no pods.
struct Skipped {
  Location where;
  std::string kind;
  std::string name;
};

/// In the order of the files and of what is in them.
struct CheckResult {
  std::vector<WorkloadVerdict> workloads;
  std::vector<Finding> findings;
  std::vector<Problem> problems;
  std::vector<Skipped> skipped;
};
/// 0 fine; 1 an error among the findings, or a workload that does not fit now; 2 any problem.
[[nodiscard]] int exit_status(const CheckResult& result);

}  // namespace berth::check
