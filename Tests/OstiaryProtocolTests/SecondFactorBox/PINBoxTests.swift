import OstiaryProtocol
import Testing

@Suite("PIN box")
struct PINBoxTests {
    static let master = SecretBytes([UInt8](repeating: 0x44, count: 32))
    let scenario: BoxScenario
    let box: PINBox

    init() throws {
        scenario = try BoxScenario(
            Given(fields: [
                "pin": .text("493817"), "deviceSecret": .text(String(repeating: "11", count: 32)), "sfId": .text(String(repeating: "22", count: 16)),
                "epoch": .number(1), "memory": .number(32_768), "passes": .number(3), "serverShare": .text(String(repeating: "33", count: 32)),
                "oprfKey": .text("0b" + String(repeating: "00", count: 31)), "blind": .text("05" + String(repeating: "00", count: 31)),
                "proofRandomScalar": .text("07" + String(repeating: "00", count: 31)),
            ]))
        box = try scenario.seal(Self.master)
    }

    @Test("The right PIN opens it, also with another blind and proof")
    func rightPIN() throws {
        let later = try scenario.with {
            $0.blind = try GroupScalar.random()
            $0.proofScalar = .given(try GroupScalar.random())
        }
        #expect(try later.open(box).matches(Self.master))
    }

    @Test("Each thing that goes into the key is needed: with any one of them changed the commitment does not match")
    func everyPartCounts() throws {
        let other = SecretBytes([UInt8](repeating: 0x55, count: 32))
        let instance = try #require(InstanceID([UInt8](repeating: 0x23, count: 16)))
        let changes: [(inout BoxScenario) -> Void] = [
            { $0.pin = Array("493818".utf8) }, { $0.pin = Array("4938170".utf8) }, { $0.deviceSecret = other }, { $0.serverShare = other },
            { $0.scope = BoxScope(instance: $0.scope.instance, epoch: 2) }, { $0.scope = BoxScope(instance: instance, epoch: 1) },
        ]
        for change in changes {
            #expect(throws: BoxError.wrongPIN) { try scenario.with(change).open(box) }
        }
    }

    @Test("Another server key under the pinned key is a doubt about the server, not about the PIN")
    func otherServerKey() throws {
        let foreign = try scenario.with { $0.serverKey = try OPRFKey.generate() }
        #expect(throws: PINBlindingError.serverIdentity) { try foreign.open(box) }
    }

    @Test("Another server key that is also pinned opens nothing")
    func otherPinnedKey() throws {
        let foreign = try scenario.with { $0.serverKey = try OPRFKey.generate() }
        let swapped = try PINBox(decoding: box.encoded.prefix(86) + foreign.serverKey.publicKey)
        #expect(throws: BoxError.wrongPIN) { try foreign.open(swapped) }
    }

    @Test("A flipped bit anywhere in the stored box is refused, and what kind of refusal depends on the field")
    func tampering() throws {
        let run = try scenario.run(pinnedKey: box.pinnedKey)
        let encoded = box.encoded
        for index in encoded.indices {
            var bytes = encoded
            bytes[index] ^= 1 << UInt8(index % 8)
            guard let changed = try? PINBox(decoding: bytes) else {
                #expect(index < 6 || index >= 86, "byte \(index)")
                continue
            }
            let key = try BoxKey(run.stretched, serverShare: scenario.serverShare, evaluation: run.y)
            switch index {
            case 0..<6: #expect(changed.parameters != box.parameters)
            case 6..<38: #expect(throws: BoxError.wrongPIN) { try key.open(changed) }
            case 38..<86: #expect(throws: BoxError.corrupted) { try key.open(changed) }
            default: #expect(throws: PINBlindingError.serverIdentity) { try scenario.run(pinnedKey: changed.pinnedKey) }
            }
        }
    }

    @Test("A key stretched at another cost does not try to open it")
    func otherParameters() throws {
        let dearer = try scenario.with { $0.parameters = try Argon2id.Parameters(memory: 40_000, passes: 3) }
        #expect(throws: BoxError.otherParameters) { try dearer.open(box) }
        #expect(try dearer.open(try dearer.seal(Self.master)).matches(Self.master))
    }

    @Test("It has one encoding of 118 bytes; every prefix and every longer form is refused")
    func encoding() throws {
        let encoded = box.encoded
        #expect(encoded.count == 118)
        #expect(try PINBox(decoding: encoded) == box)
        for count in 0..<encoded.count {
            #expect(throws: WireError.truncated) { try PINBox(decoding: Array(encoded.prefix(count))) }
        }
        #expect(throws: WireError.trailingBytes) { try PINBox(decoding: encoded + [0]) }
    }

    @Test("Stored costs below the floor or above the cap, another kind and a key that is none do not decode")
    func refusedContents() {
        let encoded = box.encoded
        let costs: [[UInt8]] = [[0, 0, 0x7F, 0xFF, 3], [0, 0, 0x80, 0, 2], [0xFF, 0xFF, 0xFF, 0xFF, 3], [0, 0, 0x80, 0, 255]]
        for cost in costs {
            #expect(throws: WireError.badValue) { try PINBox(decoding: [1] + cost + encoded.dropFirst(6)) }
        }
        #expect(throws: WireError.badValue) { try PINBox(decoding: [2] + encoded.dropFirst()) }
        #expect(throws: WireError.badValue) { try PINBox(decoding: encoded.prefix(86) + [UInt8](repeating: 0, count: 32)) }
    }

    @Test("Parts of the wrong length are refused before anything is sealed")
    func badLengths() throws {
        let run = try scenario.run(pinnedKey: box.pinnedKey)
        let (short, share) = (SecretBytes([1]), scenario.serverShare)
        #expect(throws: BoxError.badLength) { _ = try BoxKey(run.stretched, serverShare: short, evaluation: run.y) }
        #expect(throws: BoxError.badLength) { _ = try BoxKey(run.stretched, serverShare: share, evaluation: short) }
        #expect(throws: BoxError.badLength) {
            try BoxKey(run.stretched, serverShare: share, evaluation: run.y).seal(short, pinnedKey: box.pinnedKey)
        }
        for pinned in [[], Array(box.pinnedKey.dropLast()), box.pinnedKey + [0]] {
            #expect(throws: BoxError.badLength) {
                try BoxKey(run.stretched, serverShare: share, evaluation: run.y).seal(scenario.serverShare, pinnedKey: pinned)
            }
        }
    }
}
