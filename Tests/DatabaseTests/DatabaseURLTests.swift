import Database
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
}
