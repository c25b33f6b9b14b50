/// Certificates made at run time, for tests of TLS.
#pragma once

#include <openssl/evp.h>
#include <openssl/x509.h>

#include <memory>
#include <string>

namespace berth::http::test {

/// A certificate and its key. Issued by `issuer`, or by itself when there is none.
class Identity {
 public:
  explicit Identity(const std::string& name, const Identity* issuer = nullptr);

  [[nodiscard]] X509* certificate() const { return certificate_.get(); }
  [[nodiscard]] EVP_PKEY* key() const { return key_.get(); }
  [[nodiscard]] std::string certificate_pem() const;
  [[nodiscard]] std::string key_pem() const;

 private:
  struct Free {
    void operator()(X509* certificate) const { X509_free(certificate); }
    void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  };
  std::unique_ptr<EVP_PKEY, Free> key_;
  std::unique_ptr<X509, Free> certificate_;
};

/// A folder of its own, removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  /// Replaces the file by renaming, as careful writers do. Returns its path.
  std::string write(const std::string& name, const std::string& text) const;
  [[nodiscard]] std::string path(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace berth::http::test
