/// The requests that real kube-schedulers sent, of test/data/requests.
#pragma once

#include <string>
#include <vector>

namespace berth::harness {

struct RecordedRequest {
  std::string name;  ///< of the file: number, verb, pod
  std::string verb;  ///< "filter", "prioritize", "bind" or "preempt"
  std::string pod;   ///< "" for bind
  std::string body;
};

/// One folder of recordings, in the order in which they were sent.
struct Recording {
  std::string folder;  ///< such as "v1.35.4/names"
  std::vector<RecordedRequest> requests;

  [[nodiscard]] std::string cluster_file(const char* when) const;  ///< "before" or "after"
  std::string path;
};

/// REQUIRES: `root`/`folder` is there; throws otherwise.
[[nodiscard]] Recording load_recording(const std::string& root, const std::string& folder);

/// `before` and those bound pods of `after` which requests earlier than `number` asked about: no
/// more pods than kube-scheduler knew when it sent that request.
[[nodiscard]] std::string cluster_at(const Recording& recording, std::size_t number);

}  // namespace berth::harness
