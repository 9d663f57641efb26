import OstiaryProtocol
import Testing

@Suite("Box vectors")
struct BoxVectorTests {
    static let folder = VectorFolder("box")

    @Test("Every scenario of Vectors/box comes out as written", arguments: folder.names)
    func scenario(name: String) throws {
        try Self.folder.check(name) { given in
            let scenario = try BoxScenario(given)
            return try given.text("operation") == "seal" ? Self.seal(scenario, given) : Self.open(scenario, given)
        }
    }

    @Test("No file was lost")
    func complete() { #expect(Self.folder.names.count == 16) }

    static func seal(_ scenario: BoxScenario, _ given: Given) throws -> VectorFolder.Outcome {
        let run = try scenario.run(pinnedKey: scenario.serverKey.publicKey)
        let box = try scenario.seal(try given.secret("master"))
        return (
            .ok,
            [
                "stretched": .hex(LockedBytesTests.contents(run.stretched.bytes)), "blindedElement": .hex(run.blinded),
                "evaluation": .hex(run.evaluation), "y": .hex(run.y.exposed), "pinnedKey": .hex(box.pinnedKey),
                "commitment": .hex(box.commitment), "sealed": .hex(box.sealed), "box": .hex(box.encoded),
            ]
        )
    }

    static func open(_ scenario: BoxScenario, _ given: Given) throws -> VectorFolder.Outcome {
        guard let box = try? PINBox(decoding: try given.bytes("box")) else { return (.malformed, [:]) }
        do {
            return (.ok, ["master": .hex(try scenario.with { $0.parameters = box.parameters }.open(box).exposed)])
        } catch PINBlindingError.serverIdentity {
            return (.identity, [:])
        } catch BoxError.wrongPIN {
            return (.wrongPIN, [:])
        } catch BoxError.corrupted {
            return (.corrupted, [:])
        }
    }
}
