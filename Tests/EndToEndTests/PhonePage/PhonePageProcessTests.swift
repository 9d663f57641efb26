import Foundation
import HTTPService
import NIOHTTP1
import OstiaryTesting
import Testing

@testable import OstiaryPhone

/// `ostiary phone --ui`, as it is started in a shell.
@Suite("The phone page as a program", .serialized)
struct PhonePageProcessTests {
    private func started(_ folder: TemporaryFolder, _ more: [String] = []) async throws -> (program: Program, page: PageCaller) {
        let program = try Program(["phone", "--ui", "--json", "--home", folder.file("home")] + more)
        let told = try await program.event("page")
        return (program, try PageCaller(try #require(told["address"]?.string)))
    }

    @Test("It prints one address on loopback with a secret of its own, shows an empty phone there, and ends in order while the page waits")
    func lives() async throws {
        let folder = try TemporaryFolder()
        let (program, page) = try await started(folder)
        #expect(page.origin.hasPrefix("http://127.0.0.1:"))
        #expect(page.secret.utf8.count == 43)
        let file = try await page.send(.GET, "/", ["X-Phone-Page": nil])
        #expect(file.status == 200 && file.text.contains("<html"))
        let shown = try await page.shown()
        #expect(shown["screen"] == .string("home") && shown["name"] == .string("home") && shown["accounts"] == .array([]))
        let (other, second) = try await started(folder)
        #expect(second.secret != page.secret && second.key != page.key && page.key != page.secret && page.key.utf8.count == 43)
        other.signal(SIGINT)
        #expect(try await other.end() == 0)

        let version = try #require(try JSONLine(try await page.send(.GET, "/phones").text)["version"]?.int)
        async let waiting = page.send(.GET, "/phones?after=\(version)")
        try await Task.sleep(for: .milliseconds(200))
        program.signal(SIGTERM)
        #expect(try await program.end() == 0, "\(program.complaints)")
        _ = try? await waiting
        #expect(!program.complaints.contains(page.secret) && !program.complaints.contains(page.key))
    }

    @Test("It ends in order with its terminal, unless it was told to outlive that")
    func hangUp() async throws {
        let folder = try TemporaryFolder()
        let (program, _) = try await started(folder)
        program.signal(SIGHUP)
        #expect(try await program.end(within: .seconds(60)) == 0, "\(program.complaints)")

        // As `nohup` does.
        let kept = try Program(["phone", "--ui", "--json", "--home", folder.file("home")], shell: "trap '' HUP; exec \"$0\" \"$@\"")
        let page = try PageCaller(try #require(try await kept.event("page")["address"]?.string))
        kept.signal(SIGHUP)
        // The one that would end it takes some of these to do so.
        for _ in 0..<100 { #expect(try await page.send(.GET, "/phones").status == 200) }
        kept.signal(SIGTERM)
        #expect(try await kept.end() == 0, "\(kept.complaints)")
    }

    @Test("The number that a login waits for is asked in the open, not in a part of the screen that is folded away")
    func numberIsShown() throws {
        let page = try #require(PhonePageAsset.all.first { $0.path == "/" })
        let html = String(decoding: page.bytes, as: UTF8.self)
        let login = try #require(html.components(separatedBy: "<section ").first { $0.hasPrefix("data-screen=\"login\"") })
        let open = login.replacing(#/(?s)<details.*?<\/details>/#, with: "")
        #expect(open != login && !open.contains("data-input"))
        #expect(open.contains("data-number") && open.contains("data-digits"))
    }

    @Test("Each file of the page has the strict policy, is framed by nobody, and loads nothing but what is there")
    func policy() async throws {
        let folder = try TemporaryFolder()
        let (program, page) = try await started(folder)
        for asset in PhonePageAsset.all {
            let answer = try await page.send(.GET, asset.path, ["X-Phone-Page": nil])
            #expect(answer.status == 200 && !answer.text.isEmpty, "\(asset.path)")
            let policy = try #require(answer.headers.first(name: "content-security-policy"))
            #expect(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'") && !policy.contains("unsafe"))
            #expect(policy.contains("require-trusted-types-for 'script'"))
            #expect(answer.headers.first(name: "x-frame-options") == "DENY")
            #expect(answer.headers.first(name: "access-control-allow-origin") == nil)
            for named in answer.text.matches(of: #/(?:from|src=|href=) ?"(\.?/[\w.-]+)"/#) {
                #expect(PhonePageAsset.all.contains { $0.path == named.1.drop { $0 == "." } }, "\(asset.path) names \(named.1)")
            }
            for inline in ["<style", " style=", " onclick=", "javascript:", "http://fonts", "https://cdn"] {
                #expect(!answer.text.contains(inline), "\(asset.path): \(inline)")
            }
        }
        program.signal(SIGTERM)
        try await program.end()
    }

    @Test("A44: each answer, refusals too, has the code of its challenge under a key that the page sends to nobody")
    func proof() async throws {
        let folder = try TemporaryFolder()
        let (program, page) = try await started(folder)
        let right = { (challenge: String) in PageProof<ServiceRequestContext>.text(of: SecretText(page.key).code(of: challenge)) }
        #expect(right("a") != PageProof<ServiceRequestContext>.text(of: SecretText(page.secret).code(of: "a")))
        for (path, secret, status) in [("/phones", page.secret, UInt(200)), ("/phones", "wrong", 401), ("/nowhere", page.secret, 404)] {
            let answer = try await page.send(.GET, path, ["X-Phone-Page": secret, "X-Phone-Challenge": "challenge of \(status)"])
            #expect(answer.status == status)
            #expect(answer.headers["x-phone-proof"] == [right("challenge of \(status)")])
        }
        let changes = ["X-Phone-Challenge": "b", "Content-Type": "application/octet-stream"]
        let refused = try await page.send(.POST, "/phones/0/key", changes, body: Array(#"{"question":99,"key":"1"}"#.utf8))
        #expect(refused.status == 409 && refused.headers["x-phone-proof"] == [right("b")])
        for none in [nil, String(repeating: "x", count: 65)] {
            #expect(try await page.send(.GET, "/phones", ["X-Phone-Challenge": none]).headers["x-phone-proof"].isEmpty)
        }
        program.signal(SIGTERM)
        try await program.end()
    }

    @Test("It can be framed by the origins that it was given, and by no other")
    func framed() async throws {
        let folder = try TemporaryFolder()
        let (program, page) = try await started(folder, ["--framed-by", "http://localhost:9", "--framed-by", "https://demo.example"])
        let headers = try await page.send(.GET, "/").headers
        #expect(headers.first(name: "content-security-policy")?.contains("frame-ancestors http://localhost:9 https://demo.example;") == true)
        #expect(headers.first(name: "x-frame-options") == nil)
        program.signal(SIGTERM)
        try await program.end()
    }

    @Test("Over the wire, too, another name, another origin and a wrong secret get nothing")
    func guarded() async throws {
        let folder = try TemporaryFolder()
        let (program, page) = try await started(folder)
        let port = try #require(page.origin.split(separator: ":").last)
        #expect(try await page.send(.GET, "/phones").status == 200)
        for host in ["evil.example:\(port)", "localhost:\(port)", "127.0.0.1"] {
            let answer = try await page.send(.GET, "/phones", ["Host": host])
            #expect(answer.status == 421 && !answer.text.contains("phones"), "\(host)")
            #expect(try await page.send(.GET, "/", ["Host": host]).status == 421)
            #expect(
                try await page.send(.POST, "/phones/0/refresh", ["Host": host, "Origin": "http://\(host)"], body: Array("{}".utf8)).status == 421)
        }
        #expect(try await page.send(.POST, "/phones/0/refresh", ["Origin": "http://localhost:\(port)"], body: Array("{}".utf8)).status == 403)
        #expect(try await page.send(.POST, "/phones/0/refresh", ["Origin": nil], body: Array("{}".utf8)).status == 403)
        #expect(try await page.send(.GET, "/phones", ["X-Phone-Page": nil]).status == 401)
        #expect(try await page.send(.GET, "/phones", ["X-Phone-Page": String(page.secret.reversed())]).status == 401)
        // A preflight of another site is told of no right.
        let preflight = try await page.send(
            .OPTIONS, "/phones", ["X-Phone-Page": nil, "Origin": "https://evil.example", "Access-Control-Request-Headers": "X-Phone-Page"])
        #expect(preflight.headers.first(name: "access-control-allow-origin") == nil)
        #expect(try await page.call("refresh").status == 200)
        program.signal(SIGTERM)
        try await program.end()
    }

    @Test("Several homes are several phones, each with its own name")
    func beside() async throws {
        let (folder, other) = (try TemporaryFolder(), try TemporaryFolder())
        let (program, page) = try await started(folder, ["--beside", other.file("home"), "--beside", folder.file(".hidden")])
        let names = try JSONLine(try await page.send(.GET, "/phones").text)["phones"]?.array?.map { $0["name"] }
        #expect(names == [.string("home"), .string("home 2"), .string("phone")])
        program.signal(SIGTERM)
        try await program.end()
    }

    @Test(
        "What does not go with the page is said before anything is opened",
        arguments: [
            ["--ui", "accounts"], ["accounts", "--ui"], ["--ui", "--yes"], ["--ui", "--pin-stdin"], ["--port", "9"], ["--beside", "x"],
            ["--framed-by", "https://a.example"], ["--ui", "--framed-by", "a.example"], ["--ui", "--port", "70000"], ["--ui", "--beside", "./home"],
        ])
    func usage(_ options: [String]) async throws {
        let folder = try TemporaryFolder()
        let options = options.map { $0 == "./home" ? folder.file("home") : $0 }
        let program = try Program(["phone", "--home", folder.file("home")] + options)
        #expect(try await program.end() == 64, "\(program.output) \(program.complaints)")
    }
}
