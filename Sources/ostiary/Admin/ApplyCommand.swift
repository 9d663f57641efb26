import ArgumentParser
import NIOHTTP1
import OstiaryProgram
import OstiaryTokens

/// `ostiary admin apply`: makes what is there as a file says, and tells the difference.
struct ApplyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apply", abstract: "Make applications, APIs, roles and users as a file says, all or nothing.",
        discussion: """
            The file has apis, roles, applications and users, each by name. What is there and not in the file stays, unless --prune is given. \
            Applying the same file again changes nothing.
            """)

    @OptionGroup var options: AdminOptions
    @Flag(help: "Tell what would change, and change nothing.") var dryRun = false
    @Flag(help: "Remove what the file leaves out, of the kinds that it has.") var prune = false
    @Argument(help: "YAML or JSON; - for standard input.") var file: String

    func run() async throws {
        try await options.run("apply") { registry in
            let document = try AdminFile.object(file)
            var query: [(String, String)] = []
            if dryRun { query.append(("dryrun", "true")) }
            if prune { query.append(("prune", "true")) }
            let outcome = try await registry.call(.POST, ["registry"], query: query, body: document)
            if options.json { return try options.tell(outcome) }
            for line in RegistryDifference(outcome).lines(isTrial: dryRun) { try StandardStreams.deliver(line) }
        }
    }
}

/// What applying a file changed, or would change, in lines for a person.
struct RegistryDifference {
    private let outcome: JSONObject

    /// - Parameter outcome: the answer of applyRegistry.
    init(_ outcome: JSONObject) { self.outcome = outcome }

    func lines(isTrial: Bool) -> [String] {
        let changes = outcome["changes"]?.array?.compactMap(\.object) ?? []
        guard !changes.isEmpty else { return ["nothing to change"] }
        var lines = changes.flatMap(Self.lines)
        for (name, secret) in outcome["secrets"]?.object?.members.map({ ($0.name, $0.value.string ?? "") }) ?? [] {
            lines.append("client_secret of \(YAMLWriter.line(name)), told this once: \(secret)")
        }
        if isTrial { lines.append("nothing was changed: this was a dry run") }
        return lines
    }

    private static func lines(_ change: JSONObject) -> [String] {
        let word = change["change"]?.string ?? ""
        let mark = ["created": "+", "removed": "-"][word] ?? "~"
        let head = "\(mark) \(change["kind"]?.string ?? "") \(YAMLWriter.line(change["name"]?.string ?? ""))"
        let members = (change["members"]?.array ?? []).compactMap(\.object).map { member in
            let name = "    \(member["member"]?.string ?? ""): "
            switch (member["before"], member["after"]) {
            case (let before?, let after?): return name + "\(YAMLWriter.line(before)) -> \(YAMLWriter.line(after))"
            case (nil, let after?): return name + YAMLWriter.line(after)
            case (let before?, nil): return name + "\(YAMLWriter.line(before)) -> nothing"
            case (nil, nil): return name
            }
        }
        return [head] + members
    }
}
