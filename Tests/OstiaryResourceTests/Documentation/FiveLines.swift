// The first page of docs/protect-an-api.md: what its reader imports, and nothing else.
// snippet.begin imports
import Hummingbird
import OstiaryResource
import OstiaryResourceHummingbird
// snippet.end

func protect(_ router: Router<CallerContext>) throws {
    // snippet.begin fiveLines
    let verifier = try ResourceVerifier(
        issuer: "https://login.example", audience: "https://api.example.com/timesheets", base: "https://api.example.com")
    router.group("timesheets").add(middleware: ResourceMiddleware(verifier, .scope("read:timesheets"))).get { _, context in
        "the timesheets of \(try context.verifiedCaller().subject)"
    }
    // snippet.end
}
