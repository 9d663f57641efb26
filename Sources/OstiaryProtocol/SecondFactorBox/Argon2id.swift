import CSodium

/// Why Argon2id did not run.
package enum Argon2idError: Error, Equatable, Sendable {
    /// Costs below the floor or above the cap of `Argon2id.Parameters`.
    case parametersRefused
    /// A salt other than 16 bytes, or an output of less than 16 or more than 64 bytes.
    case badLength
    /// The system did not give the memory that the parameters ask for, or the library did not start.
    case outOfMemory
}

/// Argon2id version 1.3 with one lane (RFC 9106), which makes each guess of a PIN or of a visual hash expensive (protocol §0.3, §3).
package enum Argon2id {
    package static let saltCount = 16

    /// What one run costs. Stored with the box, so that it can rise with the next PIN.
    package struct Parameters: Hashable, Sendable {
        /// KiB of memory.
        package let memory: UInt32
        /// Passes over that memory (t).
        package let passes: UInt8

        /// 32 MiB, three passes: about 70 ms on one core of a small server.
        package static let standard = Parameters(unchecked: 32 * 1024, passes: 3)

        /// Nothing cheaper than the standard is ever run, so a changed store cannot weaken a PIN; nothing dearer than 1 GiB and
        /// 64 passes, so it cannot stop a phone either.
        package init(memory: UInt32, passes: UInt8) throws(Argon2idError) {
            guard (32 * 1024...1024 * 1024).contains(memory), (3...64).contains(passes) else { throw .parametersRefused }
            self.init(unchecked: memory, passes: passes)
        }

        private init(unchecked memory: UInt32, passes: UInt8) {
            self.memory = memory
            self.passes = passes
        }
    }

    /// A secret stretched inside locked memory.
    package static func stretch(
        _ password: LockedBytes, salt: [UInt8], _ parameters: Parameters, count: Int
    ) throws(Argon2idError) -> LockedBytes {
        let output: LockedBytes
        do throws(LockedMemoryError) { output = try LockedBytes(capacity: count) } catch { throw .outOfMemory }
        try output.fill { (result) throws(Argon2idError) in
            try password.withUnsafeBytes { (secret) throws(Argon2idError) in
                try run(secret, salt: salt, parameters, into: result)
            }
        }
        return output
    }

    /// Public bytes made expensive to search for (the visual hash).
    package static func stretch(
        _ bytes: [UInt8], salt: [UInt8], _ parameters: Parameters, count: Int
    ) throws(Argon2idError) -> [UInt8] {
        guard (16...64).contains(count) else { throw .badLength }
        var output = [UInt8](repeating: 0, count: count)
        try output.withUnsafeMutableBufferPointer { (result) throws(Argon2idError) in
            try bytes.withUnsafeBufferPointer { (input) throws(Argon2idError) in
                try run(UnsafeRawBufferPointer(input), salt: salt, parameters, into: UnsafeMutableRawBufferPointer(result))
            }
        }
        return output
    }

    private static func run(
        _ password: UnsafeRawBufferPointer, salt: [UInt8], _ parameters: Parameters, into output: UnsafeMutableRawBufferPointer
    ) throws(Argon2idError) {
        guard Sodium.isReady else { throw .outOfMemory }
        guard salt.count == saltCount, (16...64).contains(output.count) else { throw .badLength }
        let result = output.assumingMemoryBound(to: UInt8.self).baseAddress
        let secret = password.assumingMemoryBound(to: CChar.self).baseAddress
        guard let result, let secret else { throw .badLength }
        let code = crypto_pwhash(
            result, UInt64(output.count), secret, UInt64(password.count), salt, UInt64(parameters.passes), Int(parameters.memory) * 1024,
            crypto_pwhash_ALG_ARGON2ID13)
        guard code == 0 else { throw .outOfMemory }
    }
}
