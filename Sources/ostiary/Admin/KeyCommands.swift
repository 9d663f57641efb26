import ArgumentParser
import NIOHTTP1
import OstiaryProgram
import OstiaryTokens

/// `ostiary admin keys`: what tokens are signed with.
struct KeyCommands: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys", abstract: "Tell the keys that tokens are signed with, and replace them in an emergency.",
        subcommands: [KeyList.self, KeyRotation.self])
}

struct KeyList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "What signs tokens, what will, and what did: a line each.")

    @OptionGroup var options: AdminOptions

    func run() async throws {
        try await options.run("keys list") { registry in try options.tellKeys(try await registry.call(.GET, ["keys", ""])) }
    }
}

struct KeyRotation: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate", abstract: "Replace the keys of tokens at once, in an emergency.",
        discussion: """
            No token that was signed before is good for whoever looks at the published keys. The rotation that needs nobody goes on by itself.
            """)

    @OptionGroup var options: AdminOptions
    @Flag(help: "End all refresh tokens, too.") var endRefreshTokens = false

    func run() async throws {
        try await options.run("keys rotate") { registry in
            let body = JSONObject(["end_refresh_tokens": .bool(endRefreshTokens)])
            try options.tellKeys(try await registry.call(.POST, ["keys", "rotate"], body: body))
        }
    }
}

extension AdminOptions {
    fileprivate func tellKeys(_ answer: JSONObject) throws {
        if json { return try tell(answer) }
        for key in answer["keys"]?.array?.compactMap(\.object) ?? [] {
            try StandardStreams.deliver(["use", "alg", "kid"].map { YAMLWriter.line(key[$0]?.string ?? "") }.joined(separator: "  "))
        }
    }
}
