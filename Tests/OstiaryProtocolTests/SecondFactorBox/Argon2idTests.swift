import OstiaryProtocol
import Testing

@Suite("Argon2id")
struct Argon2idTests {
    static let folder = VectorFolder("argon2id")

    @Test("Every scenario of Vectors/argon2id comes out as written, from locked memory and from public bytes", arguments: folder.names)
    func scenario(name: String) throws {
        try Self.folder.check(name) { given in
            let password = try given.bytes("password")
            let salt = try given.bytes("salt")
            let count = Int(try given.number("count"))
            do throws(Argon2idError) {
                let parameters = try Self.parameters(of: given)
                let output = try Argon2id.stretch(password, salt: salt, parameters, count: count)
                let locked = try Argon2id.stretch(try Self.lock(password), salt: salt, parameters, count: count)
                #expect(LockedBytesTests.contents(locked) == output)
                return (.ok, ["output": .hex(output)])
            } catch {
                #expect(error != .outOfMemory)
                return (.malformed, [:])
            }
        }
    }

    @Test("No file was lost")
    func complete() { #expect(Self.folder.names.count == 11) }

    @Test("Lengths that the library would refuse are refused before it runs, from locked memory too")
    func badLengths() throws {
        let pin = try LockedBytes(copying: [0x31])
        let salt = [UInt8](repeating: 0, count: 16)
        #expect(throws: Argon2idError.badLength) { try Argon2id.stretch(pin, salt: salt, .standard, count: 15) }
        #expect(throws: Argon2idError.badLength) { try Argon2id.stretch(pin, salt: salt, .standard, count: 65) }
        #expect(throws: Argon2idError.badLength) { try Argon2id.stretch(pin, salt: salt + [0], .standard, count: 32) }
    }

    static func parameters(of given: Given) throws(Argon2idError) -> Argon2id.Parameters {
        guard let memory = try? given.number("memory"), let passes = try? given.number("passes") else { throw .badLength }
        return try Argon2id.Parameters(memory: UInt32(memory), passes: UInt8(passes))
    }

    static func lock(_ bytes: [UInt8]) throws(Argon2idError) -> LockedBytes {
        do throws(LockedMemoryError) { return try LockedBytes(copying: bytes) } catch { throw .outOfMemory }
    }
}
