import HTTPTypes
import Testing

@testable import AuthServer

@Suite("Which calls of the REST API are done on the thread of their connection")
struct AdminThreadTests {
    @Test("Those of a login that every backend asks all day, and no other: pictures are drawn, and tables gone through, elsewhere")
    func brief() async throws {
        let brief = try await PagesFixture().adminRoutes.table.filter(\.isBrief).map { "\($0.method.rawValue) \($0.path)" }
        let sessions = "/servers/{serverid}/sessions/"
        #expect(Set(brief) == ["GET \(sessions)", "POST \(sessions)return", "POST \(sessions)otp", "POST \(sessions)logout"])
    }
}
