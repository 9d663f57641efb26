import Foundation
import HTTPService
import HTTPTypes
import Hummingbird
import OstiaryMobile

/// The calls of the page. What becomes of one is told by what the page shows next, as the SDK tells it; an answer says no more than that it was taken.
struct PhonePageRoutes: Sendable {
    let phones: [PagePhone]
    let changes: PhoneChanges
    let drain: DrainSignal
    /// How long the page waits for a change before it asks again.
    var patience = Duration.seconds(20)

    func add(to router: Router<ServiceRequestContext>) {
        for asset in PhonePageAsset.all { router.get(RouterPath(asset.path)) { _, _ in asset.response } }
        router.get("/phones") { request, _ in try await show(request) }
        let phone = router.group("/phones/:phone")
        addScans(to: phone)
        addAnswers(to: phone)
        addSessionCalls(to: phone)
        addAccountCalls(to: phone)
        addPlainCalls(to: phone)
    }

    /// All phones, as soon as something is other than in the version that the page has.
    private func show(_ request: Request) async throws -> Response {
        let query = RequestQuery(request)
        try query.check(knows: ["after"])
        if let after = try query.value("after") {
            guard let known = Int(after) else { throw FieldRefusal.bad("after", "is a whole number") }
            await drain.wait(for: { await changes.wait(since: known) }, atMost: patience)
        }
        // Read first: what changes meanwhile is asked for again, rather than missed.
        let version = changes.version
        var snapshots: [PhoneSnapshot] = []
        for phone in phones { snapshots.append(await phone.snapshot) }
        return .object { [snapshots] writer in
            writer.member("version", number: version)
            writer.name("phones")
            writer.array(snapshots) { writer, snapshot in snapshot.write(to: &writer) }
        }
    }

    // MARK: Answers

    private func addAnswers(to router: RouterGroup<ServiceRequestContext>) {
        router.post("confirm") { request, context in
            let phone = try phone(of: context)
            let answer = try await body(ConfirmBody.self, request)
            try await phone.confirm(answer.question, account: answer.account, userInput: answer.userInput, number: answer.number)
            return Response.done
        }
        router.post("deny") { request, context in
            let phone = try phone(of: context)
            let answer = try await body(DenyBody.self, request)
            try await phone.deny(answer.question, notMe: answer.notMe)
            return Response.done
        }
        router.post("give-up") { request, context in
            try await phone(of: context).giveUp(try await body(QuestionBody.self, request).question)
            return Response.done
        }
        router.post("key") { request, context in
            let phone = try phone(of: context)
            let pressed = try await body(KeyBody.self, request)
            guard let key = PINPad.Key(pressed.key) else { throw FieldRefusal.bad("key", "is no key of the pad") }
            try await phone.press(key, for: pressed.question)
            return Response.done
        }
        router.post("finger") { request, context in
            let phone = try phone(of: context)
            let shown = try await body(FingerBody.self, request)
            guard let answer = SimulatedBiometrics.Answer(rawValue: shown.answer) else {
                throw FieldRefusal.bad("answer", "is nothing that a finger does")
            }
            try await phone.showFeature(answer, withPIN: shown.pin, for: shown.question)
            return Response.done
        }
    }

    // MARK: What there is

    private func addSessionCalls(to router: RouterGroup<ServiceRequestContext>) {
        router.post("stop") { request, context in
            try await phone(of: context).stop(try await body(SessionBody.self, request).session)
            return Response.done
        }
        router.post("otp") { request, context in
            let phone = try phone(of: context)
            let wanted = try await body(OTPBody.self, request)
            try await phone.makeCode(wanted.session, wanted.account)
            return Response.done
        }
        router.post("put-away") { request, context in
            try await phone(of: context).putAway(notice: try await body(NoticeBody.self, request).notice)
            return Response.done
        }
    }

    private func addAccountCalls(to router: RouterGroup<ServiceRequestContext>) {
        let ofAccounts: [(RouterPath, @Sendable (PagePhone, String) async throws(PhonePageRefusal) -> Void)] = [
            ("change-pin", { phone, account async throws(PhonePageRefusal) in try await phone.changePIN(account) }),
            ("add-biometrics", { phone, account async throws(PhonePageRefusal) in try await phone.addBiometrics(account) }),
            ("remove-biometrics", { phone, account async throws(PhonePageRefusal) in try await phone.removeBiometrics(account) }),
            ("delete-account", { phone, account async throws(PhonePageRefusal) in try await phone.delete(account) }),
        ]
        for (path, act) in ofAccounts {
            router.post(path) { request, context in
                let phone = try phone(of: context)
                try await act(phone, try await body(AccountBody.self, request).account)
                return Response.done
            }
        }
    }

    /// Calls that say no more than what is done.
    private func addPlainCalls(to router: RouterGroup<ServiceRequestContext>) {
        let plain: [(RouterPath, @Sendable (PagePhone) async throws -> Void)] = [
            ("app-login", { phone in await phone.logInToApp() }),
            ("new-finger", { phone in try await phone.enrolFinger() }),
            ("clear-history", { phone in await phone.clearHistory() }),
            ("put-away-code", { phone in await phone.putAwayCode() }),
            ("refresh", { phone in await phone.refresh() }),
        ]
        for (path, act) in plain {
            router.post(path) { request, context in
                let phone = try phone(of: context)
                try await request.checkNoBody()
                try await act(phone)
                return Response.done
            }
        }
    }

    func phone(of context: ServiceRequestContext) throws -> PagePhone {
        guard let number = context.parameters.get("phone").flatMap({ Int($0) }), phones.indices.contains(number) else { throw ErrorResponse.notFound }
        return phones[number]
    }

    func body<Body: JSONFields>(_: Body.Type, _ request: Request) async throws -> Body {
        try JSONBody.decode(Body.self, from: try await request.bytes(limit: 16_384))
    }
}
