#include "api_client.h"

#include <httplib.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <charconv>
#include <utility>

#include "trust.h"

namespace berth::kube {
namespace {

constexpr std::size_t kMaxRefusalBytes = std::size_t{64} << 10;
constexpr std::size_t kMaxTokenBytes = std::size_t{1} << 20;

/// A peer that is gone without a word is noticed by the kernel within some 30 seconds.
void notice_dead_peers(int socket) {
  const auto set = [socket](int level, int option, int value) {
    ::setsockopt(socket, level, option, &value, sizeof value);
  };
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, 10);
  set(IPPROTO_TCP, TCP_KEEPINTVL, 5);
  set(IPPROTO_TCP, TCP_KEEPCNT, 4);
  set(IPPROTO_TCP, TCP_USER_TIMEOUT, 30'000);
}

std::chrono::seconds retry_after(const std::string& text) {
  constexpr int kMost = 300;
  int seconds = 0;
  std::from_chars(text.data(), text.data() + text.size(), seconds);
  return std::chrono::seconds(std::clamp(seconds, 0, kMost));
}

}  // namespace

struct ApiClient::Impl {
  const Access& access;
  const ReadFile& read_file;
  ClientOptions options;
  Interrupt& interrupt;
  std::unique_ptr<httplib::ClientImpl> client{};

  Status connect_with_tls() {
    auto tls = std::make_unique<httplib::SSLClient>(access.host, access.port);
    // OpenSSL verifies in the handshake, see configure_tls(); the library would trust the system's
    // authorities beside the one we were given.
    tls->enable_server_certificate_verification(false);
    if (Status ready = configure_tls(tls->ssl_context(), access, read_file); !ready) return ready;
    client = std::move(tls);
    return ok();
  }

  void set_up() const {
    client->set_connection_timeout(options.connect_timeout);
    client->set_read_timeout(options.read_deadline);
    client->set_write_timeout(options.connect_timeout);
    client->set_keep_alive(true);
    client->set_tcp_nodelay(true);
    client->set_socket_options([&guard = interrupt](socket_t socket) {
      notice_dead_peers(socket);
      guard.use(socket);
    });
  }

  Result<httplib::Headers> headers() const {
    httplib::Headers headers = {{"Accept", "application/json"},
                                {"Accept-Encoding", "identity"},
                                {"User-Agent", options.user_agent}};
    std::string token = access.token;
    if (!access.token_file.empty()) {
      auto read = read_file(access.token_file, kMaxTokenBytes);
      if (!read) return read.error();
      token = *std::move(read);
      while (!token.empty() && (token.back() == '\n' || token.back() == '\r')) token.pop_back();
    }
    if (!token.empty()) headers.emplace("Authorization", "Bearer " + token);
    return headers;
  }

  /// What went wrong, in one line.
  Error failure(httplib::Error error) const {
    std::string why = httplib::to_string(error);
    if (const std::string distrust = take_distrust(); !distrust.empty()) why = distrust;
    return {ErrorCode::kUnavailable,
            "API server " + access.host + ":" + std::to_string(access.port) + ": " + why};
  }
};

ApiClient::ApiClient(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ApiClient::~ApiClient() { impl_->interrupt.release(); }

Result<std::unique_ptr<ApiClient>> ApiClient::create(const Access& access,
                                                     const ReadFile& read_file,
                                                     const ClientOptions& options,
                                                     Interrupt& interrupt) {
  auto impl = std::unique_ptr<Impl>(new Impl{access, read_file, options, interrupt});
  if (access.tls) {
    if (Status ready = impl->connect_with_tls(); !ready) return ready.error();
  } else {
    impl->client = std::make_unique<httplib::ClientImpl>(access.host, access.port);
  }
  impl->set_up();
  return std::unique_ptr<ApiClient>(new ApiClient(std::move(impl)));
}

Result<Answer> ApiClient::get(const std::string& path,
                              const std::function<bool(std::string_view)>& receive) {
  if (impl_->interrupt.raised()) return Error{ErrorCode::kUnavailable, "stopping"};
  const auto headers = impl_->headers();
  if (!headers) return headers.error();
  Answer answer;
  PaddedBuffer refusal;
  const auto on_head = [&answer](const httplib::Response& head) {
    answer.status = head.status;
    answer.retry_after = retry_after(head.get_header_value("Retry-After"));
    return true;
  };
  const auto on_piece = [&](const char* bytes, std::size_t size) {
    if (answer.status == 200) return receive({bytes, size});
    if (refusal.size() + size > kMaxRefusalBytes) return false;
    refusal.append({bytes, size});
    return true;
  };
  const auto result =
      impl_->client->Get(impl_->access.path_prefix + path, *headers, on_head, on_piece);
  const bool cut_by_us = result.error() == httplib::Error::Canceled;
  if (!result && !(cut_by_us && answer.status != 0)) return impl_->failure(result.error());
  if (answer.status != 200) answer.refusal = codec::read_api_status(refusal);
  return answer;
}

}  // namespace berth::kube
