#include "berth/app/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "berth/base/mutex.h"
#include "src/app/file_look.h"
#include "test/app/scratch.h"

namespace berth::app {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr std::chrono::milliseconds kOften{2};

/// What a watcher reported, in order.
class Reports {
 public:
  FileChanged taker() {
    return [this](const Result<std::string>& contents) {
      {
        const MutexLock lock(mutex_);
        seen_.push_back(contents ? *contents : "error: " + contents.error().message);
      }
      changed_.notify_all();
    };
  }

  /// Waits until `count` reports are there, or far too long.
  std::vector<std::string> wait_for(std::size_t count) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    const MutexLock lock(mutex_);
    while (seen_.size() < count && std::chrono::steady_clock::now() < deadline) {
      changed_.wait_for(mutex_, std::chrono::seconds(1));
    }
    return seen_;
  }

 private:
  Mutex mutex_;
  CondVar changed_;
  std::vector<std::string> seen_ BERTH_GUARDED_BY(mutex_);
};

TEST(ReadFile, ReadsAll) {
  const Scratch scratch;
  const std::string big(300'000, 'x');
  scratch.write("f", big);
  const auto got = read_file(scratch.path("f"), big.size());
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(*got, big);
}

TEST(ReadFile, SaysWhatIsWrong) {
  const Scratch scratch;
  scratch.write("f", "12345");
  EXPECT_THAT(read_file(scratch.path("none"), 10).error().message,
              HasSubstr("none: No such file or directory"));
  EXPECT_THAT(read_file(scratch.path(""), 10).error().message, HasSubstr("Is a directory"));
  const auto large = read_file(scratch.path("f"), 4);
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error().code, ErrorCode::kTooLarge);
  EXPECT_THAT(large.error().message, HasSubstr("larger than 4 bytes"));
}

TEST(FileWatcher, ReportsWritesAndRenamesOnce) {
  const Scratch scratch;
  scratch.write("f", "one");
  Reports reports;
  const FileWatcher watcher({{scratch.path("f"), 100, "one", reports.taker()}}, kOften);
  scratch.write("g", "two");
  std::filesystem::rename(scratch.path("g"), scratch.path("f"));
  EXPECT_THAT(reports.wait_for(1), ElementsAre("two"));
  scratch.write("g", "six");  // as long as before, perhaps on the same tick
  std::filesystem::rename(scratch.path("g"), scratch.path("f"));
  EXPECT_THAT(reports.wait_for(2), ElementsAre("two", "six"));
}

TEST(FileWatcher, FollowsSymbolicLinksThatAreSwitched) {
  const Scratch scratch;
  scratch.write("a", "one");
  scratch.write("b", "two");
  std::filesystem::create_symlink("a", scratch.path("f"));
  Reports reports;
  const FileWatcher watcher({{scratch.path("f"), 100, "one", reports.taker()}}, kOften);
  std::filesystem::create_symlink("b", scratch.path("link"));
  std::filesystem::rename(scratch.path("link"), scratch.path("f"));
  EXPECT_THAT(reports.wait_for(1), ElementsAre("two"));
}

TEST(FileWatcher, ReportsALossOnceAndTheReturn) {
  const Scratch scratch;
  Reports reports;
  const FileWatcher watcher({{scratch.path("f"), 100, "one", reports.taker()}}, kOften);
  EXPECT_THAT(reports.wait_for(1), ElementsAre(HasSubstr("error: cannot read")));
  scratch.write("g", "two");
  std::filesystem::rename(scratch.path("g"), scratch.path("f"));
  EXPECT_THAT(reports.wait_for(2), ElementsAre(HasSubstr("error: cannot read"), "two"));
}

TEST(FileWatcher, WatchesSeveralFiles) {
  const Scratch scratch;
  scratch.write("a", "a");
  scratch.write("b", "b");
  Reports a;
  Reports b;
  const FileWatcher watcher(
      {{scratch.path("a"), 100, "", a.taker()}, {scratch.path("b"), 100, "", b.taker()}}, kOften);
  EXPECT_THAT(a.wait_for(1), ElementsAre("a"));
  EXPECT_THAT(b.wait_for(1), ElementsAre("b"));
}

TEST(ReadFile, RefusesWhatHasNoEnd) {
  EXPECT_THAT(read_file("/dev/zero", 10).error().message,
              HasSubstr("/dev/zero: neither a file nor a pipe"));
}

class FileLookTest : public ::testing::Test {
 protected:
  void append(std::string_view text) {
    std::ofstream(scratch_.path("f"), std::ios::binary | std::ios::app) << text;
  }
  std::vector<std::string> looks(int count) {
    for (int i = 0; i < count; ++i) file_.look();
    return seen_;
  }

  const Scratch scratch_;
  std::vector<std::string> seen_;
  FileLook file_{
      {scratch_.write("f", "one"), 100, "one", [this](const Result<std::string>& contents) {
         seen_.push_back(contents ? *contents : "error: " + contents.error().message);
       }}};
};

TEST_F(FileLookTest, WaitsUntilNobodyWritesAnyMore) {
  for (const char* piece : {" two", " three", " four"}) {
    append(piece);
    EXPECT_THAT(looks(1), ElementsAre()) << piece;
  }
  EXPECT_THAT(looks(1), ElementsAre("one two three four"));
  EXPECT_THAT(looks(5), SizeIs(1));
}

TEST_F(FileLookTest, WaitsAlsoAfterALoss) {
  std::filesystem::remove(scratch_.path("f"));
  EXPECT_THAT(looks(3), ElementsAre(HasSubstr("error: cannot read")));
  append("half");
  EXPECT_THAT(looks(1), SizeIs(1));
  append(" whole");
  EXPECT_THAT(looks(1), SizeIs(1));
  EXPECT_THAT(looks(1), ElementsAre(HasSubstr("error: "), "half whole"));
}

}  // namespace
}  // namespace berth::app
