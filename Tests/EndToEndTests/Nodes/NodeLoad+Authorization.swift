import NIOCore
import OstiaryTesting
import Synchronization
import Testing

@testable import OstiaryMobile
@testable import OstiaryPhone

/// What is done with a code of `/authorize`; a run must have met each.
enum CodeCourse: CaseIterable {
    /// It is redeemed at one node, and shown once more while everybody asks about what it gave.
    case once
    /// At three nodes at once, at times with something that is another's at one of them.
    case atOnce
    /// It is shown with something that is another's, and then as it is to be: it is good for one try (docs/decisions/0032).
    case mistaken
    /// Its login is ended before.
    case ended

    /// What those hear who show it: one has it, and others hear so; or nobody has.
    fileprivate var answers: Set<RedeemedOnce.Answer> {
        switch self {
        case .once, .atOnce: [.given, .refused]
        case .mistaken, .ended: [.refused]
        }
    }
}

/// A website that has people log in at `/authorize`, and an API behind it: the browser is at another node with each request, as behind a balancer that
/// remembers nobody, and so is whoever redeems the codes.
extension NodeLoad {
    /// For which somebody goes on loading a page that does not come, or does not say what it is to.
    private static let pagePatience: Duration = .seconds(20)
    /// Of one address, by each tab: a load that nobody heard of stays open in its history, and of 64 open ones `OrderSearch` says nothing.
    private static let mostLoads = 10

    /// A code that came to the website.
    private struct BroughtCode: Sendable {
        /// Of it, and of what it gives, in the histories.
        let key: String
        let text: String
        let request: CodeRequest
        let callers: [TokenCaller]

        func caller(_ random: inout SplitMix) -> TokenCaller { callers[Int.random(in: 0..<callers.count, using: &random)] }
    }

    /// One login by phone, and a code for each course: the browser is known again. What hangs on the login ends with it.
    func authorizationRound(of resident: NodeResident, _ random: inout SplitMix) async throws {
        let browser = browser(&random)
        let request = CodeRequest(isLasting: Bool.random(using: &random))
        let session = try await accept(request, in: browser, resident)
        var hanging: [String] = []
        do {
            var code = try await comeBack(for: request, in: browser, resident, &random)
            for course in [CodeCourse.once, .atOnce, .mistaken].shuffled(using: &random) {
                if !code.request.isLasting { hanging.append(code.key) }
                await follow(course, code, &random)
                code = try await ask(CodeRequest(isLasting: Bool.random(using: &random)), in: browser, resident, &random)
            }
            // One that hangs on the login, and one that would outlive it.
            let last = [code, try await ask(CodeRequest(isLasting: !code.request.isLasting), in: browser, resident, &random)]
            let isOver = await end(session, of: resident, grants: hanging + last.map(\.key))
            for code in last {
                await redeem(code, at: [code.caller(&random)])
                if isOver { note(code, as: .ended) }
            }
        } catch {
            _ = await end(session, of: resident, grants: hanging)
            throw error
        }
    }

    private func note(_ code: BroughtCode, as course: CodeCourse) { authorized.withLock { _ = $0[course, default: []].insert(code.key) } }

    /// Codes of which all was heard that is to be, by course.
    var heardCourses: [Int] {
        let answers = Dictionary(grouping: histories.codes.calls, by: \.key).mapValues { Set($0.compactMap(\.answer)) }
        let heard = authorized.withLock { $0 }.mapValues { keys in keys.compactMap { answers[$0] } }
        return CodeCourse.allCases.map { course in (heard[course] ?? []).count { $0 == course.answers } }
    }

    /// A run in which too little was heard of one of the courses shows nothing of it.
    func expectAuthorizations() {
        let counts = heardCourses
        print("histories: codes of /authorize: \(zip(CodeCourse.allCases, counts).map { "\($1) \($0)" }.joined(separator: ", "))")
        #expect(counts.allSatisfy { $0 > 0 }, "\(counts)")
    }
}

/// The way to a code.
extension NodeLoad {
    private func browser(_ random: inout SplitMix) -> PersonsBrowser {
        let (site, nodes) = (fixture.layout.publicURL, fixture.nodes.map(\.publicURL))
        let draw = Mutex(SplitMix(seed: random.next()))
        return PersonsBrowser(patience: .seconds(10)) { address in
            guard address.hasPrefix(site) else { return address }
            return nodes[draw.withLock { Int.random(in: 0..<nodes.count, using: &$0) }] + address.dropFirst(site.count)
        }
    }

