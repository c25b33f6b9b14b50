#include "test/http/certificates.h"

#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace berth::http::test {
namespace {

constexpr long kDay = 86'400;

template <typename Write>
std::string to_pem(Write write) {
  BIO* memory = BIO_new(BIO_s_mem());
  write(memory);
  char* text = nullptr;
  const long size = BIO_get_mem_data(memory, &text);
  std::string pem(text, static_cast<std::size_t>(size));
  BIO_free(memory);
  return pem;
}

void add_extension(X509* certificate, int kind, const char* value) {
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, nullptr, kind, value);
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

}  // namespace

Identity::Identity(const std::string& name, const Identity* issuer)
    : key_(EVP_EC_gen("P-256")), certificate_(X509_new()) {
  static std::atomic<long> next_serial{1};
  X509* made = certificate_.get();
  X509_set_version(made, X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(made), next_serial++);
  X509_gmtime_adj(X509_getm_notBefore(made), -kDay);
  X509_gmtime_adj(X509_getm_notAfter(made), kDay);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(made), "CN", MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
  X509_set_issuer_name(made, X509_get_subject_name(issuer ? issuer->certificate() : made));
  X509_set_pubkey(made, key_.get());
  if (issuer == nullptr) add_extension(made, NID_basic_constraints, "critical,CA:TRUE");
  add_extension(made, NID_subject_alt_name, "DNS:localhost,IP:127.0.0.1");
  X509_sign(made, issuer ? issuer->key() : key_.get(), EVP_sha256());
}

std::string Identity::certificate_pem() const {
  return to_pem([this](BIO* out) { PEM_write_bio_X509(out, certificate_.get()); });
}

std::string Identity::key_pem() const {
  return to_pem([this](BIO* out) {
    PEM_write_bio_PrivateKey(out, key_.get(), nullptr, nullptr, 0, nullptr, nullptr);
  });
}

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "berth-http-XXXXXX").string();
  path_ = mkdtemp(pattern.data());
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TemporaryFolder::write(const std::string& name, const std::string& text) const {
  std::ofstream(path(name) + ".new") << text;
  std::filesystem::rename(path(name) + ".new", path(name));
  return path(name);
}

}  // namespace berth::http::test
