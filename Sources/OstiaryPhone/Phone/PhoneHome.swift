import Foundation
import OstiaryMobile
import OstiaryProgram

/// The SDK over the files of one home. Several phones may share a home: the files are locked, not the home.
enum PhoneHome {
    /// Environment variable with the key that seals the home's keys: 64 hexadecimal digits. Without it a file in the home holds one.
    static let keyringVariable = "OSTIARY_PHONE_KEYRING"

    /// - Parameters:
    ///   - isWatching: whether a stop is to be heard of at once.
    ///   - bindsTokens: whether an AppLogin names a key for tokens.
    ///   - offlineAfter: after how many calls the network is lost; nil for never.
    /// - Throws: `OstiaryError` when the home cannot be used.
    static func open(
        _ options: PhoneOptions, isWatching: Bool = false, biometrics: BiometricOptions? = nil, bindsTokens: Bool = false, offlineAfter: Int? = nil
    ) throws -> Ostiary {
        try open(
            at: options.homeURL.path, isWatching: isWatching, biometrics: biometrics?.sensor(of: options.homeURL), bindsTokens: bindsTokens,
            offlineAfter: offlineAfter)
    }

    /// - Parameters:
    ///   - name: what the page of an enrolment and older devices call this phone, before the machine's name.
    ///   - beginsWaitingLogins: whether what waits is asked about at once; a command is about what it was given.
    static func open(
        at path: String, isWatching: Bool, biometrics: SimulatedBiometrics? = nil, name: String = "terminal", beginsWaitingLogins: Bool = false,
        bindsTokens: Bool = false, offlineAfter: Int? = nil
    ) throws(OstiaryError) -> Ostiary {
        var ports = try Self.ports(at: path, biometrics: biometrics, offlineAfter: offlineAfter)
        ports.remembersAllSessions = true
        ports.beginsWaitingLogins = beginsWaitingLogins
        var configuration = Ostiary.Configuration()
        configuration.appInfo = "ostiary phone \(programVersion)"
        configuration.deviceName = deviceName(name)
        configuration.connectionPatience = .seconds(5)
        configuration.watchesSessions = isWatching
        configuration.bindsTokens = bindsTokens
        configuration.automaticallySelectSingleAccountWhenSecondFactorNeeded = false
        return Ostiary(configuration: configuration, ports: ports)
    }

    /// What the SDK stands on in a home.
    static func ports(_ options: PhoneOptions) throws(OstiaryError) -> Ports { try ports(at: options.homeURL.path) }

    private static func ports(
        at path: String, biometrics: SimulatedBiometrics? = nil, offlineAfter: Int? = nil
    ) throws(OstiaryError) -> Ports {
        let keyring = ProcessInfo.processInfo.environment[keyringVariable].map { EnvironmentKeyring(value: $0) }
        let network: any Transport = HTTPTransport()
        let transport: any Transport = if let offlineAfter { LosableNetwork(network, lostAfter: offlineAfter) } else { network }
        return try Ports.files(in: path, keyring: keyring, transport: transport, biometrics: biometrics)
    }

    /// The accounts of a home.
    static func accounts(of ostiary: Ostiary) throws(OstiaryError) -> [Account] {
        guard let accounts = ostiary.accounts else { throw .storeUnreadable }
        return accounts
    }

    /// What the page of an enrolment and older devices call this phone.
    private static func deviceName(_ name: String) -> String {
        var machine = [CChar](repeating: 0, count: 256)
        // Foundation would ask the name service, and wait for it.
        guard gethostname(&machine, machine.count - 1) == 0 else { return name }
        let bytes = machine.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return String("\(name) on \(String(decoding: bytes, as: UTF8.self))".prefix(100))
    }
}
