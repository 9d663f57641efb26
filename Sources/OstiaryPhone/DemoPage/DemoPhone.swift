import Foundation
import HTTPService

/// The phone beside the website: what is shown in the second frame.
///
/// The demonstration's own plug. A phone with a page runs it for as long as `run` does, and tells its address once.
protocol DemoPhone: Sendable {
    /// Whether it will tell an address, which is waited for before anybody is shown the page.
    var hasPage: Bool { get }

    /// Runs until the task is cancelled.
    /// - Parameter opened: is told the address of the phone's page, with the secret in its fragment. Not called where there is no page: then the
    ///   frame says how a terminal is used instead.
    func run(in place: DemoPhonePlace, opened: @Sendable @escaping (String) async -> Void) async throws
}

/// What a phone of the demonstration is given.
struct DemoPhonePlace: Sendable {
    /// Where it keeps its keys and accounts.
    let home: URL
    /// Origin of the one page that may show it in a frame.
    let framedBy: PublicURL
    /// What the website shows now: the bytes in its code, as a camera would have them; nil when it shows none.
    let shown: @Sendable () async -> [UInt8]?
}

/// `ostiary phone` in a terminal of the visitor's: the frame tells the command lines.
struct TerminalOnlyPhone: DemoPhone {
    let hasPage = false

    func run(in place: DemoPhonePlace, opened: @Sendable @escaping (String) async -> Void) async throws {
        while !Task.isCancelled { try await Task.sleep(for: .seconds(3_600)) }
    }
}
