#include "packing.h"

#include "kernel.h"

namespace berth::placement {
namespace {

std::int64_t requested(const CompiledPod& pod, std::string_view resource) {
  for (const auto& request : pod.requests) {
    if (request.resource == resource) return request.units;
  }
  return 0;
}

}  // namespace

void Pack::rank(const CompiledPod& pod, const RowSet& passing, std::span<float> values) const {
  const cluster::Snapshot& snapshot = *pod.snapshot;
  std::vector<kernel::UsedShare> shares;
  const auto add = [&](std::optional<cluster::ResourceColumn> column, std::int64_t units,
                       float weight) {
    if (!column) return;
    shares.push_back({snapshot.held_fraction(*column).data(),
                      snapshot.topology().inverse_allocatable(*column).data(),
                      snapshot.topology().rows_with(*column).data(), static_cast<float>(units),
                      weight});
  };
  for (const auto& request : pod.requests) {
    if (request.gpu) add(request.column, request.units, weights_.gpu);
  }
  add(snapshot.topology().column(model::kCpu), requested(pod, model::kCpu), weights_.cpu);
  add(snapshot.topology().column(model::kMemory), requested(pod, model::kMemory), weights_.memory);
  kernel::mean_used(shares, passing.data(), values.data(), passing.word_count());
}

void Spread::rank(const CompiledPod& pod, const RowSet& passing, std::span<float> values) const {
  pack_.rank(pod, passing, values);
  kernel::complement(values.data(), passing.word_count());
}

}  // namespace berth::placement
