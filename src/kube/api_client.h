/// One connection to an API server, for one thread.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "berth/base/result.h"
#include "berth/codec/watch.h"
#include "berth/kube/access.h"
#include "interrupt.h"

namespace berth::kube {

struct ClientOptions {
  std::string user_agent;
  std::chrono::milliseconds connect_timeout{};
  std::chrono::milliseconds read_deadline{};  ///< between two pieces of an answer
};

/// What the API server answered.
struct Answer {
  int status = 0;
  std::chrono::seconds retry_after{0};  ///< 0: it did not say
  codec::ApiStatus refusal;             ///< for a status other than 200
};

class ApiClient {
 public:
  /// Reads certificates; does not connect yet. What it is given outlives it.
  [[nodiscard]] static Result<std::unique_ptr<ApiClient>> create(const Access& access,
                                                                 const ReadFile& read_file,
                                                                 const ClientOptions& options,
                                                                 Interrupt& interrupt);
  ~ApiClient();

  /// GET `path` (with its query; the access's prefix comes before it). The body of a 200 goes to
  /// `receive` piece by piece; where it returns false the answer is cut there, which is no error.
  /// Connections are kept. The token is read anew. Error: kUnavailable, no whole answer came.
  [[nodiscard]] Result<Answer> get(const std::string& path,
                                   const std::function<bool(std::string_view)>& receive);

 private:
  struct Impl;
  explicit ApiClient(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace berth::kube
