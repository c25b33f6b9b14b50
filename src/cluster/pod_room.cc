#include "pod_room.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "pod_traits.h"

namespace berth::cluster {
namespace {

std::optional<unsigned> hex_digit(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a') + 10;
  return std::nullopt;  // upper case too: it would be another text with the same value
}

}  // namespace

std::size_t AmountsHash::operator()(const Amounts& amounts) const {
  std::uint64_t hash = amounts.size();
  for (const auto& [resource, units] : amounts) {
    hash = (hash ^ resource ^ static_cast<std::uint64_t>(units)) * 0x9fb21c651e98df25U;
    hash ^= hash >> 29U;
  }
  return hash;
}

void AmountSums::add(const Amounts& amounts) {
  for (const auto& [resource, units] : amounts) {
    const auto at = std::find_if(sums_.begin(), sums_.end(),
                                 [id = resource](const Sum& sum) { return sum.resource == id; });
    Sum& sum = at != sums_.end() ? *at : sums_.emplace_back(Sum{resource, 0, 0});
    ++sum.pods;
    sum.units += units;
  }
}

void AmountSums::remove(const Amounts& amounts) {
  for (const auto& [resource, units] : amounts) {
    const auto at = std::find_if(sums_.begin(), sums_.end(),
                                 [id = resource](const Sum& sum) { return sum.resource == id; });
    assert(at != sums_.end());
    at->units -= units;
    if (--at->pods == 0) sums_.erase(at);
  }
}

std::optional<PodRoom::Uuid> PodRoom::parse_uuid(std::string_view text) {
  if (text.size() != 36) return std::nullopt;
  Uuid uuid{};
  std::size_t digits = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i == 8 || i == 13 || i == 18 || i == 23) {
      if (text[i] != '-') return std::nullopt;
      continue;
    }
    const auto digit = hex_digit(text[i]);
    if (!digit) return std::nullopt;
    auto& half = uuid[digits++ / 16];
    half = half << 4U | *digit;
  }
  return uuid;
}

std::uint32_t PodRoom::intern(std::string_view resource) {
  const auto known = resource_ids_.find(std::string(resource));
  if (known != resource_ids_.end()) return known->second;
  std::uint32_t id = 0;
  if (unused_resources_.empty()) {
    id = static_cast<std::uint32_t>(resources_.size());
    resources_.emplace_back();
  } else {
    id = unused_resources_.back();
    unused_resources_.pop_back();
  }
  resources_[id].name = resource;
  resource_ids_.emplace(resource, id);
  return id;
}

Amounts PodRoom::amounts_of(const model::ResourceList& requests) {
  Amounts amounts;
  for (const auto& entry : requests) {
    const std::int64_t units = model::to_units(entry.name, entry.quantity).count();
    // Pod slots are counted, never requested.
    if (units <= 0 || entry.name == model::kPods) continue;
    amounts.push_back({intern(entry.name), units});
  }
  amounts.shrink_to_fit();
  return amounts;
}

void PodRoom::release(Shapes::value_type* shape) {
  if (--shape->second > 0) return;
  for (const auto& amount : shape->first) {
    Resource& resource = resources_[amount.resource];
    if (--resource.shapes > 0) continue;
    resource_ids_.erase(resource.name);
    resource.name.clear();
    unused_resources_.push_back(amount.resource);
  }
  shapes_.erase(shapes_.find(shape->first));
}

PodRoom::Entry PodRoom::take(std::string_view uid) {
  Entry entry;
  if (const auto uuid = parse_uuid(uid)) {
    const auto at = by_uuid_.find(*uuid);
    if (at == by_uuid_.end()) return entry;
    entry = at->second;
    by_uuid_.erase(at);
  } else {
    const auto at = by_text_.find(std::string(uid));
    if (at == by_text_.end()) return entry;
    entry = at->second;
    by_text_.erase(at);
  }
  return entry;
}

void PodRoom::count_out(const Entry& entry) {
  entry.place->sums.remove(entry.shape->first);
  --entry.place->pods;
  release(entry.shape);
}

PodRoom::Place* PodRoom::put(std::string_view uid, Place& place,
                             const model::ResourceList& requests, std::uint64_t version) {
  const auto [at, fresh] = shapes_.try_emplace(amounts_of(requests), 0);
  if (fresh) {
    for (const auto& amount : at->first) ++resources_[amount.resource].shapes;
  }
  Shapes::value_type* shape = &*at;  // addresses of map entries are stable
  ++shape->second;
  place.sums.add(shape->first);
  ++place.pods;

  const Entry before = take(uid);
  if (before.place != nullptr) count_out(before);
  const Entry entry{&place, shape, version, list_};
  if (const auto uuid = parse_uuid(uid)) {
    by_uuid_[*uuid] = entry;
  } else {
    by_text_[std::string(uid)] = entry;
  }
  return before.place;
}

PodRoom::Place* PodRoom::remove(std::string_view uid) {
  const Entry entry = take(uid);
  if (entry.place != nullptr) count_out(entry);
  return entry.place;
}

std::uint64_t PodRoom::version(std::string_view uid) const {
  if (const auto uuid = parse_uuid(uid)) {
    const auto at = by_uuid_.find(*uuid);
    return at == by_uuid_.end() ? 0 : at->second.version;
  }
  const auto at = by_text_.find(std::string(uid));
  return at == by_text_.end() ? 0 : at->second.version;
}

std::shared_ptr<const Held> PodRoom::held(const Place& place) const {
  if (place.pods == 0) return nullptr;
  auto held = std::make_shared<Held>();
  held->reserve(place.sums.sums().size() + 1);
  held->push_back({std::string(model::kPods), saturate(place.pods)});
  for (const auto& sum : place.sums.sums()) {
    held->push_back({resources_[sum.resource].name, saturate(sum.units)});
  }
  std::sort(held->begin(), held->end(),
            [](const auto& a, const auto& b) { return a.resource < b.resource; });
  return held;
}

}  // namespace berth::cluster
