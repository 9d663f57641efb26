import OstiaryProtocol
import Testing

/// A value of ours with its bytes, and the name of the fence that says what they are.
struct FenceCase: CustomTestStringConvertible, Sendable {
    let name: String
    let structure: String
    let value: any Sendable
    let bytes: [UInt8]

    init(_ wire: WireCase) {
        (name, structure, value, bytes) = (wire.name, wire.structure, wire.value, wire.bytes)
    }

    /// The value of an extension, out of those that a message brings.
    init(_ structure: String, _ value: any Sendable, extension type: UInt16, of extensions: Extensions) throws {
        (name, self.structure, self.value) = (structure, structure, value)
        bytes = try #require(extensions.items.first { $0.type == type }).value
    }

    var testDescription: String { name }

    /// Every structure that travels, and what stands in the extensions.
    static let all: [FenceCase] = WireStructTests.cases.map { FenceCase($0) } + ((try? extensions()) ?? [])

    /// What encoding.md calls the contents of the extensions.
    static let extensionTypes: [UInt16: String] = [
        UInt16(DeviceNotice.Subject.enrolled.rawValue): "NewDevices", Extensions.shownNoticesType: "ShownNotices",
        UInt16(DeviceNotice.Subject.pinByBiometric.rawValue): "BiometricPins", Extensions.tokenKeyType: "TokenKey",
    ]

    /// Two of each, where there may be more than one.
    static func extensions() throws -> [FenceCase] {
        let random = FixedRandom(101)
        let ids = (0..<2).map { _ in NoticeID(using: random) }
        let told = try DeviceNotice.Subject.allCases.map { subject in
            let type = UInt16(subject.rawValue)
            let notices = ["Tablet", "Old phone"].map {
                DeviceNotice(subject, id: NoticeID(using: random), device: $0, time: SampleServer.now + UInt64(type))
            }
            return try FenceCase(try #require(extensionTypes[type]), Told(devices: notices), extension: type, of: Extensions(notices: notices))
        }
        let key = try #require(TokenKey(thumbprint: random.bytes(32)))
        let brought = Extensions(shownNotices: ids, tokenKey: key)
        return try told + [
            FenceCase("ShownNotices", Shown(ids: ids.map { Shown.Item(id: $0) }), extension: Extensions.shownNoticesType, of: brought),
            FenceCase("TokenKey", key, extension: Extensions.tokenKeyType, of: brought),
        ]
    }

    private struct Told: Sendable {
        let devices: [DeviceNotice]
    }

    private struct Shown: Sendable {
        let ids: [Item]

        struct Item: Sendable {
            let id: NoticeID
        }
    }
}
