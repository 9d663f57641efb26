import OstiaryTesting
import Testing

@testable import Database

@Suite("PostgreSQL: what to do about a connection that was refused", .timeLimit(.minutes(5)))
struct RefusalAdviceTests {
    private let folder: TemporaryFolder
    /// With a file that holds `geheim`.
    private let shop: PostgreSQLAddress

    init() throws {
        folder = try TemporaryFolder()
        var address = PostgreSQLAddress(hosts: [.init("/run/it"), .init("127.0.0.1", port: 5433)], database: "it's", user: "as me")
        address.passwordFile = try folder.write("geheim\n", to: "password")
        shop = address
    }

    /// What an operator reads at a start.
    private func told(_ address: PostgreSQLAddress) async throws -> String {
        do { try await onOwnThread { try PostgreSQLDatabase.open(address) }.close() } catch let error as DatabaseOpenError { return "\(error)" }
        return ""
    }

    @Test(
        "Each sentence that is known has a next step that names what is ours: the URL, its parts, a name as a shell reads it",
        arguments: [
            (#"FATAL:  database "it's" does not exist"#, #"createdb --owner='as me' --template=template0 --encoding=UTF8 --locale=C 'it'\''s', "#),
            (#"FATAL:  role "as me" does not exist"#, "createuser 'as me', as a superuser of PostgreSQL) and have it own the database, or mend"),
            (#"FATAL:  password authentication failed for user "as me""#, "which the database URL names (password_file), or give the role that"),
            (#"FATAL:  Peer authentication failed for user "as me""#, "run this as that user of the system, mend the user in the database URL, or"),
            (
                #"FATAL:  no pg_hba.conf entry for host "[local]", user "as me", database "it's", no encryption"#,
                "to pg_hba.conf there and run SELECT pg_reload_conf(), or mend them in the database URL; where that asks for TLS, add sslmode=verify-full"
            ),
            (#"connection to server on socket "/run/it/.s.PGSQL.5432" failed: No such file or directory"#, "pg_isready -h /run/it -p 5432), and"),
            (#"connection to server on socket "/run/it/.s.PGSQL.5432" failed: Connection refused"#, "unix_socket_directories, and 5432 its port?"),
            ("server does not support SSL, but SSL was required", "give it one (ssl, ssl_cert_file, ssl_key_file); sslmode stays verify-full"),
            (
                #"root certificate file "/no" does not exist; Either provide the file or change sslmode to disable server certificate verification."#,
                "sslrootcert in the database URL names a file of the certificates by which PostgreSQL is known"
            ),
            ("SSL error: certificate verify failed", "put the right one there; sslmode stays verify-full"),
            (#"server certificate for "a" does not match host name "b""#, "name the host in the database URL as its certificate does"),
        ])
    func known(refusal: String, step: String) throws {
        let advice = try #require(shop.advice(on: refusal, by: shop.hosts[0]))
        #expect(advice.contains(step), "\(advice)")
        #expect(!advice.contains("geheim") && !advice.contains("sslmode=disable") && !advice.contains("sslmode=prefer"))
    }

    @Test(
        "Where nothing more is known nothing is made up: what passes, what is said of our own files, another language",
        arguments: [
            "FATAL:  the database system is starting up", "nothing was heard of the server", "FATAL:  sorry, too many clients already",
            "the password file /run/it/password cannot be read: No such file or directory", "FATAL:  Datenbank »it's« existiert nicht",
        ])
    func unknown(refusal: String) {
        #expect(shop.advice(on: refusal, by: shop.hosts[0]) == nil)
        #expect(PostgreSQLLink.Loss(reason: refusal).told == refusal)
    }

    @Test("Over TCP it is asked for address and port; without a user or a password file in the URL that is the next step")
    func absent() throws {
        let refused = try #require(shop.advice(on: "connection to server at \"127.0.0.1\", port 5433 failed: Connection refused", by: shop.hosts[1]))
        #expect(refused.contains("pg_isready -h 127.0.0.1 -p 5433), and does it listen on that address (listen_addresses) and port (port)?"))
        #expect(!refused.contains("socket"))
        let bare = PostgreSQLAddress(hosts: shop.hosts, database: "x")
        #expect(bare.advice(on: #"FATAL:  role "root" does not exist"#, by: bare.hosts[0])?.contains("user=USER behind host=FOLDER") == true)
        #expect(bare.advice(on: #"FATAL:  database "x" does not exist"#, by: bare.hosts[0])?.contains("--owner=ROLE ") == true)
        let unasked = try #require(bare.advice(on: "fe_sendauth: no password supplied", by: bare.hosts[0]))
        #expect(unasked.contains("add password_file=PATH to the URL") && !unasked.contains("ALTER ROLE"))
    }

    @Test(
        "A start on a server that is there reads what PostgreSQL says and then what to do, of a database, a role, a password and an entry; and no password",
        .enabled(if: PostgreSQLCluster.isInstalled))
    func server() async throws {
        let cluster = try await PostgreSQLCluster()
        let name = try await cluster.makeDatabase()
        try await cluster.run(["CREATE ROLE guest LOGIN PASSWORD 'geheim'"])
        try await cluster.demandPasswords(of: "guest")
        let nowhere = try await told(cluster.address(of: "nowhere"))
        #expect(nowhere.contains(#"database "nowhere" does not exist: the database URL names it: make it, empty and "#), "\(nowhere)")
        #expect(nowhere.contains("(createdb --owner=ostiary --template=template0 --encoding=UTF8 --locale=C nowhere, "), "\(nowhere)")
        #expect(!nowhere.contains("user in the URL"), "\(nowhere)")
        let nobody = try await told(cluster.address(of: name, as: "nobody"))
        #expect(nobody.contains(#"role "nobody" does not exist: the database URL names it: make it (createuser nobody, "#), "\(nobody)")
        #expect(!nobody.contains("createdb"), "\(nobody)")
        var guest = cluster.address(of: name, as: "guest")
        let unasked = try await told(guest)
        #expect(unasked.contains("no password supplied: the database URL names no file with a password"), "\(unasked)")
        guest.passwordFile = try folder.write("falsch\n", to: "wrong")
        let wrong = try await told(guest)
        #expect(wrong.contains("put the password of the role into \(folder.file("wrong")), which the database URL names (password_file)"), "\(wrong)")
        #expect(!wrong.contains("falsch") && !wrong.contains("geheim"))

        let port = try await cluster.listen(pem: TLSServer.pem)
        let plain = try await told(PostgreSQLAddress(hosts: [.init("127.0.0.1", port: port)], database: name, user: "ostiary"))
        #expect(plain.contains("no pg_hba.conf entry for host") && plain.contains("SELECT pg_reload_conf()"), "\(plain)")
        #expect(plain.contains("add sslmode=verify-full&sslrootcert=PATH to the URL") && !plain.contains("password"), "\(plain)")
    }

    @Test("Where nobody listens a start reads of each host what to look at", .enabled(if: PostgreSQLCluster.isInstalled))
    func nobodyListens() async throws {
        let hosts = [PostgreSQLAddress.Host("/nowhere"), .init("127.0.0.1", port: 1)]
        var address = PostgreSQLAddress(hosts: hosts, database: "x", user: "ostiary")
        address.passwordFile = shop.passwordFile
        let told = try await told(address)
        #expect(told.hasPrefix("cannot open the database x at /nowhere:5432, 127.0.0.1:1: "), "\(told)")
        #expect(told.contains("does PostgreSQL run (pg_isready -h /nowhere -p 5432), and is that folder among"), "\(told)")
        #expect(told.contains("; nobody listens there: does PostgreSQL run (pg_isready -h 127.0.0.1 -p 1), and does it listen on"), "\(told)")
        #expect(!told.contains("geheim"))
    }
}
