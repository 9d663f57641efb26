import OstiaryProtocol

/// `Vectors/transcript/enrolment-and-login.json`: a first PIN is set and a login approved with it, every message and every secret given.
struct TranscriptVector: Codable {
    /// Hexadecimal by name, as docs/protocol calls them; "as." and "sfs." before those that each server has.
    let secrets: [String: String]
    /// What both sides compute on the way.
    let derived: [String: String]
    let pin: String
    let confirmationCode: String
    /// X-nonce of the business backend.
    let nonce: String
    let steps: [Step]

    /// A request of the phone and its answer; both are sealed, and open with the secrets.
    struct Step: Codable {
        let name: String
        /// The clock of everybody, in Unix seconds.
        let time: UInt64
        let message: String
        let request: String
        let answer: String
        let status: UInt16
        let body: String
        /// What travels in M1 and M2 between the phone and the second-factor server.
        let inside: Inside?
        /// What the authentication server asks the second-factor server meanwhile.
        let call: Call?
    }

    struct Inside: Codable {
        let message: String
        let request: String
        let answer: String
        let body: String
    }

    /// A SecondFactorCall and the SfAnswer to it.
    struct Call: Codable {
        let call: String
        let answer: String
    }

    func secret(_ name: String) throws -> [UInt8] {
        guard let text = secrets[name] else { throw MissingField(name: name) }
        return VectorFiles.bytes(text)
    }

    func step(_ name: String) throws -> Step {
        guard let step = steps.first(where: { $0.name == name }) else { throw MissingField(name: name) }
        return step
    }
}
