#include "trust.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <memory>
#include <utility>

namespace berth::kube {
namespace {

constexpr std::size_t kMaxPemBytes = std::size_t{4} << 20;

struct Free {
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
using Bio = std::unique_ptr<BIO, Free>;
using Certificate = std::unique_ptr<X509, Free>;
using Key = std::unique_ptr<EVP_PKEY, Free>;

// OpenSSL calls back with no place of ours in reach; a handshake runs on one thread.
thread_local std::string distrust;

int note_distrust(int trusted, X509_STORE_CTX* context) {
  if (trusted == 0) distrust = X509_verify_cert_error_string(X509_STORE_CTX_get_error(context));
  return trusted;
}

/// A key with a pass phrase is refused, not asked for on the terminal.
int no_pass_phrase(char* /*buffer*/, int /*size*/, int /*writing*/, void* /*user*/) { return 0; }

Error unusable(const Pem& pem, const std::string& what) {
  ERR_clear_error();
  return {ErrorCode::kInvalidArgument,
          what + " " + (pem.file.empty() ? "in the kubeconfig" : pem.file) + " is not usable PEM"};
}

Result<std::string> text_of(const Pem& pem, const ReadFile& read_file) {
  if (pem.file.empty()) return pem.text;
  return read_file(pem.file, kMaxPemBytes);
}

Bio reader(const std::string& text) {
  return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

Certificate next_certificate(BIO* bio) {
  return Certificate(PEM_read_bio_X509(bio, nullptr, &no_pass_phrase, nullptr));
}

Status trust_authority(SSL_CTX* context, const Pem& authority, const ReadFile& read_file) {
  if (authority.empty()) {
    SSL_CTX_set_default_verify_paths(context);
    return ok();
  }
  const auto text = text_of(authority, read_file);
  if (!text) return text.error();
  X509_STORE* store = SSL_CTX_get_cert_store(context);
  const Bio bio = reader(*text);
  std::size_t found = 0;
  while (const Certificate certificate = next_certificate(bio.get())) {
    X509_STORE_add_cert(store, certificate.get());
    ++found;
  }
  ERR_clear_error();
  return found > 0 ? ok() : Status(unusable(authority, "certificate-authority"));
}

Status show_certificate(SSL_CTX* context, const Access& access, const ReadFile& read_file) {
  if (access.client_certificate.empty()) return ok();
  const auto certificate_text = text_of(access.client_certificate, read_file);
  if (!certificate_text) return certificate_text.error();
  const Bio certificates = reader(*certificate_text);
  const Certificate leaf = next_certificate(certificates.get());
  if (leaf == nullptr || SSL_CTX_use_certificate(context, leaf.get()) != 1) {
    return unusable(access.client_certificate, "client-certificate");
  }
  while (const Certificate issuer = next_certificate(certificates.get())) {
    SSL_CTX_add1_chain_cert(context, issuer.get());
  }
  const auto key_text = text_of(access.client_key, read_file);
  if (!key_text) return key_text.error();
  const Bio keys = reader(*key_text);
  const Key key(PEM_read_bio_PrivateKey(keys.get(), nullptr, &no_pass_phrase, nullptr));
  if (key == nullptr || SSL_CTX_use_PrivateKey(context, key.get()) != 1 ||
      SSL_CTX_check_private_key(context) != 1) {
    return unusable(access.client_key, "client-key");
  }
  ERR_clear_error();
  return ok();
}

void expect_name(SSL_CTX* context, const std::string& name) {
  X509_VERIFY_PARAM* wanted = SSL_CTX_get0_param(context);
  if (X509_VERIFY_PARAM_set1_ip_asc(wanted, name.c_str()) == 1) return;
  X509_VERIFY_PARAM_set_hostflags(wanted, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  X509_VERIFY_PARAM_set1_host(wanted, name.data(), name.size());
}

}  // namespace

Status configure_tls(SSL_CTX* context, const Access& access, const ReadFile& read_file) {
  ERR_clear_error();
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  if (Status shown = show_certificate(context, access, read_file); !shown) return shown;
  if (access.insecure_skip_tls_verify) {
    SSL_CTX_set_verify(context, SSL_VERIFY_NONE, nullptr);
    return ok();
  }
  const Pem& authority = access.certificate_authority;
  if (Status trusted = trust_authority(context, authority, read_file); !trusted) return trusted;
  // As in Go, whatever stands in the CA file is trusted, an intermediate too.
  X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(context), X509_V_FLAG_PARTIAL_CHAIN);
  expect_name(context, access.tls_server_name.empty() ? access.host : access.tls_server_name);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, &note_distrust);
  return ok();
}

std::string take_distrust() { return std::exchange(distrust, {}); }

}  // namespace berth::kube
