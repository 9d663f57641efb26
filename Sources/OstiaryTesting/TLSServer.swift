import Foundation

/// A web server on loopback whose certificate it signed itself: real TLS, by Python's library, in a process of its own. It ends with this object.
package final class TLSServer: Sendable {
    package let port: UInt16
    private let process: Process
    private let input = Pipe()
    private let reader: FileHandle

    /// - Parameter host: where it listens. Its certificate is for localhost and 127.0.0.1.
    package init(host: String = "127.0.0.1") throws {
        process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-c", Self.program, host]
        process.environment = ProcessInfo.processInfo.environment.merging(["PEM": Self.pem]) { _, ours in ours }
        process.standardInput = input
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        reader = output.fileHandleForReading
        guard let first = try Self.line(of: reader), let port = UInt16(first) else { throw NotStarted() }
        self.port = port
    }

    deinit {
        try? input.fileHandleForWriting.close()
        process.terminate()
        process.waitUntilExit()
    }

    /// How many requests it could read: ends the server.
    package func requests() throws -> Int {
        try input.fileHandleForWriting.close()
        process.waitUntilExit()
        return String(decoding: try reader.readToEnd() ?? Data(), as: UTF8.self).split(separator: "\n").count
    }

    /// In PEM.
    package static let certificate = String(pem[(pem.range(of: "-----BEGIN CERTIFICATE")?.lowerBound ?? pem.endIndex)...])

    private struct NotStarted: Error {}

    private static func line(of handle: FileHandle) throws -> String? {
        var bytes: [UInt8] = []
        while let byte = try handle.read(upToCount: 1)?.first {
            if byte == 0x0A { return String(decoding: bytes, as: UTF8.self) }
            bytes.append(byte)
        }
        return nil
    }

    /// The key is nobody's: it guards nothing.
    package static let pem = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg72rPY365kdyqjwUg
        TOj5ekkZhKpUMIVkcZmLfRtUpIehRANCAATdNMU6v1GadccxMHGTohx/1M7w7s9b
        x3s4u1yW3EjLa6jw94O/mhqHcw/7L+hz/TY1HbBhMEiiMvsK2r0/Hwr8
        -----END PRIVATE KEY-----
        -----BEGIN CERTIFICATE-----
        MIIBmzCCAUGgAwIBAgIURAsLw4dS1sHQeEvZrmD0gXH7ZskwCgYIKoZIzj0EAwIw
        FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTE5MzAxMVoYDzIxMjYxMDI4
        MTkzMDExWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
        PQMBBwNCAATdNMU6v1GadccxMHGTohx/1M7w7s9bx3s4u1yW3EjLa6jw94O/mhqH
        cw/7L+hz/TY1HbBhMEiiMvsK2r0/Hwr8o28wbTAdBgNVHQ4EFgQUMSdcN7sWHeRH
        8crTPyD/IMUfhCIwHwYDVR0jBBgwFoAUMSdcN7sWHeRH8crTPyD/IMUfhCIwDwYD
        VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
        zj0EAwIDSAAwRQIgGf8114bX6TJGYfsi0tSKZhqW5zM4MtPZKc+wXlKrbz4CIQC8
        bQC1AKJCK9JN3KaSXX93GoWBOQVJwl1+8e00XxF5iw==
        -----END CERTIFICATE-----

        """

    /// Prints its port, then a line for each request that came through; goes when its input ends.
    private static let program = """
        import os, re, socket, ssl, sys, tempfile, threading
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        with tempfile.NamedTemporaryFile('w', suffix='.pem') as file:
            file.write(os.environ['PEM'])
            file.flush()
            context.load_cert_chain(file.name)
        listener = socket.create_server((sys.argv[1], 0))
        print(listener.getsockname()[1], flush=True)

        def read(connection):
            # Head and body come apart: what is left unread would reset the connection, and the answer with it.
            data = b''
            while True:
                head, end, body = data.partition(b'\\r\\n\\r\\n')
                length = re.search(rb'(?i)\\ncontent-length: *([0-9]+)', head)
                if end and len(body) >= int(length[1] if length else 0):
                    return data
                more = connection.recv(65536)
                if not more:
                    return data
                data += more

        def serve():
            while True:
                try:
                    with context.wrap_socket(listener.accept()[0], server_side=True) as connection:
                        if read(connection):
                            print('request', flush=True)
                            connection.sendall(b'HTTP/1.1 200 OK\\r\\nContent-Length: 0\\r\\nConnection: close\\r\\n\\r\\n')
                except OSError:
                    pass

        threading.Thread(target=serve, daemon=True).start()
        sys.stdin.read()
        os._exit(0)
        """
}
