import Foundation
import OstiaryMobile

/// Whoever has the files of a phone.
extension ThiefScene {
    func copyPhone() async throws {
        let nora = try victim()
        try await nora.enrol()
        let thief = try copyOfHerPhone(of: nora)
        let nonce = try await thief.scanLogin()
        saw("The copy reads the code of a login that the thief began, and is asked for the PIN.")
        var tries: SecondFactorInfo?
        for guess in ScriptedPerson.wrongPINs { tries = try await thief.mistype(guess) }
        guard let tries else { return }
        try hold(tries.failedAttempts == ScriptedPerson.wrongPINs.count, or: "a guess was not counted")
        try hold(tries.penalisedFor > 0, or: "three wrong guesses brought no penalty")
        saw("\(tries.failedAttempts) guesses of \(tries.maxAttempts) are gone, and the phone has to wait \(tries.penalisedFor) s for the next.")
        let early = try await thief.mistype(ScriptedPerson.wrongPINs[0])
        try hold(early.failedAttempts == tries.failedAttempts && early.penalisedFor > 0, or: "a guess was taken during the penalty")
        thief.phone.sfCancel()
        try await holdNobodyIn(nonce, or: "the copy of a phone logged in without the PIN")
        saw("getSession says that nobody is logged in.")
    }

    func yesterdaysBackup() async throws {
        let nora = try victim()
        try await nora.enrol()
        let data = servers.layout.secondFactorData
        let backup = folder.appendingPathComponent("backup", isDirectory: true)
        try await servers.restartSecondFactor { try FileManager.default.copyItem(at: data, to: backup) }
        saw("A backup of the second-factor server is made.")
        let thief = try copyOfHerPhone(of: nora)
        let nonce = try await thief.scanLogin()
        _ = try await thief.mistype(ScriptedPerson.wrongPINs[0])
        let before = try await thief.mistype(ScriptedPerson.wrongPINs[1])
        saw("Two wrong guesses: \(before.failedAttempts) of \(before.maxAttempts) tries are gone.")
        try await servers.restartSecondFactor {
            try FileManager.default.removeItem(at: data)
            try FileManager.default.copyItem(at: backup, to: data)
        }
        saw("The backup is put back. This server does not know of the two guesses any more.")
        let after = try await thief.mistype(ScriptedPerson.wrongPINs[2])
        try hold(after.failedAttempts == before.failedAttempts + 1, or: "a restored server gave tries back: \(after.failedAttempts) are counted")
        try hold(after.penalisedFor > 0, or: "a restored server forgot the penalty")
        saw("The next wrong guess is number \(after.failedAttempts) all the same, and its penalty is \(after.penalisedFor) s.")
        thief.phone.sfCancel()
        try await holdNobodyIn(nonce, or: "a restored server let the thief in")
    }

    func oldPIN() async throws {
        let nora = try victim()
        try await nora.enrol()
        let thief = try copyOfHerPhone(of: nora)
        try await nora.changePIN(to: [5, 1, 8, 3, 0, 7])
        saw("Nora has changed her PIN.")
        let nonce = try await thief.scanLogin()
        thief.enter(nora.pin)
        let came = await thief.next { event -> String? in
            switch event {
            case .error(let error, _): error.sentence
            case .secondFactorUpdated(let answer) where answer.secondFactorInfo.result == .success: ""
            case .sessionLogin: ""
            default: nil
            }
        }
        guard let came else { throw DemoError.stepFailed("nothing came of the old PIN within a minute") }
        try hold(!came.isEmpty, or: "the PIN of before was taken")
        try await holdNobodyIn(nonce, or: "the PIN of before logged in")
        saw("The PIN of before, on the copy from before: \(came).")
        let again = try await nora.scanLogin()
        nora.enter([5, 1, 8, 3, 0, 7])
        try await nora.expectResult(.success)
        try await nora.expectLogin()
        let status = try await backend.session(again)
        try hold(status.loggedin && (status.pinattemptsfailed ?? 0) == 0, or: "the thief's try with the old PIN cost Nora one")
        saw("Nora's new PIN logs her in, and no try of hers was used.")
    }
}
