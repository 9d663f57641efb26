import Database
import HTTPService
import OstiaryProtocol
import Testing

@testable import AuthServer

extension AuthNode {
    /// What runs beside it, once.
    func runBackground() async {
        for case let work as PeriodicTask in background { await work.round() }
    }
}

extension ServersFixture {
    /// What runs beside the authentication server, once. What fails is tried again the next time.
    func runBackground() async { await service.runBackground() }

    /// What the second-factor server has counted of all instances: the highest numbers, and those that were proved.
    func counted() async throws -> (highest: Int, proven: Int) {
        try await secondFactorDatabase.read { connection in
            let row = try #require(try connection.one("SELECT SUM(highest) AS highest, SUM(proven) AS proven FROM instance"))
            return (try row.int("highest"), try row.int("proven"))
        }
    }
}
