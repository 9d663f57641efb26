import Foundation
import OstiaryProtocol
import Testing

@testable import OstiaryMobile

@Suite("The simulated sensor and the file key store")
struct SimulatedBiometricsTests {
    private func home() throws -> String {
        let path = NSTemporaryDirectory() + "ostiary-sensor-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
    }

    private func store(_ home: String, _ sensor: SimulatedBiometrics?) throws -> FileKeyStore {
        try FileKeyStore(home: home, keyring: EnvironmentKeyring(value: String(repeating: "ab", count: 32)), biometrics: sensor)
    }

    @Test("A key made by one process signs in another, as long as the features stay; a new finger and a lost one kill it")
    func acrossProcesses() async throws {
        let home = try home()
        let publicKey = try DevicePublicKey(try store(home, SimulatedBiometrics(home: home)).makeBiometricKey(named: "b"))
        let sensor = SimulatedBiometrics(home: home)
        let keys = try store(home, sensor)
        let signature = try await keys.sign(signatureInput(.bio, [1, 2]), withBiometricKeyNamed: "b", asking: BiometricInfo(reason: "test"))
        try publicKey.verify(signature, .bio, [1, 2])
        let before = sensor.features
        for features in [before.union(["left thumb"]), ["left thumb"]] {
            SimulatedBiometrics(home: home).features = features
            await #expect(throws: BiometricError.changed) { try await keys.sign([1], withBiometricKeyNamed: "b", asking: .simulated(.confirm)) }
        }
        try FileManager.default.removeItem(atPath: home)
    }

    @Test("Prompts are answered as scripted, and a store without a sensor has no biometric keys")
    func answers() async throws {
        let home = try home()
        let sensor = SimulatedBiometrics(home: home, answer: .cancel)
        let keys = try store(home, sensor)
        _ = try keys.makeBiometricKey(named: "b")
        await #expect(throws: BiometricError.cancelled) {
            try await keys.sign([1], withBiometricKeyNamed: "b", asking: BiometricInfo(reason: "test"))
        }
        await #expect(throws: BiometricError.notConfirmed) { try await keys.sign([1], withBiometricKeyNamed: "b", asking: .simulated(.fail)) }
        #expect(sensor.prompts == 2)
        sensor.sensor = .weak
        #expect(sensor.availability == .tooWeak)
        #expect(throws: BiometricError.unavailable) { try keys.makeBiometricKey(named: "c") }
        await #expect(throws: BiometricError.unavailable) { try await keys.sign([1], withBiometricKeyNamed: "b", asking: .simulated(.confirm)) }
        #expect(throws: BiometricError.unavailable) { try store(home, nil).makeBiometricKey(named: "c") }
        await #expect(throws: BiometricError.unavailable) {
            try await store(home, nil).sign([1], withBiometricKeyNamed: "b", asking: .simulated(.confirm))
        }
        try keys.delete(named: "b")
        sensor.sensor = .strong
        await #expect(throws: BiometricError.unavailable) { try await keys.sign([1], withBiometricKeyNamed: "b", asking: .simulated(.confirm)) }
        try FileManager.default.removeItem(atPath: home)
    }

    @Test("A biometric key's file is neither a device key nor a secret")
    func kinds() throws {
        let home = try home()
        let keys = try store(home, SimulatedBiometrics(home: home))
        _ = try keys.makeBiometricKey(named: "b")
        #expect(throws: KeyStoreError.unreadable) { try keys.secret(named: "b") }
        #expect(throws: KeyStoreError.unreadable) { try keys.sign([1], withKeyNamed: "b") }
        try FileManager.default.removeItem(atPath: home)
    }
}
