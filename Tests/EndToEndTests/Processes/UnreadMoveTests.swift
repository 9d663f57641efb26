import Database
import Foundation
import OstiaryTesting
import Testing

@Suite("A move of which nobody reads", .enabled(if: PostgreSQLCluster.isInstalled))
struct UnreadMoveTests {
    @Test(
        "Whoever reads no further, of standard output or of that and standard error, ends no move: it comes to its end, and the code says that it was not told",
        arguments: [false, true])
    func reader(readsNoErrors: Bool) async throws {
        let (folder, cluster) = (try TemporaryFolder(), try await PostgreSQLCluster.shared)
        let name = try await cluster.makeDatabase()
        defer { cluster.leave(name) }
        let server = try Program(["serve", "--data", folder.path, "--print-identity"])
        #expect(try await server.end() == 0, "\(server.complaints)")
        let file = folder.file("ostiary.sqlite")
        let arguments = ["admin", "move-database", "--from", "sqlite:\(file)", "--to", "postgresql://ostiary@/\(name)?host=\(cluster.folder)"]
        // A pipe whose reader is gone already.
        let pipe = "mkfifo \"$PIPE\"; exec 4<>\"$PIPE\" 5>\"$PIPE\" 4<&-; exec \"$0\" \"$@\" >&5 \(readsNoErrors ? "2>&5 " : "")5>&-"
        let unread = try Program(arguments, environment: ["PIPE": folder.file("pipe")], shell: pipe)
        #expect(try await unread.end() == 1, "\(unread.complaints)")
        if !readsNoErrors {
            let done = "standard output takes nothing: broken pipe; the move itself is done: run the same command again"
            #expect(unread.complaintLines.last?.contains(done) == true, "\(unread.complaints)")
        }
        #expect(FileManager.default.fileExists(atPath: file + ".moved"))
        let again = try Program(arguments)
        #expect(try await again.end() == 0, "\(again.complaints)")
        #expect(again.output.contains("are in the new database already"), "\(again.output)")
    }
}
