import Database
import HTTPService
import HTTPTypes
import Testing

@testable import SecondFactorServer

@Suite("A database that cannot be written")
struct StorageOutageTests {
    @Test(
        "Is said to pass, with a time to come back, and nothing is said of where it is",
        arguments: [SQLError.busy, .diskFull(path: "/secret/place"), .cannotWrite(path: "/secret/place", reason: "read-only")])
    func passes(error: SQLError) throws {
        let response = try #require(storageOutage(error))
        #expect(response.status == .serviceUnavailable && response.headers[.retryAfter] != nil)
        #expect(!"\(response)".contains("/secret"))
    }

    @Test("Any other fault is none of these", arguments: [SQLError.closed, .transactionLost, .fault(code: 1, message: "x")])
    func others(error: SQLError) { #expect(storageOutage(error) == nil) }
}
