import OAuthProvider
import OstiaryProtocol
import OstiaryTesting
import Testing

@Suite("Visits that nobody goes on with")
struct BegunVisitsTests {
    private typealias Fixture = ProviderFixture
    private let here = CallPlace("192.0.2.1")
    private let elsewhere = CallPlace("192.0.2.2")
    private let start = Fixture.start
    private let other = Fixture.identifier(9, ServerKind.self)

    @Test("Of many at once from one place no more are begun than may be; half an hour later as many again")
    func atOnce() async throws {
        let visits = BegunVisits(BegunVisits.Limit(fromPlace: 5, atServer: 100))
        let (here, start) = (here, start)
        let begun = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<64 { group.addTask { (try? visits.begin(from: here, at: Fixture.server, now: start)) != nil } }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(begun == 5)
        #expect(throws: TooManyVisits.fromPlace(seconds: 1)) { try visits.begin(from: here, at: Fixture.server, now: start + 1_799) }
        try visits.begin(from: elsewhere, at: Fixture.server, now: start)
        for _ in 0..<5 { try visits.begin(from: here, at: Fixture.server, now: start + 1_800) }
        #expect(throws: TooManyVisits.fromPlace(seconds: 1_800)) { try visits.begin(from: here, at: Fixture.server, now: start + 1_800) }
    }

    @Test("All places together fill one virtual server and no other, and what it refuses counts for nobody")
    func atServer() throws {
        let visits = BegunVisits(BegunVisits.Limit(fromPlace: 3, atServer: 4))
        for place in [here, here, elsewhere, elsewhere] { try visits.begin(from: place, at: Fixture.server, now: start) }
        for _ in 0..<9 {
            #expect(throws: TooManyVisits.atServer(seconds: 1_800)) { try visits.begin(from: here, at: Fixture.server, now: start) }
        }
        // Its third.
        try visits.begin(from: here, at: other, now: start)
        #expect(throws: TooManyVisits.fromPlace(seconds: 1_800)) { try visits.begin(from: here, at: other, now: start) }
    }

    @Test("One that is gone on with makes room for one, whatever moment its browser names; what was sent ahead for it makes room, too")
    func finished() throws {
        let visits = BegunVisits(BegunVisits.Limit(fromPlace: 2, atServer: 2))
        for moment in [start, start + 5] { try visits.begin(from: here, at: Fixture.server, now: moment) }
        // Nothing began then.
        visits.finish(BegunVisit(from: here, begunAt: start + 1), at: Fixture.server)
        #expect(throws: TooManyVisits.fromPlace(seconds: 1_790)) { try visits.begin(from: here, at: Fixture.server, now: start + 10) }
        visits.finish(BegunVisit(from: here, begunAt: start, pushedAt: start), at: Fixture.server)
        try visits.begin(from: here, at: Fixture.server, now: start + 10)
        #expect(throws: TooManyVisits.self) { try visits.begin(from: here, at: Fixture.server, now: start + 10) }
        visits.finish(BegunVisit(from: here, begunAt: start + 10, pushedAt: start + 5), at: Fixture.server)
        for _ in 0..<2 { try visits.begin(from: here, at: Fixture.server, now: start + 10) }
    }

    @Test("A request that is sent ahead counts where its client is anybody, unless it is refused, and not where the client shows who it is")
    func pushed() async throws {
        let fixture = try await ProviderFixture()
        let services = OAuthServices(
            store: fixture.store, keyring: fixture.keyring, random: fixture.random, visits: BegunVisits.Limit(fromPlace: 2, atServer: 100))
        func push(_ parameters: [Parameter], authorization: [String] = [], from place: CallPlace) async throws {
            let call = try Fixture.post(parameters, authorization: authorization, address: "\(Fixture.issuer)/oauth/par")
            _ = try await services.push.push(call, from: place, at: fixture.now)
        }
        for _ in 0..<3 {
            await #expect(throws: AuthorizeRefusal.promptUnknown) { try await push(fixture.authorization(["prompt": "now"]), from: here) }
        }
        for _ in 0..<2 { try await push(fixture.authorization(), from: here) }
        await #expect(throws: TooManyVisits.fromPlace(seconds: 1_800)) { try await push(fixture.authorization(), from: here) }
        try await push(fixture.authorization(), from: elsewhere)
        for _ in 0..<3 { try await push(fixture.webAuthorization(["client_id": nil]), authorization: [Fixture.basic], from: here) }
        // A browser from there brings no more either.
        let request = try await fixture.request(fixture.authorization())
        await #expect(throws: TooManyVisits.fromPlace(seconds: 1_800)) {
            try await services.authorize.keep(fixture.authorization(), of: request, from: here, at: fixture.now)
        }
        #expect(TooManyVisits.fromPlace(seconds: 7).answer.status == 429 && TooManyVisits.atServer(seconds: 7).answer.status == 503)
        #expect(TooManyVisits.atServer(seconds: 7).answer.retryAfter == 7)
    }
}
