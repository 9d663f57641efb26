import AuthServer
import Authentication
import OstiaryMobile
import OstiaryProtocol
import OstiaryTestTraits
import OstiaryTesting
import Testing

@testable import OstiaryPhone

/// One of the two servers is stopped and its database put back to a copy of an earlier moment. Whatever that moment was, the right PIN costs no
/// try, and the person gets in, or is told what to do, and that works on the same phone. What was lived before is the same for each server and moment of it,
/// and each of them begins with a copy.
@Suite("Whole databases of either server, put back", .onBothEngines)
struct RestoreJourneyTests {
    /// What happens before a database is put back.
    enum Life: CaseIterable, Sendable {
        case enrolment, logins, pinChange, biometrics, deletion

        /// When copies are made.
        var moments: [Moment] {
            switch self {
            case .enrolment: [.beforeEnrolment]
            case .logins: [.afterEnrolment]
            case .pinChange: [.beforePINChange, .betweenVerifyAndSet, .afterPINChange]
            case .biometrics: [.beforeBiometrics, .afterBiometrics]
            case .deletion: [.beforeDeletion]
            }
        }
    }

    enum Moment: String, Sendable {
        case beforeEnrolment, afterEnrolment
        case beforePINChange, afterPINChange, betweenVerifyAndSet
        case beforeBiometrics, afterBiometrics
        case beforeDeletion
    }

    private typealias Copying = @Sendable (Moment) async throws -> Void

    /// How the person fares afterwards.
    enum Fare: Equatable {
        case getsIn
        /// Told by this error, and then enrols again.
        case enrolsAgain(OstiaryError)
        /// Has no account any more, and enrols like anybody.
        case isNew
    }

    private static let newPIN = "602851"

    private static func fare(_ server: ServersSite.Server, _ moment: Moment) -> Fare {
        switch (moment, server) {
        case (.beforeEnrolment, .authentication): .enrolsAgain(.accountUnknown)
        case (.beforeEnrolment, .secondFactor), (.beforePINChange, _), (.betweenVerifyAndSet, _): .enrolsAgain(.secondFactorUnknown)
        case (.afterEnrolment, _), (.afterPINChange, _), (.beforeBiometrics, _), (.afterBiometrics, _): .getsIn
        case (.beforeDeletion, _): .isNew
        }
    }

    @Test(
        "A13, A14: put back to any moment, a right PIN costs no try, and the person gets in or is told what to do, which works on the same phone",
        arguments: Life.allCases)
    func putBack(_ life: Life) async throws {
        let lived = try ServersSite()
        try await lived.open { world in
            try await Self.live(life, in: world) { moment in
                for server in ServersSite.Server.allCases { try await lived.backUp(server, named: moment.rawValue) }
            }
        }
        for moment in life.moments {
            for server in ServersSite.Server.allCases {
                try await look(at: "\(server), \(moment)") {
                    let site = try await lived.copied(puttingBack: server, named: moment.rawValue)
                    site.clock.advance(700)
                    try await site.open { world in try await Self.expect(Self.fare(server, moment), after: moment, in: world) }
                }
            }
        }
    }

    private static func expect(_ fare: Fare, after moment: Moment, in world: ServersFixture) async throws {
        let pin = [.beforePINChange, .afterPINChange, .betweenVerifyAndSet].contains(moment) ? newPIN : Person.pin
        let phone = try world.phone(biometrics: SimulatedBiometrics())
        switch fare {
        case .getsIn: try await expectLogins(phone, pin, in: world)
        case .enrolsAgain(let error):
            try await expectTold(error, phone, pin, in: world)
            try await enrolAgain(phone, in: world)
            try await expectLogins(phone, Person.pin, in: world)
        case .isNew:
            #expect(phone.ostiary.accounts?.isEmpty == true)
            try await world.enrol(phone)
            try await expectLogins(phone, Person.pin, in: world)
        }
    }

