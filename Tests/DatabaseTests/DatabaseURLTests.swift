import Database
import Foundation
import Testing

@Suite("Database URL")
struct DatabaseURLTests {
    @Test(
        "sqlite:PATH names a file",
        arguments: [
            ("sqlite:ostiary.sqlite", "ostiary.sqlite"), ("sqlite:/var/lib/a b.db", "/var/lib/a b.db"), ("SQLite:./x:y", "./x:y"),
            ("sqlite:///abs/x", "/abs/x"), ("sqlite://rel", "rel"),
        ])
    func sqlite(text: String, path: String) throws {
        #expect(try DatabaseURL(parsing: text) == .sqlite(path: path))
    }

    @Test(
        "Everything else says what is wrong with it",
        arguments: [
            ("", DatabaseURLError.noScheme), ("ostiary.sqlite", .noScheme), ("sqlite:", .noPath), ("sqlite://", .noPath),
            ("sqlite::memory:", .memoryIsNotDurable), ("mysql://db", .unknownScheme("mysql")),
        ])
    func refused(text: String, error: DatabaseURLError) {
        #expect(throws: error) { try DatabaseURL(parsing: text) }
    }

    @Test("For a command it names each file from the root on, and what goes up (`..`) as it was given, which behind a link is another folder")
    func forCommand() throws {
        let here = FileManager.default.currentDirectoryPath
        let relative = "postgresql://localhost/x?password_file=p&sslrootcert=./ca.pem&sslcert=../c&sslkey=/k"
        let whole = "postgresql://localhost/x?password_file=\(here)/p&sslrootcert=\(here)/ca.pem&sslcert=\(here)/../c&sslkey=/k"
        let texts = [
            ("sqlite:./x.db", "sqlite:\(here)/x.db"), ("sqlite:////srv//./x.db", "sqlite:/srv/x.db"),
            ("sqlite:/srv/link/../x.db", "sqlite:/srv/link/../x.db"), (relative, whole),
        ]
        for (given, text) in texts {
            let url = try DatabaseURL(parsing: given)
            #expect(url.text == text)
            #expect(try DatabaseURL(parsing: url.text).text == text)
        }
    }
}
