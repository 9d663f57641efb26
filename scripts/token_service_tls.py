"""Certificates for scripts/token-service-test, and whoever answers in a server's place with one."""

import base64
import datetime
import hashlib
import ipaddress
import ssl

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from local_server import LocalServer, QuietPages


def new_key():
    return ec.generate_private_key(ec.SECP256R1())


def pem(key):
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


class Certificate:
    """A certificate with its private key, in files."""

    def __init__(self, folder, name, key, certificates):
        self.key, self.file, self.key_file = key, folder / f"{name}.pem", folder / f"{name}.key"
        self.file.write_bytes(b"".join(each.public_bytes(Encoding.PEM) for each in certificates))
        self.key_file.write_bytes(pem(key))
        self.chain = certificates

    @property
    def pin(self):
        """SHA-256 of the public key's SubjectPublicKeyInfo, base64 (RFC 7469 §2.4)."""
        spki = self.key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        return base64.b64encode(hashlib.sha256(spki).digest()).decode()


class Authority:
    """Whom everybody here trusts to sign certificates."""

    def __init__(self, folder, name="authority"):
        self.folder, self.key = folder, new_key()
        self.name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
        usage = x509.KeyUsage(
            digital_signature=False, content_commitment=False, key_encipherment=False, data_encipherment=False, key_agreement=False,
            key_cert_sign=True, crl_sign=True, encipher_only=False, decipher_only=False)
        built = self.builder(self.name, self.key).add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        built = built.add_extension(usage, critical=True)
        self.file = folder / f"{name}.pem"
        self.file.write_bytes(built.sign(self.key, hashes.SHA256()).public_bytes(Encoding.PEM))

    def builder(self, subject, key):
        now = datetime.datetime.now(datetime.timezone.utc)
        return (
            x509.CertificateBuilder().subject_name(subject).issuer_name(self.name).public_key(key.public_key())
            .serial_number(x509.random_serial_number()).not_valid_before(now - datetime.timedelta(hours=1))
            .not_valid_after(now + datetime.timedelta(days=1))
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(self.key.public_key()), critical=False))

    def certificate(self, name, key=None, address="127.0.0.1", behind=()):
        """A certificate for that address; those of `behind` come along with it."""
        key = key or new_key()
        built = self.builder(x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)]), key)
        built = built.add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address(address))]), critical=False)
        built = built.add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        built = built.add_extension(x509.ExtendedKeyUsage([x509.ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        return Certificate(self.folder, name, key, [built.sign(self.key, hashes.SHA256()), *behind])


class Impostor(LocalServer):
    """Answers over TLS at the port of another, and notes who came and what was asked."""

    class Page(QuietPages):
        def answer(self):
            # To its end: a connection that is closed before is broken for whoever still writes.
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            self.server.asked.append(self.path)
            status, body = self.server.says
            self.give(status, body, {})

        do_GET = do_POST = answer

    def __init__(self, port, certificate):
        super().__init__(Impostor.Page, port.number)
        self.came, self.asked, self.says = 0, [], (503, b"")
        self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.tls.load_cert_chain(certificate.file, certificate.key_file)
        self.serve()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def finish_request(self, request, client_address):
        """On the connection's own thread: a handshake that is broken off holds nobody up."""
        self.came += 1
        with self.tls.wrap_socket(request, server_side=True) as connection:
            super().finish_request(connection, client_address)

    def shutdown_request(self, request):
        # The socket below went over to the one of TLS, which is closed by now.
        if request.fileno() != -1:
            super().shutdown_request(request)

    def handle_error(self, *_):
        pass
