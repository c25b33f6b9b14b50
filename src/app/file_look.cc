#include "file_look.h"

#include <sys/stat.h>

#include <cerrno>
#include <exception>
#include <functional>
#include <system_error>
#include <utility>

namespace berth::app {
namespace {

/// A later write may fall on the same tick of the file system's clock as the one that was seen.
constexpr std::chrono::seconds kTick{1};

}  // namespace

FileLook::FileLook(WatchedFile file)
    : file_(std::move(file)), known_(fingerprint(file_.known_contents)) {
  file_.known_contents = {};
}

FileLook::Signature FileLook::signature_of(const struct stat& facts) {
  const auto modified =
      std::chrono::seconds(facts.st_mtim.tv_sec) + std::chrono::nanoseconds(facts.st_mtim.tv_nsec);
  return {facts.st_dev, facts.st_ino, facts.st_size,
          WallTime(std::chrono::duration_cast<WallTime::duration>(modified))};
}

FileLook::Fingerprint FileLook::fingerprint(std::string_view contents) {
  return {contents.size(), std::hash<std::string_view>()(contents)};
}

void FileLook::look() {
  try {
    look_once();
  } catch (const std::exception& exception) {  // out of memory, most likely: the file is as it is
    fail({ErrorCode::kInternal, "cannot read " + file_.path + ": " + exception.what()});
  }
}

std::optional<FileLook::Signature> FileLook::find() {
  struct stat facts {};
  if (::stat(file_.path.c_str(), &facts) != 0) {
    fail({ErrorCode::kNotFound,
          "cannot read " + file_.path + ": " + std::generic_category().message(errno)});
    return std::nullopt;
  }
  if (!S_ISREG(facts.st_mode)) return std::nullopt;
  return signature_of(facts);
}

void FileLook::look_once() {
  const auto now = find();
  if (!now) return;
  // Half of a file may well be readable, as a smaller cluster: wait until nobody writes any more.
  if (std::exchange(standing_, now) != now) return;
  if (seen_ == now && settled_) return;
  Result<std::string> contents = read_file(file_.path, file_.max_bytes);
  if (!contents) return fail(contents.error());
  standing_ = find();
  if (standing_ != now) return;  // written while it was read
  seen_ = now;
  settled_ = std::chrono::system_clock::now() - now->modified > kTick;
  failure_.clear();
  const Fingerprint read = fingerprint(*contents);
  if (known_ == read) return;
  known_ = read;
  file_.changed(contents);
}

void FileLook::fail(const Error& error) {
  seen_.reset();
  standing_.reset();
  if (failure_ == error.message) return;
  failure_ = error.message;
  file_.changed(error);
}

}  // namespace berth::app
