import OstiaryProtocol

/// What a structure of ours holds, by the names of its properties, to be held against what a fence finds in its bytes. Of a list also what its first
/// item holds.
struct SampleFields {
    private var all: [String: FieldValue] = [:]

    init(_ value: any Sendable) {
        for child in Mirror(reflecting: value).children { add(child.value, at: child.label ?? "") }
    }

    /// The value of a field of a fence; nil when no property is called so.
    subscript(_ path: String) -> FieldValue? {
        let candidates = path.split(separator: ".").reduce([""]) { before, part in
            before.flatMap { start in Self.properties(of: String(part)).map { start.isEmpty ? $0 : "\(start).\($0)" } }
        }
        return candidates.lazy.compactMap { all[$0.lowercased()] }.first
    }

    /// Properties that the specification gives other names.
    private static let names: [String: [String]] = [
        "opid": ["id"], "pk": ["publicKey"], "prekeyid": ["prekeyID"], "srvtag": ["serverTag"], "minsuite": ["minimumSuite"], "seq": ["sequence"],
        "sfsroothash": ["secondFactorRootHash"], "sfs": ["secondFactor"], "root": ["chain.root"], "opcert": ["chain.certificates", "certificates"],
        "prekey": ["prekeys"], "sig": ["signature"], "rootsig": ["signature"], "sid": ["sessionID"], "t": ["frame"], "bind": ["binding"],
        "devpk": ["deviceKey"], "devsig": ["deviceSignature"], "nsaccounts": ["serverAccounts"], "attest": ["attestation"],
        "fewest": ["fewestDigits"], "most": ["mostDigits"], "srvshare": ["serverShare"], "sfsprekey": ["secondFactorPrekey"],
        "sfid": ["instanceID"], "pksf": ["secondFactorKey"], "sfsig": ["secondFactorSignature"], "biosig": ["biometricSignature"],
        "otpref": ["otpReference"], "rp": ["relyingParty"], "txn": ["transaction"], "kind": ["purpose"], "ipcity": ["city"],
        "neednumber": ["needsNumber"], "sn": ["serverNonce"], "sesshash": ["sessionHash"], "hb": ["blindedHash"], "hsealed": ["sealedHash"],
        "heph": ["ephemeralHash"], "ts": ["madeAt"], "iat": ["issuedAt"], "h": ["highest"], "sealedm2": ["sealed"], "eval": ["evaluation"],
        "pkk": ["evaluationKey", "pinnedKey"], "hsig": ["signaturesHash"], "chain": ["caller"], "ext": ["extensions"], "failed": ["tries.failed"],
        "max": ["tries.most"], "wait": ["tries.wait"], "withoutpinleft": ["tries.withoutPINLeft"], "reqhash": ["requestHash"],
        "l2hash": ["shownHash"], "jkt": ["thumbprint"], "account": ["accountMark"],
        "memory": ["parameters.memory"], "passes": ["parameters.passes"], "commit": ["commitment"], "box": ["sealed"],
    ]

    private static func properties(of name: String) -> [String] { (names[name.lowercased()] ?? []) + [name] }

    private mutating func add(_ value: Any, at path: String) {
        let mirror = Mirror(reflecting: value)
        if mirror.displayStyle == .optional {
            if let some = mirror.children.first { add(some.value, at: path) } else { all[path.lowercased()] = .bytes([]) }
            return
        }
        if let number = Self.number(value) {
            all[path.lowercased()] = .number(number)
            return
        }
        all[path.lowercased()] = .bytes(Self.content(of: value))
        let whole = mirror.displayStyle == .collection ? mirror.children.first.map { Mirror(reflecting: $0.value) } : mirror
        guard !(value is [UInt8]), let whole, whole.displayStyle == .struct else { return }
        for child in whole.children { add(child.value, at: "\(path).\(child.label ?? "")") }
    }

    private static func number(_ value: Any) -> UInt64? {
        switch value {
        case let number as any FixedWidthInteger & UnsignedInteger: UInt64(number)
        case let flag as Bool: flag ? 1 : 0
        case let instant as Instant: instant.seconds
        case let choice as any RawRepresentable: (choice.rawValue as? any FixedWidthInteger & UnsignedInteger).map { UInt64($0) }
        default: nil
        }
    }

    /// The bytes of a value without the lengths in front of it and of its parts.
    private static func content(of value: Any) -> [UInt8] {
        switch value {
        case let bytes as [UInt8]: return bytes
        case let text as String: return Array(text.utf8)
        case let part as any WireStruct: return part.encoded
        case let extensions as Extensions: return content(of: extensions)
        case let instant as Instant: return instant.seconds.bigEndianBytes
        default: break
        }
        let children = Mirror(reflecting: value).children
        // What came as bytes, an identifier for one, stands for itself.
        if let bytes = children.first(where: { $0.label == "bytes" })?.value as? [UInt8] { return bytes }
        return children.flatMap { content(of: $0.value) }
    }

    private static func content(of extensions: Extensions) -> [UInt8] {
        var writer = ByteWriter()
        for item in extensions.items {
            writer.u16(item.type)
            writer.v16(item.value)
        }
        return writer.bytes
    }
}
