import Authentication
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OstiaryProtocol
import OstiaryTesting
import Synchronization
import Testing

@testable import AuthServer

/// Three phones at one code, a wrong PIN, a stop and whoever reads, all at once while a database fails, and each asks until it is answered. Whatever became of
/// it, one phone wins, by one receipt; each PIN was tried once; and a login whose stop was acknowledged is not there for anybody who asks.
struct FaultContest: Sendable {
    /// What is begun with.
    private struct Start {
        let link: Encoded<LoginLink>
        let guessed: Encoded<LoginLink>
        let counted: FaultyServers.Counted
        let accepted: Int
        let unclear: Int

        init(_ stage: FaultyServers, _ nonce: SessionNonce, guessing other: SessionNonce) async throws {
            (link, guessed) = (try await stage.servers.link(nonce), try await stage.servers.link(other))
            (counted, accepted) = (try await stage.counted(), try await stage.accepted())
            unclear = stage.servers.secondFactor.unclearRefusals
        }
    }

    /// How it goes.
    final class Course: Sendable {
        private let state = Mutex((refused: 0, hasStopped: false, isOver: false))

        /// How often a rival was refused.
        var refused: Int { state.withLock { $0.refused } }
        /// Whether the stop was acknowledged.
        var hasStopped: Bool { state.withLock { $0.hasStopped } }
        var isOver: Bool { state.withLock { $0.isOver } }

        func noteRefusal() { state.withLock { $0.refused += 1 } }
        func noteStop() { state.withLock { $0.hasStopped = true } }
        func end() { state.withLock { $0.isOver = true } }
    }

    private let stage: FaultyServers
    private let rivals: [EnrolledPhone]
    private let guesser: EnrolledPhone
    /// A login that was stopped before.
    private let stopped: String
    /// One that is stopped in the middle of it.
    private let leaving: (nonce: String, session: SessionID)
    private let nonce: SessionNonce
    private let guessedNonce: SessionNonce
    private var start: Start
    private let course = Course()

    /// Before the fault.
    init(at stage: FaultyServers) async throws {
        let servers = stage.servers
        var phones: [EnrolledPhone] = []
        for number in 0..<4 { phones.append(try await TestPhone(servers).enrol(try servers.nonce(), userID: "rival \(number)")) }
        (self.stage, rivals, guesser) = (stage, Array(phones[..<3]), phones[3])
        let ended = try await stage.logIn(phones[0])
        try await phones[0].stopPatiently(ended.session)
        (stopped, leaving) = (ended.nonce, try await stage.logIn(phones[1]))
        (nonce, guessedNonce) = (try servers.nonce(), try servers.nonce())
        start = try await Start(stage, nonce, guessing: guessedNonce)
    }

    /// Shows both codes anew, and counts from here: a code is good for ten seconds of the servers' clock, and it took longer until the fault was there.
    mutating func renew() async throws { start = try await Start(stage, nonce, guessing: guessedNonce) }

    /// In the middle of it.
    func begin() -> Task<[Status], any Error> {
        Task {
            async let reading: Void = read(stopped)
            async let leave: Void = stopAndRead()
            async let guessing = guesser.guessPatiently(start.guessed)
            let outcomes = try await compete()
            let guessed = try await guessing
            #expect(guessed == .ok)
            try await leave
            try await reading
            return outcomes
        }
    }

    private func compete() async throws -> [Status] {
        defer { course.end() }
        return try await withThrowingTaskGroup(of: Status.self, returning: [Status].self) { group in
            for phone in rivals { group.addTask { try await phone.logInPatiently(start.link, twice: true, noting: course).status } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    private func stopAndRead() async throws {
        try await rivals[1].stopPatiently(leaving.session)
        course.noteStop()
        try await read(leaving.nonce)
    }

    /// Asks about a login whose stop was acknowledged, until the rivals are done.
    private func read(_ nonce: String) async throws {
        repeat {
            try Task.checkCancellation()
            let answer = try await stage.getSession(nonce)
            if answer.status == .ok {
                let body = String(buffer: answer.body)
                #expect(body.contains(#""loggedin":false"#), "\(body)")
            } else {
                stage.expectOutage(answer)
            }
            await Task.yield()
        } while !course.isOver
    }

    /// When it is over.
    /// - Parameter isRefused: whether the fault refused rivals; one that only makes them wait refuses none.
    func expectOneWinner(_ running: Task<[Status], any Error>, isRefused: Bool = true) async throws {
        let outcomes = try await running.value
        #expect(outcomes.count { $0 == .ok } == 1 && outcomes.allSatisfy { [.ok, .sessionTaken, .sessionOver].contains($0) }, "\(outcomes)")
        #expect((course.refused > 0) == isRefused, "\(course.refused)")
        #expect(stage.servers.secondFactor.unclearRefusals == start.unclear)
        #expect(try await stage.servers.status(of: nonce).loggedIn)
        for over in [stopped, leaving.nonce] { #expect(try await stage.servers.status(of: SessionNonce(over)).loggedIn == false) }
        #expect(try await stage.accepted() == start.accepted + 1)
        // The winner's try, which was proved, and the wrong one, which was not.
        let (before, after) = (start.counted, try await stage.counted())
        #expect(after.evaluations == before.evaluations + 2 && after.highest == before.highest + 2, "\(after)")
        #expect(after.proven == before.proven + 1, "\(after)")
        try await stage.expectLogin(guesser)
    }

    /// Until a rival was refused, or there is none to refuse any more.
    func meet() async throws {
        while course.refused == 0, !course.isOver {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    /// Until the stop was acknowledged, which is so from then on.
    func expectStopped() async throws {
        while !course.hasStopped {
            try Task.checkCancellation()
            await Task.yield()
        }
        #expect(try await stage.servers.status(of: SessionNonce(leaving.nonce)).loggedIn == false)
    }

    /// The whole of it: it begins in the middle of a fault, which `end` ends.
    func expectOneWinner(endingBy end: () async throws -> Void) async throws {
        let running = begin()
        defer { running.cancel() }
        try await meet()
        try await end()
        try await expectOneWinner(running)
    }
}
