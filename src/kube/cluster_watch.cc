#include "berth/kube/cluster_watch.h"

#include <deque>
#include <thread>
#include <utility>

#include "change_queue.h"
#include "cluster_writer.h"
#include "reflector.h"
#include "source_health.h"

namespace berth::kube {

struct ClusterWatch::Impl {
  WatchOptions options;
  ChangeQueue queue;
  std::deque<SourceHealth> health;  // never move: others refer to them
  std::deque<Reflector> reflectors;
  ClusterWriter writer;
  std::vector<std::thread> threads;

  Impl(WatchOptions watch_options, model::GpuPolicy gpu_policy,
       Published<cluster::Snapshot>& snapshots, const Clock& clock, WatchObserver& observer)
      : options(std::move(watch_options)),
        queue(options.queue_size),
        writer(options, std::move(gpu_policy), queue, health, snapshots, clock, observer) {
    for (const cluster::Source source : cluster::kAllSources) {
      health.emplace_back(source);
      reflectors.emplace_back(kind_of(source), options, queue, health.back(), observer);
    }
    threads.emplace_back([this] { writer.run(); });
    for (Reflector& reflector : reflectors) {
      threads.emplace_back([&reflector] { reflector.run(); });
    }
  }

  void stop() {
    for (Reflector& reflector : reflectors) reflector.interrupt();
    queue.close();
    for (std::thread& thread : threads) thread.join();
    threads.clear();
  }
};

ClusterWatch::ClusterWatch(WatchOptions options, model::GpuPolicy gpu_policy,
                           Published<cluster::Snapshot>& snapshots, const Clock& clock,
                           WatchObserver& observer)
    : impl_(std::make_unique<Impl>(std::move(options), std::move(gpu_policy), snapshots, clock,
                                   observer)) {}

ClusterWatch::~ClusterWatch() { stop(); }

void ClusterWatch::stop() { impl_->stop(); }

std::vector<cluster::SourceStatus> ClusterWatch::sources() const {
  std::vector<cluster::SourceStatus> all;
  for (const SourceHealth& health : impl_->health) all.push_back(health.status());
  return all;
}

void ClusterWatch::set_gpu_policy(model::GpuPolicy gpu_policy) {
  (void)impl_->queue.push({cluster::Source::kNodes, std::move(gpu_policy)});
}

}  // namespace berth::kube