    /// Loads again what nobody answers, or what does not say yet what it is to.
    private func load<Value>(_ body: () async throws -> Value) async throws -> Value {
        let deadline = now() + Self.pagePatience
        while true {
            do { return try await body() } catch {
                // What is over is over.
                if let refused = error as? PersonsBrowser.Refused, refused.answer.status < 500 { throw error }
                guard goesOn(until: deadline) else { throw error }
                try? await Task.sleep(for: .milliseconds(200))
            }
        }
    }

    /// Goes somewhere.
    private func visit(_ address: String, in browser: PersonsBrowser) async throws -> PersonsBrowser.Answer {
        try await load {
            let answer = try await browser.get(address)
            guard answer.status < 500 else { throw PersonsBrowser.Refused(answer: answer) }
            return answer
        }
    }

    /// The browser shows the code of a login page, and the phone that scans it says yes.
    private func accept(_ request: CodeRequest, in browser: PersonsBrowser, _ resident: NodeResident) async throws -> Session {
        let answer = try await visit(request.address(at: fixture.layout.publicURL), in: browser)
        guard let page = answer.location, page.contains("/login?"), page.contains("#") else { throw NotLoggedIn() }
        try await load { try await browser.openPage(page) }
        let code = try await load {
            guard let code = try await browser.code() else { throw NotLoggedIn() }
            return code
        }
        let entered = EnteredPINs(resident, isWrong: false)
        let (end, answers) = try await resident.phone.accept(.bytes(code), entering: entered.next)
        note(answers, of: entered, resident, isBlock: end.isBlock)
        guard let session = end.session else { throw NotLoggedIn() }
        return session
    }

    /// The page sends the browser back to the website. At times two tabs load that at once; of one visit there is one code.
    private func comeBack(
        for request: CodeRequest, in browser: PersonsBrowser, _ resident: NodeResident, _ random: inout SplitMix
    ) async throws -> BroughtCode {
        let address = try await load {
            let shown = try await browser.shown()
            guard shown["state"]?.string == "returning", let address = shown["returnurl"]?.string else { throw NotLoggedIn() }
            return address
        }
        let (key, tabs, deadline) = (newName("visit", of: resident), Int.random(in: 1...2, using: &random), now() + Self.pagePatience)
        for round in 0..<Self.mostLoads {
            let tried = (round * tabs)..<((round + 1) * tabs)
            let loads = await withTaskGroup(of: Loaded.self) { group in
                for tab in tried { group.addTask { await self.comeBack(to: address, as: tab, of: key, for: request, in: browser) } }
                return await group.reduce(into: [Loaded]()) { $0.append($1) }
            }
            if let text = loads.compactMap(\.code).first { return brought(text, by: request, resident, &random) }
            // Whoever was first has it, and may not have heard so.
            guard !loads.contains(where: \.isAnswered), goesOn(until: deadline) else { break }
            // Longer each time: together as long as there is patience.
            try? await Task.sleep(for: .milliseconds(200 + 400 * round))
        }
        throw NotLoggedIn()
    }

    private struct Loaded: Sendable {
        let code: String?
        let isAnswered: Bool
    }

    private func comeBack(
        to address: String, as tab: Int, of key: String, for request: CodeRequest, in browser: PersonsBrowser
    ) async -> Loaded {
        let invoked = now()
        let answer = try? await browser.get(address)
        let code = request.code(in: answer?.location)
        // Also where it is sent elsewhere, without a code.
        let isAnswered = answer.map { $0.status < 500 } ?? false
        let outcome: RedeemedOnce.Call.Outcome = isAnswered ? .answered(code == nil ? .refused : .given, at: now()) : .unknown
        histories.codes.note(ObservedCall("tab \(tab)", key, RedeemedOnce.Action(request: tab), invoked: invoked, outcome))
        return Loaded(code: code, isAnswered: isAnswered)
    }

