#include "berth/service/placement_memory.h"

#include <algorithm>
#include <utility>

namespace berth::service {

std::string_view to_string(ExpectationEnd end) {
  switch (end) {
    case ExpectationEnd::kRight:
      return "right";
    case ExpectationEnd::kWrong:
      return "wrong";
    case ExpectationEnd::kReturned:
      return "returned";
    case ExpectationEnd::kExpired:
      return "expired";
  }
  return "unknown";
}

PlacementMemory::PlacementMemory(PlacementMemoryOptions options, OnEnd on_end)
    : options_(options), on_end_(std::move(on_end)) {}

PlacementMemory::Recollection PlacementMemory::recall(std::string_view pod_uid, Time now) {
  Recollection recollection;
  {
    const MutexLock lock(mutex_);
    expire(now);
    const auto own = find(pod_uid);
    if (own != expected_.end()) end(own, ExpectationEnd::kReturned);
    for (const Expectation& other : expected_) recollection.expected.push_back(other.use);
    const auto history = histories_.find(std::string(pod_uid));
    if (history != histories_.end()) {
      come_back(history->second, now);
      for (const Behind& behind : history->second.behind) {
        if (now < behind.until) recollection.behind.push_back(behind.node_name);
      }
    }
  }
  tell();
  return recollection;
}

void PlacementMemory::named(std::string_view pod_uid, std::string_view node_name,
                            cluster::Held uses, Time now) {
  {
    const MutexLock lock(mutex_);
    const auto own = find(pod_uid);
    if (own != expected_.end()) end(own, ExpectationEnd::kReturned);
    if (expected_.size() >= options_.expected) end(expected_.begin(), ExpectationEnd::kExpired);
    expected_.push_back({std::string(pod_uid), {std::string(node_name), std::move(uses)}, now});
    if (histories_.size() >= options_.pods) make_room(now);
    History& history = histories_[std::string(pod_uid)];
    history.named = node_name;
    history.at = now;
  }
  tell();
}

void PlacementMemory::bound(std::string_view pod_uid, std::string_view node_name) {
  {
    const MutexLock lock(mutex_);
    if (histories_.empty() || histories_.erase(std::string(pod_uid)) == 0) return;
    const auto own = find(pod_uid);
    if (own == expected_.end()) return;
    own->bound = true;
    ended_.push_back(own->use.node_name == node_name ? ExpectationEnd::kRight
                                                     : ExpectationEnd::kWrong);
  }
  tell();
}

void PlacementMemory::published() {
  const MutexLock lock(mutex_);
  std::erase_if(expected_, [](const Expectation& each) { return each.bound; });
}

std::size_t PlacementMemory::expected() const {
  const MutexLock lock(mutex_);
  return expected_.size();
}

void PlacementMemory::end(std::vector<Expectation>::iterator at, ExpectationEnd how) {
  if (!at->bound) ended_.push_back(how);
  expected_.erase(at);
}

std::vector<PlacementMemory::Expectation>::iterator PlacementMemory::find(
    std::string_view pod_uid) {
  return std::find_if(expected_.begin(), expected_.end(),
                      [&](const Expectation& each) { return each.pod_uid == pod_uid; });
}

void PlacementMemory::expire(Time now) {
  while (!expected_.empty() && expected_.front().since + options_.lifetime <= now) {
    end(expected_.begin(), ExpectationEnd::kExpired);
  }
}

/// The node named last did not get the pod, or we would have forgotten it.
void PlacementMemory::come_back(History& history, Time now) const {
  if (history.named.empty()) return;
  const std::string node_name = std::exchange(history.named, {});
  auto at = std::find_if(history.behind.begin(), history.behind.end(),
                         [&](const Behind& each) { return each.node_name == node_name; });
  if (at == history.behind.end()) {
    at = history.behind.insert(at, {node_name, options_.first_step, {}});
  } else {
    at->step = std::min(at->step * 2, options_.longest_step);
  }
  at->until = now + at->step;
}

/// Forgets the pods that were not asked about for long, and at least the oldest.
void PlacementMemory::make_room(Time now) {
  std::erase_if(histories_,
                [&](const auto& item) { return item.second.at + options_.forget_after <= now; });
  if (histories_.size() < options_.pods) return;
  const auto oldest =
      std::min_element(histories_.begin(), histories_.end(),
                       [](const auto& a, const auto& b) { return a.second.at < b.second.at; });
  histories_.erase(oldest);
}

void PlacementMemory::tell() {
  std::vector<ExpectationEnd> ended;
  {
    const MutexLock lock(mutex_);
    ended.swap(ended_);
  }
  if (!on_end_) return;
  for (const ExpectationEnd each : ended) on_end_(each);
}

}  // namespace berth::service
