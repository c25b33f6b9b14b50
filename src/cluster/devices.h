/// Which devices there are on which nodes, and which of them claims hold.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "berth/cluster/snapshot.h"
#include "berth/model/devices.h"
#include "berth/model/gpu_policy.h"
#include "object_table.h"

namespace berth::cluster {

/// Knows the objects of DRA and keeps what follows from them per node name, whether or not the node
/// is known. Objects may come in any order. What is counted and what is not: docs, decision 9.
///
/// A pool is the unit of counting: what changes in a slice or a claim counts the pool that it
/// belongs to again, and then the nodes of that pool.
class Devices {
 public:
  Devices();
  Devices(const Devices&) = delete;
  Devices& operator=(const Devices&) = delete;

  void upsert(model::DeviceClass device_class);
  void upsert(model::ResourceSlice slice);
  void upsert(const model::ResourceClaim& claim);
  void remove_class(std::string_view name, std::string_view uid) { classes_.remove(name, uid); }
  void remove_slice(std::string_view name, std::string_view uid) { slices_.remove(name, uid); }
  void remove_claim(std::string_view identity) { claims_.remove(identity, {}); }
  void begin_classes() { classes_.begin(); }
  void begin_slices() { slices_.begin(); }
  void begin_claims() { claims_.begin(); }
  void end_classes() { classes_.end(); }
  void end_slices() { slices_.end(); }
  void end_claims() { claims_.end(); }
  /// Everything is now exactly this.
  void replace(model::DeviceObjects objects);

  /// Counts again what changed. Afterwards room() and anywhere() say how it is now.
  struct Changes {
    std::vector<std::string> nodes;  ///< names whose room is another
    bool anywhere = false;           ///< anywhere() is another
  };
  [[nodiscard]] Changes refresh();

  /// Null: DRA has nothing on this node.
  [[nodiscard]] std::shared_ptr<const DeviceRoom> room(const std::string& node_name) const;
  /// Resources that devices may serve which are not bound to one node. In name order.
  [[nodiscard]] const std::vector<std::string>& anywhere() const { return anywhere_; }
  /// Whether DRA has anything on any node.
  [[nodiscard]] bool any() const { return !nodes_.empty(); }

  /// Which classes of GPU resources berth cannot count by, in words. In name order.
  [[nodiscard]] std::vector<std::string> problems(const model::GpuPolicy& policy) const;

 private:
  /// What one pool has on one node.
  struct Share {
    std::int64_t devices = 0;
    std::int64_t allocated = 0;
    bool uncounted = false;
    friend bool operator==(const Share&, const Share&) = default;
  };
  struct Pool {
    explicit Pool(std::string driver_name) : driver(std::move(driver_name)) {}
    std::string driver;
    std::map<std::string, const model::ResourceSlice*> slices;  // by name, of all generations
    std::map<std::string, std::uint32_t> held;                  // device -> claims that hold it
    // As last counted.
    std::map<std::string, Share> shares;  // by node name
    bool anywhere = false;                // some devices are not bound to one node
    bool changed = false;                 // since then
  };
  using PoolKey = std::pair<std::string, std::string>;  // driver, pool
  using Pools = std::map<PoolKey, Pool>;                // entries never move
  /// What is remembered of a claim.
  struct Holding {
    struct One {
      Pools::value_type* pool;
      std::string device;
    };
    std::string uid;
    std::vector<One> devices;
  };
  /// A resource and the class that serves it.
  struct Served {
    std::string resource;
    std::string class_name;
    model::DriverRule rule;
  };
  struct Node {
    std::set<const Pool*> pools;
    std::shared_ptr<const DeviceRoom> room;
  };

  void on_slice(const model::ResourceSlice* before, const model::ResourceSlice* after);
  void on_claim(const Holding* before, const Holding* after);
  Pools::value_type& changed_pool(const std::string& driver, const std::string& pool);
  void mark(Pools::value_type& pool);

  void choose_classes();
  static void share_out(Pool& pool);
  void count_again(Pool& pool, std::unordered_set<std::string>& stale);
  [[nodiscard]] std::shared_ptr<const DeviceRoom> room_of(const Node& node,
                                                          const std::string& name) const;
  [[nodiscard]] std::vector<std::string> find_anywhere() const;

  ObjectTable<model::DeviceClass> classes_;
  ObjectTable<model::ResourceSlice> slices_;
  ObjectTable<Holding> claims_;
  Pools pools_;
  std::vector<Served> served_;  // in name order of the resource
  std::unordered_map<std::string, Node> nodes_;
  std::set<const Pool*> anywhere_pools_;
  std::vector<std::string> anywhere_;

  std::vector<Pools::value_type*> changed_pools_;
  bool classes_changed_ = false;
};

}  // namespace berth::cluster
