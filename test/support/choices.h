/// Where random cases take their decisions from: a seeded generator, or the bytes of a fuzzer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>

namespace berth::test_support {

class Choices {
 public:
  virtual ~Choices() = default;
  /// A number in [0, count). REQUIRES: count > 0.
  virtual std::uint64_t below(std::uint64_t count) = 0;

  /// False once bytes are used up, so that loops over it end.
  bool chance(unsigned percent) { return below(100) >= 100 - percent; }
  template <typename Container>
  const auto& of(const Container& container) {
    return container[below(std::size(container))];
  }
};

class SeededChoices final : public Choices {
 public:
  explicit SeededChoices(std::uint64_t seed) : engine_(seed) {}
  std::uint64_t below(std::uint64_t count) override { return engine_() % count; }

 private:
  std::mt19937_64 engine_;
};

/// One or two bytes per decision; zeros when they are used up, which every case must end with.
class ByteChoices final : public Choices {
 public:
  explicit ByteChoices(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  std::uint64_t below(std::uint64_t count) override;

 private:
  std::uint64_t next();
  std::span<const std::uint8_t> bytes_;
};

}  // namespace berth::test_support
