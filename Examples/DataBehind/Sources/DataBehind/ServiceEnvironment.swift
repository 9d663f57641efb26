import Foundation

/// What is set from outside: the port, and who may ask.
struct ServiceEnvironment {
    struct Missing: Error, CustomStringConvertible {
        let name: String
        var description: String { "\(name) is not set, or is none: README.md says what it is" }
    }

    let port: Int
    let secrets: CallerSecrets

    init(_ variables: [String: String]) throws {
        guard let port = UInt16(variables["PORT"] ?? "8092"), port > 0 else { throw Missing(name: "PORT") }
        // An empty one is none: what starts programs writes those, and an empty secret would be anybody's.
        guard let secret = variables["SECRET"], !secret.isEmpty else { throw Missing(name: "SECRET") }
        self.port = Int(port)
        secrets = CallerSecrets([secret] + [variables["FORMER_SECRET"]].compactMap { $0 }.filter { !$0.isEmpty })
    }
}
