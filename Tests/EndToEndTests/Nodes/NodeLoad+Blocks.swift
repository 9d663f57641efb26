import OstiaryTesting
import Testing

@testable import OstiaryMobile
@testable import OstiaryPhone

/// People who are blocked because the answers to their tries were lost: an operator lets them in again, and the run goes on.
extension NodeLoad {
    /// Whether somebody may go on. Who has few tries left, or none, rests until nothing is broken: a right PIN whose answer is lost costs a try as well.
    func isAble(_ resident: NodeResident) async -> Bool {
        guard resident.isBlocked || resident.mustRest else { return true }
        if !isBroken {
            guard resident.isBlocked else { return true }
            if (try? await lift(resident)) != nil { return true }
        }
        try? await Task.sleep(for: .seconds(1))
        return false
    }

    /// A block that what was seen does not explain is a fault of the servers.
    func noteBlock(of resident: NodeResident) {
        resident.noteBlock()
        let tries = histories.tries.calls.filter { $0.caller == resident.caller }
        let counted = BlockCause.mostCounted(in: tries)
        guard counted < Self.mostTries else { return }
        Issue.record("\(resident.name) is blocked after at most \(counted) tries: \(tries.suffix(12).map { "\($0.action) \($0.outcome)" })")
    }

    /// As a site does it, at any node: it may be that the answer is lost, and the block gone.
    private func lift(_ resident: NodeResident) async throws {
        let invoked = now()
        do { try await backend.resetSecondFactor(resident.account) } catch {
            note(.reset, nil, of: resident, since: invoked)
            throw error
        }
        note(.reset, .done, of: resident, since: invoked)
        resident.noteReset()
        Soak.tell("histories: \(resident.name) was blocked, by tries whose answers were lost, and let in again")
    }

    /// When all is well again. A node whose clock was ahead may have signed the last order of this kind for a minute that is still to come.
    func waitUntilAble(_ resident: NodeResident) async throws {
        try await eventually("\(resident.name) is let in again") { await self.isAble(resident) }
    }
}

extension FixturePhone.End {
    /// Whether it is over because no PIN is accepted any more.
    var isBlock: Bool { self == .failed(.secondFactorBlocked) }
}
