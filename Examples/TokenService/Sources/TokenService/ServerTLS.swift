import Hummingbird
import HummingbirdTLS
import NIOSSL
import OstiaryResourceHummingbird

/// Serves at a port of 127.0.0.1 over TLS, by the certificate and the private key of two PEM files, until the process is told to end.
func serveOverTLS(_ router: Router<CallerContext>, port: Int, _ variables: Variables) async throws {
    let chain = try variables.file("CERTIFICATE") { try NIOSSLCertificate.fromPEMFile($0) }
    let key = try variables.file("PRIVATE_KEY") { try NIOSSLPrivateKey(file: $0, format: .pem) }
    var tls = TLSConfiguration.makeServerConfiguration(certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
    tls.minimumTLSVersion = .tlsv12
    let application = Application(
        router: router, server: try .tls(.http1(), tlsConfiguration: tls), configuration: .init(address: .hostname("127.0.0.1", port: port)))
    try await application.runService()
}
