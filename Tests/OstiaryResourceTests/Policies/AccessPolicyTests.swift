import OstiaryProtocol
import OstiaryResource
import OstiaryTesting
import OstiaryTokens
import Testing

@Suite("What a route wants of its caller")
struct AccessPolicyTests {
    private func refusal(_ policy: AccessPolicy, _ change: (inout JSONObject) -> Void = { _ in }, after seconds: UInt64 = 0) async throws
        -> ResourceRefusal?
    {
        let api = try TestAPI()
        let caller = try await api.caller(try Fixture.token(change))
        api.clock.advance(seconds)
        do throws(ResourceRefusal) {
            try api.verifier.check(policy, of: caller)
            return nil
        } catch { return error }
    }

    @Test("S3-10, S3-12 rs_scope_prefix_not_enough: a scope is one word of the list, whole")
    func scope() async throws {
        #expect(try await refusal(.scope("read:timesheets")) == nil)
        for scope in ["approve:timesheets", "read:timesheet", "read:timesheetsX", "Read:timesheets", "", "read:timesheets create:timesheets"] {
            #expect(try await refusal(.scope(scope)) == .forbidden(.init(scopes: [scope])))
        }
        #expect(
            try await refusal(.scope("read:timesheets")) { $0["scope"] = .string("read:timesheetsX") }
                == .forbidden(.init(scopes: ["read:timesheets"])))
        #expect(try await refusal(.scope("read:timesheets")) { $0["scope"] = nil } == .forbidden(.init(scopes: ["read:timesheets"])))
    }

    @Test("All of several, and one of several; of none everybody, and nobody")
    func composed() async throws {
        #expect(try await refusal(.allScopes("read:timesheets", "create:timesheets")) == nil)
        // All that the route needs is told, so that a client that asks for it loses nothing.
        #expect(
            try await refusal(.allScopes("read:timesheets", "approve:timesheets"))
                == .forbidden(.init(scopes: ["read:timesheets", "approve:timesheets"])))
        #expect(try await refusal(.anyScope("approve:timesheets", "read:timesheets")) == nil)
        #expect(try await refusal(.any([.scope("a"), .all([.scope("b"), .scope("read:timesheets")])])) == .forbidden(.init(scopes: ["a"])))
        #expect(try await refusal(.all([])) == nil)
        #expect(try await refusal(.any([])) == .forbidden(.init()))
    }

    @Test("Permissions, what proved it, and an API's own rules: nothing of it is a scope, so none is told")
    func others() async throws {
        #expect(try await refusal(.permission("approve")) { $0["permissions"] = .strings(["approve"]) } == nil)
        #expect(try await refusal(.permission("read:timesheets")) == .forbidden(.init(others: ["read:timesheets"])))
        #expect(try await refusal(.provedBy(.jwt)) == nil)
        #expect(try await refusal(.provedBy(.introspection)) == .forbidden(.init(others: ["introspection"])))
        let isBob = AccessPolicy.rule("bob") { $0.subject == "bob" }
        #expect(try await refusal(isBob) == .forbidden(.init(others: ["bob"])))
        #expect(try await refusal(.any([isBob, .scope("read:timesheets")])) == nil)
        #expect(try await refusal(.all([isBob, .scope("read:timesheets")])) == .forbidden(.init(others: ["bob"])))
    }

    @Test("A login is strong enough when its acr is one of those that are asked for; of an order, that one and those above")
    func strength() async throws {
        #expect(try await refusal(.login(acr: ["mfa", "phr"], maxAge: nil)) == nil)
        #expect(try await refusal(.login(atLeast: "sf")) == nil)
        #expect(try await refusal(.login(atLeast: "mfa")) == nil)
        #expect(try await refusal(.login(atLeast: "phr")) == .stepUp(.init(acrValues: ["phr"])))
        #expect(try await refusal(.login(atLeast: "mfa")) { $0["acr"] = .string("sf") } == .stepUp(.init(acrValues: ["mfa", "phr"])))
        #expect(try await refusal(.login(atLeast: "mfa")) { $0["acr"] = nil } == .stepUp(.init(acrValues: ["mfa", "phr"])))
        #expect(try await refusal(.login(atLeast: "gold")) == .forbidden(.init()))
        #expect(try await refusal(.login(atLeast: "gold", of: ["tin", "mfa", "gold"])) == .stepUp(.init(acrValues: ["gold"])))
    }

    @Test("A login is young enough by max_age and the tolerance of clocks; what tells no auth_time is too old")
    func age() async throws {
        let policy = AccessPolicy.login(acr: [], maxAge: 300)
        // It was 20 seconds ago.
        #expect(try await refusal(policy, after: 290) == nil)
        #expect(try await refusal(policy, after: 291) == .stepUp(.init(maxAge: 300)))
        #expect(try await refusal(policy) { $0["auth_time"] = nil } == .stepUp(.init(maxAge: 300)))
        #expect(try await refusal(policy) { $0["auth_time"] = .moment(Fixture.now + 10) } == nil)
        #expect(try await refusal(policy) { $0["auth_time"] = .moment(Fixture.now + 11) } == .stepUp(.init(maxAge: 300)))
        #expect(try await refusal(.login(acr: [], maxAge: .max)) { $0["auth_time"] = .moment(Instant(0)) } == nil)
    }

    @Test("Any login will do, but there has to be one: what tells neither how nor when may be a machine's")
    func anyLogin() async throws {
        let policy = AccessPolicy.login(acr: [], maxAge: nil)
        for name in ["acr", "auth_time"] { #expect(try await refusal(policy) { $0[name] = nil } == nil) }
        #expect(try await refusal(policy) { claims in for name in ["acr", "auth_time"] { claims[name] = nil } } == .stepUp(.init()))
    }

    @Test("Nobody logs in anew to be forbidden then; and who can come in by logging in anew is told that")
    func order() async throws {
        let strong = AccessPolicy.login(acr: ["phr"], maxAge: nil)
        #expect(try await refusal(.all([strong, .scope("approve")])) == .forbidden(.init(scopes: ["approve"])))
        #expect(try await refusal(.all([strong, .scope("read:timesheets")])) == .stepUp(.init(acrValues: ["phr"])))
        #expect(try await refusal(.any([.scope("approve"), strong])) == .stepUp(.init(acrValues: ["phr"])))
        #expect(try await refusal(.any([.permission("x"), .scope("approve")])) == .forbidden(.init(scopes: ["approve"])))
    }

    @Test("Two demands on a login are told as one that meets both")
    func bothDemands() async throws {
        let policy = AccessPolicy.all([
            .login(acr: ["phr", "gold"], maxAge: 10), .login(acr: ["gold", "phr", "mfa"], maxAge: 5), .login(acr: [], maxAge: 7),
        ])
        #expect(try await refusal(policy, after: 100) == .stepUp(.init(acrValues: ["phr", "gold"], maxAge: 5)))
        #expect(
            try await refusal(.all([.login(acr: [], maxAge: 1), .login(acr: ["phr"], maxAge: nil)]), after: 100)
                == .stepUp(.init(acrValues: ["phr"], maxAge: 1)))
    }
}
