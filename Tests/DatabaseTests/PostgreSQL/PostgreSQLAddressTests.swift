import Database
import OstiaryTesting
import Testing

@Suite("PostgreSQL's URL")
struct PostgreSQLAddressTests {
    private func address(_ text: String) throws -> PostgreSQLAddress? {
        guard case .postgresql(let address) = try DatabaseURL(parsing: text) else { return nil }
        return address
    }

    @Test("It names hosts, database and user; ports have a default, and a socket is a folder")
    func parts() throws {
        let text = "postgresql://as%40x@db1,db2:6000,[fd00::1]:7/osti%20ary?sslrootcert=/ca.pem&password_file=/p&connections=4"
        let far = try #require(try address(text))
        #expect(far.hosts == [.init("db1"), .init("db2", port: 6000), .init("fd00::1", port: 7)])
        #expect(far.user == "as@x" && far.database == "osti ary" && far.rootCertificates == "/ca.pem" && far.passwordFile == "/p")
        #expect(far.connections == 4 && far.isVerified)
        #expect(far.description == "osti ary at db1:5432, db2:6000, [fd00::1]:7")
        let near = try #require(try address("postgres:///x?host=/run/postgresql&port=5433&user=o"))
        #expect(near.hosts == [.init("/run/postgresql", port: 5433)] && near.user == "o" && !near.isVerified)
        #expect(try address("postgres:///x?host=/a,/b&port=1,2")?.hosts == [.init("/a", port: 1), .init("/b", port: 2)])
        #expect(try address("postgres:///x?host=/a,/b&port=7")?.hosts == [.init("/a", port: 7), .init("/b", port: 7)])
        #expect(try address("postgres://%2Frun%2Fpostgresql/x")?.hosts == [.init("/run/postgresql")])
    }

    @Test(
        "Written down as a URL it is the same again, and as a person wrote it where that needs no sign",
        arguments: [
            "postgresql://ostiary@/ostiary?host=/run/postgresql", "postgresql://localhost/x", "postgresql://localhost:6000/x?password_file=/p",
            "postgresql://db1,db2:6000,[fd00::1]:7/x?sslrootcert=/ca.pem", "postgresql:///x?host=/a,/b&port=1,2",
            "postgresql://[::1]/x?sslrootcert=/ca.pem&sslmode=disable", "postgresql://o@db/x?sslrootcert=/ca.pem&sslcert=/c&sslkey=/k",
            "postgresql://[fe80::1%25eth0]:6000/x?sslrootcert=/ca.pem",
        ])
    func written(text: String) throws { #expect(try address(text)?.url == text) }

    @Test("What means something in a URL is written by its number; of connections, that are no place, nothing is written")
    func writtenByNumber() throws {
        let text = "postgresql://a%2Fs%40x%3A@localhost/osti%20ary%3F?password_file=/p%26q%3D&connections=4"
        var found = try #require(try address(text))
        #expect(found.url == "postgresql://a%2Fs%40x%3A@localhost/osti%20ary%3F?password_file=/p%26q%3D")
        found.connections = nil
        #expect(try address(found.url) == found)
    }

    @Test("Whoever is asked over a network shows who it is; on this machine that is left to the operator")
    func protection() throws {
        #expect(try address("postgres://localhost/x")?.isVerified == false)
        for host in ["LOCALHOST", "127.9.8.7", "[::1]", "%2Ftmp"] { #expect(try address("postgres://\(host)/x")?.isVerified == false, "\(host)") }
        #expect(try address("postgres://127.0.0.1/x?sslrootcert=/ca.pem")?.isVerified == true)
        #expect(try address("postgres://db/x?sslrootcert=/ca.pem&sslmode=verify-full")?.isVerified == true)
        #expect(try address("postgres://[::1]/x?sslrootcert=/ca.pem&sslmode=disable")?.isVerified == false)
    }

    @Test(
        "What is missing, in doubt or not safe is said, and no password is repeated",
        arguments: [
            ("postgres:x", DatabaseURLError.noHost), ("postgres:///x", .noHost), ("postgres://db", .noDatabase), ("postgres://db/", .noDatabase),
            ("postgres://o:geheim@db/x?sslrootcert=/c", .passwordInURL), ("postgres://db/x?password=geheim", .passwordInURL),
            ("postgres://db/x", .noRootCertificates), ("postgres://db/x?sslmode=verify-full", .noRootCertificates),
            ("postgres://db/x?sslmode=require&sslrootcert=/c", .unprotected), ("postgres://db/x?sslmode=disable", .unprotected),
            ("postgres://localhost,db/x?sslmode=disable", .unprotected), ("postgres://db/x?sslcret=/c", .unknownParameter("sslcret")),
            ("postgres://db:0/x?sslrootcert=/c", .badParameter("port")), ("postgres://db:99999/x?sslrootcert=/c", .badParameter("port")),
            ("postgres:///x?host=/a&host=/b", .badParameter("host")), ("postgres://db/x?host=/a", .badParameter("host")),
            ("postgres://localhost/x?connections=0", .badParameter("connections")), ("postgres://localhost/x?user", .badParameter("user")),
            ("postgres://localhost/x?port=1", .badParameter("port")), ("postgres://a,,b/x?sslrootcert=/c", .noHost),
            ("postgres://[::1/x", .noHost), ("postgres://[::1]5/x", .noHost),
            ("postgres:///x?host=/a,/b&port=1,2,3", .badParameter("port")), ("postgres:///x?host=/a,", .badParameter("host")),
            // Names of others, which say where they lead.
            ("postgres:///x?host=/a,db", .noRootCertificates),
            ("postgres://127.db.example/x?sslmode=disable", .unprotected), ("postgres://127.0.0.1.db.example/x", .noRootCertificates),
            ("postgres://127.1/x?sslmode=disable", .unprotected), ("postgres://[::2]/x?sslmode=disable", .unprotected),
            ("postgres://db/x?sslmode=prefer", .unprotected), ("postgres://db/x?sslmode=allow", .unprotected),
            // On this machine it is no other one that is in the way.
            ("postgres://localhost/x?sslmode=prefer", .unknownMode), ("postgres:///x?host=/a&sslmode=geheim", .unknownMode),
        ])
    func refused(text: String, error: DatabaseURLError) {
        #expect(throws: error) { try DatabaseURL(parsing: text) }
        #expect(!error.description.contains("geheim"))
    }

    @Test(
        "What is refused for want of TLS names both parameters and why, and never the way around it",
        arguments: [DatabaseURLError.unprotected, .noRootCertificates])
    func words(error: DatabaseURLError) {
        let words = error.description
        #expect(words.contains("sslmode=verify-full") && words.contains("sslrootcert=PATH"), "\(words)")
        #expect(words.contains("be told what logs people in"), "\(words)")
        #expect(words.hasPrefix("the database URL names another machine") && !words.contains("disable"), "\(words)")
    }

    @Test("Of a mode that does not hold on this machine no other machine is spoken of")
    func localMode() {
        let words = DatabaseURLError.unknownMode.description
        #expect(words.contains("leave it out, or write sslmode=verify-full and sslrootcert=PATH") && !words.contains("another machine"), "\(words)")
    }
}
