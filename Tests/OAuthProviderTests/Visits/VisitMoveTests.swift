import Authentication
import OstiaryProtocol
import Testing

@testable import OAuthProvider

@Suite("What a browser is told next, by what its request asks for and who is there")
struct VisitMoveTests {
    private typealias Fixture = ProviderFixture

    private static let login = VisitLogin(session: Fixture.session, startedAt: Fixture.start, account: Fixture.alice)
    private static let arrivals: [VisitArrival] = [.before(nil), .before(login), .own(login)]
    private static let scopes = Fixture.scope("openid read:timesheets")

    @Test("A code, a refusal and a question are what the request comes to, whoever is there")
    func same() {
        let table: [(step: AuthorizeStep, move: VisitMove)] = [
            (.give(Self.scopes), .give), (.consent(Self.scopes), .ask(.consent(Self.scopes))), (.confirm, .ask(.confirm)),
            (.refuse(.requirementsUnmet), .refuse(.requirementsUnmet)), (.refuse(.consentRequired), .refuse(.consentRequired)),
        ]
        for (step, move) in table {
            for arrival in Self.arrivals { #expect(VisitMove(step, for: arrival) == move, "\(step) \(arrival)") }
        }
    }

    @Test("Whoever logged in for this and is not the one is refused, and not sent round again; anybody else logs in as strongly as asked")
    func login() {
        for demand in [FactorDemand.policy, .always, .fresh(60)] {
            #expect(VisitMove(.logIn(demand), for: .before(nil)) == .logIn(demand))
            #expect(VisitMove(.logIn(demand), for: .before(Self.login)) == .logIn(demand))
            #expect(VisitMove(.logIn(demand), for: .own(Self.login)) == .refuse(.loginRequired))
        }
    }

    @Test("For a device whoever is logged in is asked, whenever they logged in: who sent them here may have the device")
    func device() {
        #expect(VisitMove.device(for: .before(nil)) == .logIn(.policy))
        #expect(VisitMove.device(for: .before(Self.login)) == .ask(.device))
        #expect(VisitMove.device(for: .own(Self.login)) == .ask(.device))
    }

    @Test("A login counts for a request from the later of its own beginning and the moment at which that was kept; every other is one of before")
    func freshness() {
        let now = Fixture.start + 100
        let table: [(arrival: VisitArrival, keptAt: Instant, askedAt: Instant)] = [
            // It began after the request: what its person did since is for this.
            (.own(Self.login), Fixture.start - 30, Fixture.start),
            // An old secret beside a new request gains nothing.
            (.own(Self.login), Fixture.start + 30, Fixture.start + 30),
            // A login of this very second is one of before.
            (.before(Self.login), Fixture.start - 30, now + 1), (.before(Self.login), now, now + 1), (.before(nil), now, now + 1),
        ]
        for (arrival, keptAt, askedAt) in table {
            let visit = arrival.visit(since: keptAt, now: now)
            #expect(visit.askedAt == askedAt && visit.session == arrival.login?.session, "\(arrival) \(keptAt)")
            #expect(visit.consented == nil && !visit.isConfirmed)
        }
    }

    @Test("A yes lets a client have what was shown, and says that it is the app that was meant; that it is the app says nothing of what it may")
    func agreement() async throws {
        let fixture = try await ProviderFixture()
        let request = try await fixture.request(fixture.webAuthorization())
        let table: [(matter: ConsentMatter, consented: ScopeSet?)] = [(.consent(Self.scopes), Self.scopes), (.confirm, nil)]
        for (matter, consented) in table {
            let question = try #require(ConsentQuestion(matter, of: request, login: Self.login))
            for arrival in [VisitArrival.own(Self.login), .before(Self.login)] {
                let visit = arrival.visit(since: Fixture.start, agreeingTo: question, now: fixture.now)
                #expect(visit.consented == consented && visit.isConfirmed)
            }
        }
        #expect(ConsentQuestion(.device, of: request, login: Self.login) == nil)
    }

    @Test("A browser is one person's at a time: beside a new login the newest of the same person stay, and nobody else's")
    func onePerson() {
        func login(_ number: UInt8, _ account: AccountID) -> VisitLogin {
            VisitLogin(session: Fixture.identifier(number, SessionKind.self), startedAt: Fixture.start, account: account)
        }
        let alices = (1...5).map { login($0, Fixture.alice) }
        let (new, managers) = (login(9, Fixture.alice), login(8, Fixture.manager))
        #expect(new.staying(among: [], most: 3).isEmpty)
        #expect(new.staying(among: alices, most: 3) == Array(alices[..<3]))
        // Somebody else's takes no place from those that stay.
        #expect(new.staying(among: [managers] + alices, most: 3) == Array(alices[..<3]))
        #expect(new.staying(among: [alices[0], managers, alices[1]], most: 3) == [alices[0], alices[1]])
        #expect(managers.staying(among: alices, most: 3).isEmpty)
    }

    @Test("A request that is kept no more is a visit that is over; whatever else is wrong is told to the person")
    func ends() {
        for refusal in [AuthorizeRefusal.requestURISpent, .requestURIExpired, .requestURIUnknown] { #expect(VisitEnd(refusal) == .over) }
        for refusal in [AuthorizeRefusal.clientUnknown, .requestURIOfAnother, .redirectNotRegistered, .loginRequired] {
            #expect(VisitEnd(refusal) == .told(refusal))
        }
    }
}
