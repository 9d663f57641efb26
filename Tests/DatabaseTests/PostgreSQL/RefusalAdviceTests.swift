import Foundation
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
            (#"certificate present, but not private key file "/run/it/key""#, "sslcert and sslkey in the database URL name the files of the"),
            ("FATAL:  connection requires a valid client certificate", "of an authority that PostgreSQL knows (ssl_ca_file there)"),
            (#"FATAL:  role "as me" is not permitted to log in"#, #"ALTER ROLE "as me" LOGIN, as a superuser"#),
            (#"FATAL:  permission denied for database "it's""#, #"GRANT CONNECT ON DATABASE "it's" TO "as me", as its owner"#),
            (#"FATAL:  database "it's" is not currently accepting connections"#, #"ALTER DATABASE "it's" ALLOW_CONNECTIONS true in another"#),
            (#"FATAL:  too many connections for role "as me""#, #"the limit of the role (ALTER ROLE "as me" CONNECTION LIMIT N, as a superuser"#),
            (#"FATAL:  too many connections for database "it's""#, #"the limit of the database (ALTER DATABASE "it's" CONNECTION LIMIT N, as its"#),
            ("FATAL:  sorry, too many clients already", "raise max_connections, of which PostgreSQL keeps some for superusers (ALTER SYSTEM SET"),
            ("FATAL:  remaining connection slots are reserved for roles with the SUPERUSER attribute", "raise max_connections, of which"),
            (#"connection to server on socket "/run/it/.s.PGSQL.5432" failed: Permission denied"#, "run this as one who may, or let it"),
            (#"could not translate host name "db" to address: Name or service not known"#, "mend the host in the database URL, or that by"),
            (#"connection to server at "10.0.0.1", port 5432 failed: No route to host"#, "this machine has no way there: mend the host"),
            ("expected authentication request from server, but received H", "what listens there is no PostgreSQL: mend host and port"),
            ("received invalid response to SSL negotiation: H", "what listens there is no PostgreSQL: mend host and port"),
            (#"Unix-domain socket path "/a/.s.PGSQL.5432" is too long (maximum 107 bytes)"#, "in a folder with a shorter path"),
        ])
    func known(refusal: String, step: String) throws {
        let advice = try #require(shop.advice(on: refusal, by: shop.hosts[0]))
        #expect(advice.contains(step), "\(advice)")
        #expect(!advice.contains("geheim") && !advice.contains("sslmode=disable") && !advice.contains("sslmode=prefer"))
    }

    @Test(
        "Where nothing more is known nothing is made up: what passes, what is said of our own files, another language",
        arguments: [
            "FATAL:  the database system is starting up", "nothing was heard of the server", "FATAL:  the database system is in recovery mode",
            "the password file /run/it/password cannot be read: No such file or directory", "FATAL:  Datenbank »it's« existiert nicht",
        ])
    func unknown(refusal: String) {
        #expect(shop.advice(on: refusal, by: shop.hosts[0]) == nil)
        #expect(PostgreSQLLink.Loss(reason: refusal).told == refusal)
    }

    @Test(
        "Of a file that the URL names, and that cannot be read, it is told why, whatever is said of it: libpq says that one in a closed folder does not exist"
    )
    func unreadable() throws {
        let (link, target) = (folder.file("link"), folder.file("none"))
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
        let words = "\(link) is a link to \(target), and there is no such file: "
        var (password, roots, own) = (shop, shop, shop)
        password.passwordFile = link
        roots.rootCertificates = link
        own.rootCertificates = shop.passwordFile
        own.key = link
        let refusals = [
            (password, "the password file \(link) cannot be read: no such file or directory"),
            (roots, #"root certificate file "\#(link)" does not exist; Either provide the file or change sslmode"#),
            (own, #"certificate present, but not private key file "\#(link)""#),
        ]
        for (address, refusal) in refusals {
            #expect(address.advice(on: refusal, by: address.hosts[0])?.hasPrefix(words) == true, "\(refusal)")
        }
        // Of what is wrong with another one it is not to blame.
        #expect(password.advice(on: "SSL error: certificate verify failed", by: password.hosts[0])?.contains(link) == false)
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

    @Test(
        "Which of three limits keeps a start out is told, with how that one is raised: the role's, the database's, the server's",
        .enabled(if: PostgreSQLCluster.isInstalled))
    func limits() async throws {
        let cluster = try await PostgreSQLCluster()
        let name = try await cluster.makeDatabase()
        let guest = cluster.address(of: name, as: "guest")
        try await cluster.run(["CREATE ROLE guest LOGIN CONNECTION LIMIT 0"])
        let ofRole = try await told(guest)
        #expect(ofRole.contains(#"for role "guest": raise the limit of the role (ALTER ROLE guest CONNECTION LIMIT N, "#), "\(ofRole)")
        try await cluster.run(["ALTER ROLE guest CONNECTION LIMIT -1", "ALTER DATABASE \(name) CONNECTION LIMIT 0"])
        let ofDatabase = try await told(guest)
        #expect(ofDatabase.contains("raise the limit of the database (ALTER DATABASE \(name) CONNECTION LIMIT N, "), "\(ofDatabase)")
        #expect(!ofDatabase.contains("ALTER ROLE") && !ofDatabase.contains("max_connections"), "\(ofDatabase)")

        // One for whoever is no superuser.
        let few = ["max_connections = 4", "superuser_reserved_connections = 3"].map { "ALTER SYSTEM SET \($0)" }
        try await cluster.run(few + ["ALTER DATABASE \(name) CONNECTION LIMIT -1"])
        try await cluster.restart()
        var holder: PostgreSQLDatabase?
        while holder == nil {
            try Task.checkCancellation()
            holder = try? await onOwnThread { try PostgreSQLDatabase.open(guest, settings: .forTests) }
        }
        let crowd = try #require(holder)
        while (try? await crowd.read { try $0.one("SELECT 1 AS one")?.int("one") }) != 1 { try Task.checkCancellation() }
        let ofServer = try await told(guest)
        #expect(ofServer.contains("remaining connection slots are reserved") && ofServer.contains(": raise max_connections, of which"), "\(ofServer)")
        #expect(!ofServer.contains("ALTER ROLE") && !ofServer.contains("ALTER DATABASE"), "\(ofServer)")
        await crowd.close()
    }

    @Test(
        "Who has set that nothing is written is told, and the statements that are told mend it: of the database, the role, both, all roles, the server",
        .enabled(if: PostgreSQLCluster.isInstalled))
    func readsOnly() async throws {
        let cluster = try await PostgreSQLCluster()
        let (name, setting) = (try await cluster.makeDatabase(), "default_transaction_read_only")
        let address = cluster.address(of: name)
        let holders = [
            ("this database", "DATABASE \(name)"), ("this role", "ROLE ostiary"), ("all roles", "ROLE ALL"),
            ("this role in this database", "ROLE ostiary IN DATABASE \(name)"),
        ]
        for (holder, place) in holders {
            try await cluster.run(["ALTER \(place) SET \(setting) = on"])
            let steps = ["SET \(setting) = off", "ALTER \(place) RESET \(setting)"]
            let said = try await told(address)
            #expect(said.hasSuffix("\(setting) is on for \(holder): run \(steps.joined(separator: "; "))"), "\(said)")
            // Where it holds for whoever mends it as well.
            try await cluster.run(steps, in: name)
            #expect(try await told(address) == "")
        }
        try await cluster.change(setting, to: "on")
        let said = try await told(address)
        #expect(said.contains("\(setting) is on for the server: run ALTER SYSTEM RESET \(setting), or"), "\(said)")
        try await cluster.run(["ALTER SYSTEM RESET \(setting)", "SELECT pg_reload_conf()"])
        while try await told(address) != "" { try Task.checkCancellation() }
    }

    @Test("A host of which nobody knows is told by its name, with how the system is asked for it", .enabled(if: PostgreSQLCluster.isInstalled))
    func unknownHost() async throws {
        // No name at all: no name service is asked.
        let said = try await told(PostgreSQLAddress(hosts: [.init("db..example")], database: "x", user: "ostiary"))
        #expect(said.contains(#"could not translate host name "db..example""#), "\(said)")
        #expect(said.contains("(getent hosts db..example asks as it does): mend the host in the database URL, or that by which"), "\(said)")
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
