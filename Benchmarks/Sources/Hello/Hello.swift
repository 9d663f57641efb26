import Database
import Foundation
import Hummingbird

/// What getSession is held against: `/hello` answers a constant, `/point` reads one row by its key through the seam that the servers use. `Hello --bare COUNT`
/// answers so many bytes through NIO alone.
@main
struct Hello {
    static func main() async throws {
        if CommandLine.arguments.count == 3, CommandLine.arguments[1] == "--bare", let count = Int(CommandLine.arguments[2]) {
            return try await Bare.run(answering: count)
        }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("ostiary-hello-\(ProcessInfo.processInfo.processIdentifier)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let database = try SQLiteDatabase.open(path: folder.appendingPathComponent("hello.sqlite").path)
        let key = [UInt8](repeating: 7, count: 32)
        try await database.migrate([
            Migration(1, "rows") { ["CREATE TABLE point (id \($0.blob) NOT NULL PRIMARY KEY, text TEXT NOT NULL) \($0.tableOptions)"] }
        ])
        try await database.transaction { connection in
            try connection.execute("INSERT INTO point (id, text) VALUES ($1, $2)", [.blob(key), .text(String(repeating: "x", count: 300))])
        }
        let router = Router()
        router.get("hello") { _, _ in "hello" }
        router.get("point") { _, _ in
            try await database.read { try $0.one("SELECT text FROM point WHERE id = $1", [.blob(key)])?.text("text") ?? "" }
        }
        let application = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in
                print(channel.localAddress?.port ?? 0)
                fflush(nil)
            })
        try await application.runService()
    }
}
