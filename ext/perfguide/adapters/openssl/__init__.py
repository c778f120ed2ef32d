"""OpenSSL's own benchmark, ``openssl speed``, and sweeps of it."""
