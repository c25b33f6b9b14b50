/// The server's certificate, re-read when its files change.
#pragma once

#include <openssl/ssl.h>
#include <sys/types.h>

#include <array>
#include <ctime>
#include <functional>
#include <memory>
#include <string>

#include "berth/base/mutex.h"
#include "berth/base/result.h"
#include "berth/http/server.h"
#include "connection.h"

namespace berth::http {

/// Thread-safe.
class TlsCredentials {
 public:
  using OnEvent = std::function<void(std::string)>;

  /// Error: kInvalidArgument, naming the file.
  [[nodiscard]] static Result<std::unique_ptr<TlsCredentials>> load(TlsOptions options,
                                                                    OnEvent on_event);

  /// The newest good context. Looks at the files at most once a second; reading changed ones takes
  /// some milliseconds. Connections made from an older context keep it alive themselves.
  [[nodiscard]] std::shared_ptr<SSL_CTX> current() BERTH_EXCLUDES(mutex_);

 private:
  struct FileStamp {
    dev_t device = 0;
    ino_t inode = 0;
    off_t size = 0;
    std::time_t seconds = 0;
    long nanoseconds = 0;
    friend bool operator==(const FileStamp&, const FileStamp&) = default;
  };
  using Stamps = std::array<FileStamp, 3>;

  TlsCredentials(TlsOptions options, OnEvent on_event, Stamps stamps,
                 std::shared_ptr<SSL_CTX> context);
  [[nodiscard]] static FileStamp stamp_of(const std::string& file);
  [[nodiscard]] static Stamps stamps_of(const TlsOptions& options);
  [[nodiscard]] std::string reload_if_changed() BERTH_REQUIRES(mutex_);

  const TlsOptions options_;
  const OnEvent on_event_;
  Mutex mutex_;
  Stamps stamps_ BERTH_GUARDED_BY(mutex_);
  Instant looked_ BERTH_GUARDED_BY(mutex_);
  std::shared_ptr<SSL_CTX> context_ BERTH_GUARDED_BY(mutex_);
};

}  // namespace berth::http
