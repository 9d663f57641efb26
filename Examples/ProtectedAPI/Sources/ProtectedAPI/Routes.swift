import Hummingbird
import OstiaryResource
import OstiaryResourceHummingbird

/// Every route has a guard before it, and takes from its caller whose data it is about.
func routes(behind verifier: ResourceVerifier) -> Router<CallerContext> {
    let timesheets = Timesheets()
    let router = Router(context: CallerContext.self)

    router.group("me").add(middleware: ResourceMiddleware(verifier)).get { _, context in
        Introduction(try context.verifiedCaller())
    }

    router.group("timesheets").add(middleware: ResourceMiddleware(verifier, .scope("read:timesheets"))).get { _, context in
        await timesheets.entries(of: try context.verifiedCaller().subject)
    }

    router.group("timesheets").add(middleware: ResourceMiddleware(verifier, .scope("create:timesheets"))).post { request, context in
        let entry = try await request.decode(as: Entry.self, context: context)
        guard entry.isPossible else { throw HTTPError(.unprocessableContent, message: "hours are more than 0 and at most 24") }
        await timesheets.add(entry, of: try context.verifiedCaller().subject)
        return EditedResponse(status: .created, response: entry)
    }

    // What counts for others wants more than a scope: a strong login, five minutes old at most (RFC 9470).
    let approving = AccessPolicy.all([.scope("approve:timesheets"), .login(atLeast: "mfa", maxAge: 300)])
    router.group("approvals").add(middleware: ResourceMiddleware(verifier, approving)).get { _, _ in
        await timesheets.all()
    }
    return router
}

/// What the API knows of who calls.
struct Introduction: ResponseEncodable {
    let subject: String
    let client: String?
    let scopes: [String]
    let provedBy: String
    let isBoundToKey: Bool

    init(_ caller: VerifiedCaller) {
        subject = caller.subject
        client = caller.clientID
        scopes = caller.scopes.sorted()
        provedBy = "\(caller.provedBy)"
        isBoundToKey = caller.keyThumbprint != nil
    }
}
