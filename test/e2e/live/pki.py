"""Certificates for the tests, made with openssl."""

import pathlib

from .program import run

_NEW_KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-noenc"]


class Authority:
    """A certificate authority whose files are in `folder`."""

    def __init__(self, folder, name="e2e"):
        self._folder = pathlib.Path(folder)
        self._folder.mkdir(parents=True, exist_ok=True)
        self.certificate = self._folder / "ca.crt"
        self._key = self._folder / "ca.key"
        run(["openssl", "req", "-x509", *_NEW_KEY, "-days", "30", "-subj", f"/CN={name}",
             "-keyout", self._key, "-out", self.certificate])

    def issue(self, name, subject):
        """A certificate for a client and for a server on 127.0.0.1; returns its files (certificate, key)."""
        request, extensions = self._folder / f"{name}.csr", self._folder / f"{name}.ext"
        certificate, key = self._folder / f"{name}.crt", self._folder / f"{name}.key"
        extensions.write_text("subjectAltName=IP:127.0.0.1,DNS:localhost\n"
                              "keyUsage=digitalSignature\nextendedKeyUsage=serverAuth,clientAuth\n")
        run(["openssl", "req", "-new", *_NEW_KEY, "-subj", subject, "-keyout", key, "-out", request])
        run(["openssl", "x509", "-req", "-in", request, "-CA", self.certificate, "-CAkey", self._key,
             "-CAcreateserial", "-days", "30", "-extfile", extensions, "-out", certificate])
        return certificate, key