    /// - Parameter copy: called at each moment of it.
    private static func live(_ life: Life, in world: ServersFixture, _ copy: @escaping Copying) async throws {
        let phone = try world.phone(biometrics: SimulatedBiometrics())
        if life == .enrolment { try await copy(.beforeEnrolment) }
        try await world.enrol(phone)
        world.clock.advance(61)
        switch life {
        case .enrolment: try await expectLogins(phone, Person.pin, in: world)
        case .logins:
            try await copy(.afterEnrolment)
            try await expectLogins(phone, Person.pin, in: world)
            _ = try await phone.logIn(world.backend.loginCode(world.backend.newNonce()), pins: Array(Person.wrongPINs.prefix(2)))
        case .pinChange: try await changePIN(phone, in: world, copy)
        case .biometrics: try await addBiometrics(phone, in: world, copy)
        case .deletion:
            try await copy(.beforeDeletion)
            try await phone.ostiary.remove(try #require(phone.ostiary.accounts?.first))
            try await world.authentication.services.closes.run(at: world.clock.now)
        }
    }

    private static func changePIN(_ phone: FixturePhone, in world: ServersFixture, _ copy: @escaping Copying) async throws {
        try await copy(.beforePINChange)
        let between: (SecondFactorInfo) async throws -> Void = { asked in
            // The one so far was proved.
            if asked.context == .pinChangeSet { try await copy(.betweenVerifyAndSet) }
        }
        let told = try await phone.manage({ $0.changePIN() }, [.pin(Person.pin), .pin(newPIN)], before: between)
        #expect(told.last?.result == .success)
        try await copy(.afterPINChange)
        try await expectLogins(phone, newPIN, in: world)
    }

    private static func addBiometrics(_ phone: FixturePhone, in world: ServersFixture, _ copy: @escaping Copying) async throws {
        try await copy(.beforeBiometrics)
        let told = try await phone.manage({ $0.addBiometrics() }, [.biometric(.confirm), .pin(Person.pin)])
        #expect(told.last?.result == .success)
        try await copy(.afterBiometrics)
        // More than a hundred numbers would pass as well: see RestoredDatabaseTests.
        for _ in 0..<3 {
            let login = try await phone.logIn(world.backend.loginCode(world.backend.newNonce()), by: [.biometric(.confirm)])
            #expect(login.end.session != nil)
        }
    }

    /// The right PIN, again and again: each time in, and no try is spent.
    private static func expectLogins(_ phone: FixturePhone, _ pin: String, in world: ServersFixture) async throws {
        for _ in 0..<2 {
            let login = try await phone.logIn(world.backend.loginCode(world.backend.newNonce()), by: [.pin(pin)])
            #expect(login.end.session != nil, "\(login)")
            #expect(try await world.counted().failed == 0)
        }
    }

    /// The right PIN, more often than there are tries: each time told the same, and no try is spent.
    private static func expectTold(_ error: OstiaryError, _ phone: FixturePhone, _ pin: String, in world: ServersFixture) async throws {
        let before = try await world.counted().failed
        for _ in 0..<6 {
            #expect(try await phone.logIn(world.backend.loginCode(world.backend.newNonce()), pins: [pin]).end == .failed(error))
        }
        #expect(error.advice == .askUser)
        #expect(try await world.counted().failed == before)
    }

    /// As the error's sentence says: enrol on the same phone, where the PIN so far is asked for and found to be unknown, and delete the account that
    /// does not work.
    private static func enrolAgain(_ phone: FixturePhone, in world: ServersFixture) async throws {
        let old = try #require(phone.ostiary.accounts?.first)
        let nonce = world.backend.newNonce()
        phone.ostiary.start(with: try await world.backend.enrolCode(nonce, name: "Alice", user: "alice"))
        var asked: [SecondFactorInfo.Context] = []
        enrolling: while true {
            let event = try await phone.until { $0.isOfEnrolment ? $0 : nil }
            switch event {
            case .confirmEnrol(let session, _, _): phone.ostiary.setAccount(nil, for: session)
            case .secondFactorStarted(let factor):
                asked.append(factor.secondFactorInfo.context)
                phone.enter(factor.secondFactorInfo.context == .firstSet ? Person.pin : newPIN)
            case .enrolConfirmation(_, let code): #expect(try await world.backend.confirm(nonce, code) == 200)
            case .sessionLogin: break enrolling
            default:
                Issue.record("the enrolment ended: \(event)")
                break enrolling
            }
        }
        #expect(asked == [.verify, .firstSet])
        try await phone.ostiary.remove(old)
        world.clock.advance(61)
    }
}

extension OstiaryEvent {
    /// What needs an answer in an enrolment, or ends it.
    fileprivate var isOfEnrolment: Bool {
        switch self {
        case .confirmEnrol, .secondFactorStarted, .enrolConfirmation: true
        default: FixturePhone.end(self) != nil
        }
    }
}
