import Hummingbird
import OstiaryResource
import OstiaryResourceHummingbird

/// A backend that cannot reach the authentication server, nor knows that there is one: it takes the tokens of the token service, as it would any provider's.
func servePayroll(_ variables: Variables) async throws {
    let port = try variables.number("PORT", or: 8_444)
    var settings = ResourceSettings(
        base: variables.optional("BASE") ?? "https://127.0.0.1:\(port)",
        provider: ProviderSettings(issuer: try variables.text("ISSUER"), audience: try variables.text("AUDIENCE")))
    settings.realm = "payroll"
    // The one by which the token service signs; `none` and shared secrets are no choice anywhere.
    settings.provider?.jwt?.algorithms = [.es256]
    let ports = ResourcePorts(calls: HTTPResourceCalls(trustRoots: variables.optional("TRUST_ROOTS")))
    let bySignature = try ResourceVerifier(settings, ports: ports)

    settings.provider?.introspection = IntrospectionSettings(
        clientID: try variables.text("CLIENT_ID"), clientSecret: try variables.text("CLIENT_SECRET"))
    settings.provider?.jwt?.recheckedEvery = 0
    let byAsking = try ResourceVerifier(settings, ports: ports)
    try await serveOverTLS(payrollRoutes(bySignature: bySignature, byAsking: byAsking), port: port, variables)
}

/// Two routes, and two ways to look at one token.
/// - Parameters:
///   - bySignature: by the token alone, which says that somebody was logged in when it was made. It needs nobody, once there are keys.
///   - byAsking: by asking the token service, too, whether they are logged in still. Where most routes want that, let the API take webNonces instead.
func payrollRoutes(bySignature: ResourceVerifier, byAsking: ResourceVerifier) -> Router<CallerContext> {
    let payments = Payments()
    let router = Router(context: CallerContext.self)

    router.group("payslips").add(middleware: ResourceMiddleware(bySignature, .scope("read:payslips"))).get { _, context in
        let subject = try context.verifiedCaller().subject
        return [Payslip(of: subject, month: "2026-10"), Payslip(of: subject, month: "2026-11")]
    }

    router.group("payments").add(middleware: ResourceMiddleware(byAsking, .scope("make:payments"))).post { request, context in
        let payment = try await request.decode(as: Payment.self, context: context)
        guard payment.cents > 0, !payment.account.isEmpty else { throw HTTPError(.unprocessableContent, message: "an account, and cents above 0") }
        let number = await payments.add(payment, by: try context.verifiedCaller().subject)
        return EditedResponse(status: .created, response: ["number": number])
    }
    return router
}
