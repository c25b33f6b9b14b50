/// The newest sight of every object of one kind.
#pragma once

#include <charconv>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace berth::cluster {

/// 0: not a number, and older than nothing. Source: Kubernetes KEP-5504.
[[nodiscard]] inline std::uint64_t version_of(std::string_view resource_version) {
  std::uint64_t version = 0;
  const char* const end = resource_version.data() + resource_version.size();
  const auto [stop, problem] = std::from_chars(resource_version.data(), end, version);
  return problem == std::errc() && stop == end ? version : 0;
}

[[nodiscard]] inline bool is_older(std::uint64_t version, std::uint64_t known) {
  return version != 0 && version < known;
}

/// Objects by key. Sights that are older than the known one are ignored, unless they are part of a
/// list; a list replaces everything.
template <typename Object>
class ObjectTable {
 public:
  /// Told of every change: null where there was or is nothing. `after` stays at its address until
  /// the next change of that object.
  using Change = std::function<void(const Object* before, const Object* after)>;
  explicit ObjectTable(Change change) : change_(std::move(change)) {}

  void upsert(const std::string& key, std::string_view resource_version, Object object) {
    const std::uint64_t version = version_of(resource_version);
    const auto [at, fresh] = entries_.try_emplace(key);
    Entry& entry = at->second;
    entry.list = list_;
    if (!fresh && !listing_ && is_older(version, entry.version)) return;
    entry.version = version;
    if (fresh) {
      entry.object = std::move(object);
      change_(nullptr, &entry.object);
      return;
    }
    const Object before = std::exchange(entry.object, std::move(object));
    change_(&before, &entry.object);
  }

  /// Nothing happens if the object of this key has another uid; an empty uid stands for any.
  void remove(std::string_view key, std::string_view uid) {
    const auto at = entries_.find(std::string(key));
    if (at == entries_.end() || (!uid.empty() && at->second.object.uid != uid)) return;
    change_(&at->second.object, nullptr);
    entries_.erase(at);
  }

  /// What is upserted from here to end() is all there is.
  void begin() {
    ++list_;
    listing_ = true;
  }
  void end() {
    listing_ = false;
    std::erase_if(entries_, [this](const auto& item) {
      if (item.second.list == list_) return false;
      change_(&item.second.object, nullptr);
      return true;
    });
  }

  template <typename Visit>
  void each(Visit visit) const {
    for (const auto& [key, entry] : entries_) visit(entry.object);
  }

 private:
  struct Entry {
    Object object;
    std::uint64_t version = 0;
    std::uint32_t list = 0;  // the last one that had it
  };
  Change change_;
  std::unordered_map<std::string, Entry> entries_;
  std::uint32_t list_ = 0;
  bool listing_ = false;
};

}  // namespace berth::cluster
