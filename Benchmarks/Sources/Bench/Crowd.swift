import Foundation

/// Phones that log in again and again, all at the same time, each PIN stretched ahead: what a login costs servers that are at work, without what it costs
/// beside the phone. One by one, threads sleep and caches are cold at each of its exchanges.
struct Crowd: Sendable {
    /// How many logins of a kind each size does at least.
    static let logins = 320

    let servers: Servers
    private let people: [Person]

    /// Enrols them, and lets each log in once by either way: its PIN is stretched from then on.
    init(of count: Int, servers: Servers) async throws {
        self.servers = servers
        var people: [Person] = []
        for number in 0..<count {
            let person = try Person(name: "crowd\(number)", servers: servers, stretchesAhead: true)
            try await person.enrol()
            _ = try await person.logIn()
            try await person.logInToApp()
            people.append(person)
        }
        self.people = people
    }

    /// - Parameters:
    ///   - sizes: how many of them log in at once; one is the same phone again and again.
    ///   - logins: of each kind and size, at least.
    func measure(_ sizes: [Int], logins: Int = Self.logins, into table: inout Table) async throws {
        for size in sizes where size <= people.count {
            let words = size == 1 ? "one by one" : "\(size) phones at once"
            table.add(
                "QR login with PIN, \(words)", apart: try await costs(of: size, logins) { person in _ = try await person.logIn() })
            table.add("AppLogin with PIN, and its stop, \(words)", apart: try await costs(of: size, logins) { try await $0.logInToApp() })
        }
    }

    /// Of each server, for one login.
    private func costs(of size: Int, _ logins: Int, _ logIn: @escaping @Sendable (Person) async throws -> Void) async throws -> [Cost] {
        let rounds = (logins + size - 1) / size
        return try await Bench.meteredApart(servers, rounds * size) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for person in people.prefix(size) {
                    group.addTask {
                        for _ in 0..<rounds { try await logIn(person) }
                    }
                }
                try await group.waitForAll()
            }
        }
    }
}

extension Table {
    /// Adds what both servers cost together, with the share of each as its note.
    mutating func add(_ name: String, apart costs: [Cost]) {
        let (serve, second) = (costs[0].nanoseconds / 1e6, costs[1].nanoseconds / 1e6)
        add(name, costs[0] + costs[1], serve + second > 0 ? String(format: "serve %.2f ms, second factor %.2f", serve, second) : "")
    }
}
