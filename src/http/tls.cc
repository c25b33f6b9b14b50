#include "tls.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <sys/stat.h>

#include <cerrno>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>

namespace berth::http {
namespace {

constexpr std::chrono::seconds kLookInterval{1};
constexpr std::string_view kHttp11 = "http/1.1";

using Context = std::shared_ptr<SSL_CTX>;

/// Why OpenSSL refused; empties its list of errors.
std::string openssl_reason() {
  const char* text = ERR_reason_error_string(ERR_peek_error());
  ERR_clear_error();
  return text != nullptr ? text : "not usable";
}

/// The same where what is wanted is a kind of PEM block; OpenSSL's words for "there is none" are of
/// no help.
std::string pem_reason(const std::string& wanted) {
  const int reason = ERR_GET_REASON(ERR_peek_error());
  const std::string words = openssl_reason();
  if (reason == PEM_R_NO_START_LINE || reason == ERR_R_UNSUPPORTED) return "not a PEM " + wanted;
  return "not a usable PEM " + wanted + " (" + words + ")";
}

Error bad_file(const std::string& what, const std::string& file, const std::string& why) {
  return Error{ErrorCode::kInvalidArgument, what + " " + file + ": " + why};
}

Status check_readable(const std::string& what, const std::string& file) {
  errno = 0;
  std::ifstream stream(file);
  if (stream && stream.peek() != std::ifstream::traits_type::eof()) return ok();
  return bad_file(what, file, errno != 0 ? std::generic_category().message(errno) : "empty");
}

/// A key with a pass phrase is refused, not asked for on the terminal.
int no_pass_phrase(char* /*buffer*/, int /*size*/, int /*writing*/, void* /*user*/) { return 0; }

/// Says "http/1.1" to clients that offer it beside HTTP/2.
int choose_protocol(SSL* /*ssl*/, const unsigned char** chosen, unsigned char* length,
                    const unsigned char* offered, unsigned offered_length, void* /*user*/) {
  for (unsigned at = 0; at < offered_length; at += 1U + offered[at]) {
    if (at + 1U + offered[at] > offered_length) break;
    const std::string_view name(reinterpret_cast<const char*>(offered) + at + 1, offered[at]);
    if (name != kHttp11) continue;
    *chosen = offered + at + 1;
    *length = offered[at];
    return SSL_TLSEXT_ERR_OK;
  }
  return SSL_TLSEXT_ERR_NOACK;
}

Status use_certificate(SSL_CTX* context, const TlsOptions& options) {
  if (Status readable = check_readable("certificate", options.certificate_file); !readable) {
    return readable;
  }
  if (SSL_CTX_use_certificate_chain_file(context, options.certificate_file.c_str()) != 1) {
    return bad_file("certificate", options.certificate_file, pem_reason("certificate"));
  }
  if (Status readable = check_readable("key", options.key_file); !readable) return readable;
  if (SSL_CTX_use_PrivateKey_file(context, options.key_file.c_str(), SSL_FILETYPE_PEM) == 1 &&
      SSL_CTX_check_private_key(context) == 1) {
    return ok();
  }
  const bool mismatch = ERR_GET_REASON(ERR_peek_last_error()) == X509_R_KEY_VALUES_MISMATCH ||
                        ERR_GET_REASON(ERR_peek_last_error()) == X509_R_KEY_TYPE_MISMATCH;
  const std::string why = pem_reason("private key without a pass phrase");
  return bad_file("key", options.key_file,
                  mismatch ? "does not belong to certificate " + options.certificate_file : why);
}

Status demand_client_certificates(SSL_CTX* context, const std::string& file) {
  if (Status readable = check_readable("client CA", file); !readable) return readable;
  STACK_OF(X509_NAME)* names = SSL_load_client_CA_file(file.c_str());
  if (names == nullptr || SSL_CTX_load_verify_locations(context, file.c_str(), nullptr) != 1) {
    sk_X509_NAME_pop_free(names, X509_NAME_free);
    return bad_file("client CA", file, pem_reason("certificate"));
  }
  SSL_CTX_set_client_CA_list(context, names);  // takes them
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  return ok();
}

Result<Context> make_context(const TlsOptions& options) {
  ERR_clear_error();
  Context context(SSL_CTX_new(TLS_server_method()), &SSL_CTX_free);
  if (context == nullptr) return Error{ErrorCode::kInternal, "TLS: " + openssl_reason()};
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                                         SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_NO_TICKET);
  // No resumption: a session would outlive the client CA that admitted it.
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(context.get(), 0);
  SSL_CTX_set_mode(context.get(), SSL_MODE_ENABLE_PARTIAL_WRITE |
                                      SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                      SSL_MODE_RELEASE_BUFFERS | SSL_MODE_AUTO_RETRY);
  SSL_CTX_set_default_passwd_cb(context.get(), &no_pass_phrase);
  SSL_CTX_set_alpn_select_cb(context.get(), &choose_protocol, nullptr);
  if (Status used = use_certificate(context.get(), options); !used) return used.error();
  if (options.client_ca_file.empty()) return context;
  if (Status used = demand_client_certificates(context.get(), options.client_ca_file); !used) {
    return used.error();
  }
  return context;
}

}  // namespace

TlsCredentials::TlsCredentials(TlsOptions options, OnEvent on_event, Stamps stamps, Context context)
    : options_(std::move(options)),
      on_event_(std::move(on_event)),
      stamps_(stamps),
      looked_(now()),
      context_(std::move(context)) {}

Result<std::unique_ptr<TlsCredentials>> TlsCredentials::load(TlsOptions options, OnEvent on_event) {
  const Stamps stamps = stamps_of(options);  // before reading: a later change is seen again
  Result<Context> context = make_context(options);
  if (!context) return context.error();
  return std::unique_ptr<TlsCredentials>(
      new TlsCredentials(std::move(options), std::move(on_event), stamps, std::move(*context)));
}

TlsCredentials::FileStamp TlsCredentials::stamp_of(const std::string& file) {
  struct stat found {};
  if (file.empty() || ::stat(file.c_str(), &found) != 0) return {};
  return {found.st_dev, found.st_ino, found.st_size, found.st_mtim.tv_sec, found.st_mtim.tv_nsec};
}

TlsCredentials::Stamps TlsCredentials::stamps_of(const TlsOptions& options) {
  return {stamp_of(options.certificate_file), stamp_of(options.key_file),
          stamp_of(options.client_ca_file)};
}

/// Returns what is worth telling; empty: nothing changed.
std::string TlsCredentials::reload_if_changed() {
  if (now() - looked_ < kLookInterval) return {};
  looked_ = now();
  const Stamps stamps = stamps_of(options_);
  if (stamps == stamps_) return {};
  stamps_ = stamps;  // also of a broken file: it is reported once, and tried again when it changes
  Result<Context> context = make_context(options_);
  if (!context) return "TLS files changed but the old ones stay in use: " + context.error().message;
  context_ = std::move(*context);
  return "TLS files changed and are in use: certificate " + options_.certificate_file;
}

Context TlsCredentials::current() {
  std::string event;
  Context newest;
  {
    const MutexLock lock(mutex_);
    event = reload_if_changed();
    newest = context_;
  }
  if (!event.empty() && on_event_) on_event_(std::move(event));
  return newest;
}

}  // namespace berth::http
