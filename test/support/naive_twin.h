/// Filter, score and answer once more, slowly and obviously: node by node from the objects
/// themselves, with the rules of the model and none of the code of cluster and placement (but the
/// hash that is part of the node order, and the sentences).
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "berth/model/node.h"
#include "berth/model/pod.h"
#include "berth/model/readiness.h"
#include "berth/placement/policy.h"
#include "berth/placement/refusal.h"
#include "test/support/random_case.h"

namespace berth::test_support {

struct TwinVerdict {
  bool passes = false;
  placement::Stage stage = placement::Stage::kResource;
  std::string reason;
  bool resolvable = false;
};

struct TwinHost {
  std::string name;
  int answer = 0;
  friend bool operator==(const TwinHost&, const TwinHost&) = default;
};

class NaiveTwin {
 public:
  explicit NaiveTwin(const RandomCase& random);

  /// By node name.
  [[nodiscard]] std::map<std::string, TwinVerdict> filter(const model::Pod& pod) const;
  /// By node name, of nodes that pass.
  [[nodiscard]] std::map<std::string, float> score(const model::Pod& pod) const;
  /// For the nodes in the order given.
  [[nodiscard]] std::vector<TwinHost> answer(const std::map<std::string, float>& scores,
                                             const std::vector<std::string>& names,
                                             placement::AnswerForm form) const;

 private:
  struct TwinNode {
    model::Node node;
    model::ReadinessHistory history;
    std::map<std::string, std::int64_t> allocatable;
    std::map<std::string, model::Int128> held;
    std::set<std::string> delegated;  // resources that DRA may serve here instead
    model::DeviceOffers offers;
  };
  struct Wish {
    const model::Pod& pod;
    std::map<std::string, std::int64_t> requests;  // positive ones, in units, and one pod slot
    std::vector<std::string> scarcest_first;
    bool gpu_pod = false;
  };
  void add_devices(const model::DeviceObjects& objects, TwinNode& here) const;
  [[nodiscard]] std::int64_t gpus_of(const TwinNode& here) const;
  [[nodiscard]] Wish wish_of(const model::Pod& pod) const;
  [[nodiscard]] TwinVerdict judge(const Wish& wish, const TwinNode& here) const;
  [[nodiscard]] static TwinVerdict judge_resources(const Wish& wish, const TwinNode& here);
  [[nodiscard]] int tier(const Wish& wish, const TwinNode& here) const;
  [[nodiscard]] float packing(const Wish& wish, const TwinNode& here) const;
  [[nodiscard]] bool is_gpu(const std::string& resource) const;
  [[nodiscard]] bool before(const TwinNode& a, const TwinNode& b) const;

  placement::Policy policy_;
  Time now_;
  std::map<std::string, TwinNode> nodes_;
};

}  // namespace berth::test_support
