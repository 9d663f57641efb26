import Foundation
import OstiaryMobile
import OstiaryProgram
import OstiaryProtocol

/// Whoever sees the same screen.
extension ThiefScene {
    func secondPhone() async throws {
        let nora = try victim()
        let question = try await nora.scanEnrolment()
        saw("Nora's phone has read the code and asks her whether to.")
        let thief = try thiefsPhone()
        thief.phone.start(with: question.code)
        let came = await thief.next { event -> String? in
            switch event {
            case .error(let error, _): error.sentence
            case .confirmEnrol: ""
            default: nil
            }
        }
        guard let came else { throw DemoError.stepFailed("nothing came of the second phone within a minute") }
        try hold(!came.isEmpty, or: "a second phone was let into an enrolment that a first one had begun")
        saw("The second phone is told: \(came).")
        let shown = try await nora.agree(to: question)
        try await backend.confirm(question.nonce, code: shown)
        try await nora.expectLogin()
        let status = try await backend.session(question.nonce)
        try hold(status.loggedin && status.userid == nora.user, or: "the enrolment ended as somebody else's")
        saw("Nora goes on, and the account is hers.")
    }

    func guessCode() async throws {
        let nora = try victim()
        let question = try await nora.scanEnrolment()
        let shown = try await nora.agree(to: question)
        saw("Nora's phone shows four characters, and no page does.")
        let guesses = ["0000", "1111", "2222", "3333"].filter { $0 != shown }.prefix(3)
        for (count, guess) in zip(1..., guesses) {
            try hold(try await !isTaken(guess, for: question.nonce), or: "four guessed characters were taken")
            saw("Guess \(count) is wrong.")
        }
        try hold(try await !isTaken(shown, for: question.nonce), or: "a fourth try was allowed")
        try await holdNobodyIn(question.nonce, or: "an account was confirmed by guessing")
        saw("After three the account is gone: now even the right characters are refused.")
    }

    private func isTaken(_ code: String, for nonce: String) async throws -> Bool {
        do {
            try await backend.confirm(nonce, code: code)
            return true
        } catch DemoError.unexpectedAnswer(_, let status) where (400..<500).contains(status) {
            return false
        }
    }

    func eightStrangers() async throws {
        let nora = try victim()
        let question = try await nora.scanEnrolment()
        guard case .enrol(let enrolment) = try Link(decoding: question.code) else { throw DemoError.stepFailed("that is no enrol code") }
        try await backend.confirm(question.nonce, code: try await nora.agree(to: question))
        try await nora.expectLogin()

        let nonce = ManagementClient.newNonce()
        let code = try await nora.loginCode(nonce)
        nora.phone.start(with: code)
        try await nora.confirm()
        saw("Nora's phone has read the code and asks for her PIN.")
        let bundle = try await bundle(of: enrolment)
        guard let prekey = bundle.prekeys.last else { throw DemoError.stepFailed("the server publishes no prekey") }
        let link = try Encoded<LoginLink>(decoding: code)
        for _ in 0..<8 {
            let ephemeral = try EphemeralKey(using: SystemRandomSource())
            let request = try SealedRequest(
                L1(link: link, via: .scan, clientInfo: "stranger").encoded, to: prekey.value, of: bundle.chain.root, ephemeral: ephemeral, at: .now)
            let answer = try await post(request.bytes)
            guard answer.status == 200 else { throw DemoError.unexpectedAnswer(call: "POST /ap1", status: answer.status) }
        }
        saw("Eight strangers have sent an L1 about the same code, and each was answered.")
        nora.enter(nora.pin)
        let result = try await nora.expectAnswerToPIN()
        try hold(result.result == .success, or: "strangers made her right PIN fail")
        try await nora.expectLogin()
        let status = try await backend.session(nonce)
        try hold(status.loggedin && status.userid == nora.user, or: "strangers kept her out")
        try hold((status.pinattemptsfailed ?? 0) == 0, or: "strangers cost her a try")
        saw("Her right PIN logs her in at the first try.")
    }
}
