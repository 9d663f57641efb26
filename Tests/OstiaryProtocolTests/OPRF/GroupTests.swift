import OstiaryProtocol
import Testing

@Suite("ristretto255")
struct GroupTests {
    /// The generator and its double (RFC 9496 appendix A.1).
    static let generator = Hex.decode("e2f2ae0a6abc4e71a884a961c500515f58e30b6aa582dd8db6a65945e08d2d76") ?? []
    static let twice = Hex.decode("6a493210f7499cd17fecb510ae0cea23a110e8d5b901f8acadd3095c73a3b919") ?? []

    static func scalar(_ value: UInt8) throws -> GroupScalar { try GroupScalar([value] + [UInt8](repeating: 0, count: 31)) }

    @Test("Small multiples of the generator are those of RFC 9496")
    func smallMultiples() throws {
        let one = try GroupElement.generator(times: try Self.scalar(1))
        #expect(one.bytes == Self.generator)
        #expect(try one.adding(one).bytes == Self.twice)
        #expect(try one.multiplied(by: try Self.scalar(2)).bytes == Self.twice)
        #expect(try GroupElement(Self.twice).subtracting(one) == one)
    }

    @Test("A result that is the identity is an error, whichever operation yields it")
    func identityResults() throws {
        let element = try GroupElement(Self.generator)
        let zero = try Self.scalar(0)
        #expect(throws: GroupError.identity) { try element.multiplied(by: zero) }
        #expect(throws: GroupError.identity) { try GroupElement.generator(times: zero) }
        #expect(throws: GroupError.identity) { try element.subtracting(element) }
    }

    @Test("Zero has no inverse; every other scalar times its inverse is one")
    func inverses() throws {
        let one = try Self.scalar(1)
        #expect(throws: GroupError.zeroScalar) { try Self.scalar(0).inverted() }
        for _ in 0..<8 {
            let scalar = try GroupScalar.random()
            let product = scalar.multiplied(by: try scalar.inverted())
            #expect(product.matches(one))
        }
    }

    @Test("Subtracting stays below the order")
    func subtraction() throws {
        let (one, two, three) = (try Self.scalar(1), try Self.scalar(2), try Self.scalar(3))
        let minusOne = two.subtracting(three)
        #expect(three.subtracting(two).matches(one))
        #expect(minusOne.multiplied(by: minusOne).matches(one))
        #expect(try GroupScalar(minusOne.bytes).matches(minusOne))
    }

    @Test("Any flipped bit of an element gives another element or an error, never the same")
    func flippedBits() throws {
        let element = try GroupElement(Self.generator)
        for bit in 0..<256 {
            var bytes = Self.generator
            bytes[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect((try? GroupElement(bytes)) != element)
        }
    }

    @Test("A scalar shows itself in no text")
    func scalarIsSecret() throws {
        let scalar = try Self.scalar(9)
        #expect("\(scalar) \(String(reflecting: scalar))" == "‹secret› ‹secret›")
        #expect(Mirror(reflecting: scalar).children.isEmpty)
    }
}
