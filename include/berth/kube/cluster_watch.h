/// A live cluster: lists and watches the API server, and publishes snapshots of what it says.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/clock.h"
#include "berth/base/published.h"
#include "berth/cluster/snapshot.h"
#include "berth/cluster/source.h"
#include "berth/codec/watch.h"
#include "berth/kube/access.h"
#include "berth/model/gpu_policy.h"

namespace berth::kube {

/// What a watch tells about its work: the port that logs and metrics implement. Called from
/// several threads; implementations are thread-safe, fast and do not throw.
class WatchObserver {
 public:
  virtual ~WatchObserver() = default;
  /// Everything of a source was listed.
  virtual void on_relist(cluster::Source source, cluster::RelistReason reason) = 0;
  virtual void on_event(cluster::Source source, codec::WatchEventType type) = 0;
  /// One object could not be decoded and is left as it was known before.
  virtual void on_unreadable(cluster::Source source, std::string_view what) = 0;
  /// Quantities of an object that is otherwise good cannot be read or are negative, and count as
  /// zero; at each sight of it. `what` names the object, the first field and its value.
  virtual void on_unreadable_quantities(cluster::Source source, std::size_t quantities,
                                        std::string_view what) = 0;
  /// Something failed and is tried again after a while.
  virtual void on_trouble(cluster::Source source, std::string_view what) = 0;
  /// A snapshot was published; `pods` hold room in it.
  virtual void on_publish(std::size_t pods) = 0;
};

/// A pod that was seen with a node.
struct Binding {
  std::string_view pod_uid;
  std::string_view node_name;
};

struct WatchOptions {
  Access access;
  ReadFile read_file;
  std::string user_agent = "berth";
  std::size_t page_size = 500;    ///< objects per page of a list
  std::size_t queue_size = 1024;  ///< changes that wait for the writer
  /// Snapshots are published at most this often, at once when nothing else waits.
  std::chrono::milliseconds publish_interval{5};
  std::chrono::milliseconds connect_timeout{5'000};
  /// A peer that says nothing for so long is given up; bookmarks come about once a minute.
  std::chrono::milliseconds read_deadline{90'000};
  /// How long one watch lasts: somewhere in between, so that not all end at once.
  std::chrono::seconds least_watch{300};
  std::chrono::seconds most_watch{600};
  std::chrono::milliseconds first_backoff{200};
  std::chrono::milliseconds most_backoff{30'000};
  /// Called by the writer's thread for each pod that is seen with a node; fast, does not throw.
  std::function<void(const Binding&)> on_binding;
  /// Called by the writer's thread after a snapshot was published that has all bindings told
  /// before.
  std::function<void()> on_published;
};

/// One thread per source and one writer. Publishes the first snapshot when every source is synced.
/// Never gives up: whatever fails is tried again, with back-off. Thread-safe.
/// Source of the rules: Kubernetes API concepts (list, watch, bookmarks, 410 Gone), client-go's
/// reflector.
class ClusterWatch {
 public:
  ClusterWatch(WatchOptions options, model::GpuPolicy gpu_policy,
               Published<cluster::Snapshot>& snapshots, const Clock& clock,
               WatchObserver& observer);
  ~ClusterWatch();  ///< stops
  ClusterWatch(const ClusterWatch&) = delete;
  ClusterWatch& operator=(const ClusterWatch&) = delete;

  /// Ends all threads, within a second.
  void stop();

  [[nodiscard]] std::vector<cluster::SourceStatus> sources() const;
  /// Judges the cluster by another policy from the next snapshot on.
  void set_gpu_policy(model::GpuPolicy gpu_policy);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace berth::kube
