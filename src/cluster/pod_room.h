/// What pods hold on nodes, in few bytes per pod.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "berth/cluster/snapshot.h"
#include "berth/model/pod.h"

namespace berth::cluster {

/// One amount of an interned resource.
struct ResourceAmount {
  std::uint32_t resource = 0;
  std::int64_t units = 0;
  friend bool operator==(const ResourceAmount&, const ResourceAmount&) = default;
};

/// What one pod holds. Pods of one workload hold the same, so it is stored once and counted.
using Amounts = std::vector<ResourceAmount>;

struct AmountsHash {
  std::size_t operator()(const Amounts& amounts) const;
};

/// Sums of amounts by resource. 128 bits: adding and removing any number of int64 is exact, only
/// what is read from it saturates.
class AmountSums {
 public:
  void add(const Amounts& amounts);
  void remove(const Amounts& amounts);

  struct Sum {
    std::uint32_t resource = 0;
    std::uint32_t pods = 0;  // that hold some of it; none: the entry goes
    model::Int128 units = 0;
  };
  [[nodiscard]] const std::vector<Sum>& sums() const { return sums_; }

 private:
  std::vector<Sum> sums_;
};

/// Pods by uid. Canonical UUIDs, which is what an API server hands out, take 16 bytes; any other
/// text is kept as it is.
class PodRoom {
 public:
  /// Where a pod is counted. Stable: the owner keeps it at one address while pods are on it.
  struct Place {
    AmountSums sums;
    std::uint64_t pods = 0;
  };

  /// The pod is now at `place` with these requests, wherever it was before. Returns the place that
  /// it left, or null.
  Place* put(std::string_view uid, Place& place, const model::ResourceList& requests,
             std::uint64_t version);
  /// Null if the uid is unknown.
  Place* remove(std::string_view uid);
  /// As put() was told; 0 if the uid is unknown.
  [[nodiscard]] std::uint64_t version(std::string_view uid) const;

  /// From here on a list of all pods is put().
  void begin_list() { ++list_; }
  /// Removes the pods that were not put() since begin_list(); `left` is told each one's place.
  template <typename Left>
  void remove_unlisted(Left left) {
    const auto drop = [this, &left](const auto& item) {
      if (item.second.list == list_) return false;
      count_out(item.second);
      left(item.second.place);
      return true;
    };
    std::erase_if(by_uuid_, drop);
    std::erase_if(by_text_, drop);
  }
  [[nodiscard]] std::size_t size() const { return by_uuid_.size() + by_text_.size(); }

  /// What all pods of `place` hold, in name order, pod slots included. Null: no pods.
  [[nodiscard]] std::shared_ptr<const Held> held(const Place& place) const;

 private:
  using Uuid = std::array<std::uint64_t, 2>;
  using Shapes = std::unordered_map<Amounts, std::uint32_t, AmountsHash>;  // -> pods that have it
  struct Entry {
    Place* place = nullptr;
    Shapes::value_type* shape = nullptr;
    std::uint64_t version = 0;
    std::uint32_t list = 0;  // the last list that had the pod
  };
  struct UuidHash {
    std::size_t operator()(const Uuid& uuid) const { return uuid[0] ^ (uuid[1] * 31); }
  };
  static std::optional<Uuid> parse_uuid(std::string_view text);

  Entry take(std::string_view uid);
  void count_out(const Entry& entry);
  Amounts amounts_of(const model::ResourceList& requests);
  std::uint32_t intern(std::string_view resource);
  void release(Shapes::value_type* shape);

  std::uint32_t list_ = 0;
  std::unordered_map<Uuid, Entry, UuidHash> by_uuid_;
  std::unordered_map<std::string, Entry> by_text_;
  Shapes shapes_;

  struct Resource {
    std::string name;
    std::uint32_t shapes = 0;  // that use it; none: the id is free
  };
  std::vector<Resource> resources_;
  std::vector<std::uint32_t> unused_resources_;
  std::unordered_map<std::string, std::uint32_t> resource_ids_;
};

}  // namespace berth::cluster