    /// A browser that is known again has its code at once.
    private func ask(
        _ request: CodeRequest, in browser: PersonsBrowser, _ resident: NodeResident, _ random: inout SplitMix
    ) async throws -> BroughtCode {
        let answer = try await visit(request.address(at: fixture.layout.publicURL), in: browser)
        guard let text = request.code(in: answer.location) else { throw NotLoggedIn() }
        return brought(text, by: request, resident, &random)
    }

    private func brought(_ text: String, by request: CodeRequest, _ resident: NodeResident, _ random: inout SplitMix) -> BroughtCode {
        BroughtCode(key: newName("code", of: resident), text: text, request: request, callers: clients(&random))
    }
}

/// What becomes of a code.
extension NodeLoad {
    private func follow(_ course: CodeCourse, _ code: BroughtCode, _ random: inout SplitMix) async {
        switch course {
        case .once: await useOnce(code, &random)
        case .atOnce:
            note(code, as: course)
            let mistake = Int.random(in: 0..<3, using: &random) == 0 ? CodeRequest.Mistake.allCases.randomElement(using: &random) : nil
            let given = await redeem(code, at: code.callers, beside: mistake, by: code.caller(&random))
            guard let given else { return }
            for caller in code.callers { await read(given.access, code.key, by: caller) }
        case .mistaken:
            guard let mistake = CodeRequest.Mistake.allCases.randomElement(using: &random) else { return }
            if await show(code, mistaking: mistake, by: code.caller(&random)) { note(code, as: course) }
            await redeem(code, at: Bool.random(using: &random) ? code.callers : [code.caller(&random)])
        case .ended: break
        }
    }

    /// All ask about what it gave while it is shown once more, or the website gives the token back.
    private func useOnce(_ code: BroughtCode, _ random: inout SplitMix) async {
        note(code, as: .once)
        guard let given = await redeem(code, at: [code.caller(&random)]) else { return }
        let (stopper, other, isRevoked) = (code.caller(&random), code.caller(&random), Bool.random(using: &random))
        await watch(&random, code.callers.map { caller in { @Sendable in await self.read(given.access, code.key, by: caller) } }) {
            if isRevoked {
                _ = await self.stop(grants: [code.key], by: stopper.name) { try await stopper.revoke(given.access, of: CodeRequest.site) }
            } else {
                _ = await self.redeem(code, as: 1, by: stopper)
            }
        }
        _ = await redeem(code, as: 2, by: other)
    }

    /// - Parameters:
    ///   - callers: who show it at once.
    ///   - mistake: what is another's where one more shows it at the same time; nil where nobody does.
    ///   - other: who that is.
    @discardableResult
    private func redeem(
        _ code: BroughtCode, at callers: [TokenCaller], beside mistake: CodeRequest.Mistake? = nil, by other: TokenCaller? = nil
    ) async -> TokenCaller.Given? {
        await withTaskGroup(of: TokenCaller.Given?.self) { group in
            for (number, caller) in callers.enumerated() { group.addTask { await self.redeem(code, as: number, by: caller) } }
            if let mistake, let other {
                group.addTask {
                    _ = await self.show(code, mistaking: mistake, by: other)
                    return nil
                }
            }
            return await group.reduce(nil) { $0 ?? $1 }
        }
    }

    private func redeem(_ code: BroughtCode, as number: Int, by caller: TokenCaller) async -> TokenCaller.Given? {
        await redeem(code.key, by: caller, as: number) { try await caller.redeem(code.text, of: code.request) }
    }

    /// With something that is another's: it gives nothing, and nothing is given by the code afterwards.
    /// - Returns: whether that was heard.
    private func show(_ code: BroughtCode, mistaking mistake: CodeRequest.Mistake, by caller: TokenCaller) async -> Bool {
        let answer = await histories.grants.watch("\(caller.name), another \(mistake)", code.key, .stop) {
            try await caller.redeem(code.text, of: code.request, mistaking: mistake) == nil ? .over : .alive
        }
        return answer != nil
    }

    /// The phone ends the login: what hangs on it is over, and whatever was not given yet is not given any more.
    /// - Returns: whether the end was acknowledged.
    private func end(_ session: Session, of resident: NodeResident, grants: [String]) async -> Bool {
        await stop(grants: grants, by: resident.name) { try await resident.phone.ostiary.end(session) }
    }
}
