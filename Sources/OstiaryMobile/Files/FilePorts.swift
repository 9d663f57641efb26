extension Ports {
    /// The platform of a computer without an enclave: keys and accounts are files in `home`. `biometrics` is for tests and demonstrations.
    public static func files(
        in home: String, keyring: (any Keyring)? = nil, transport: any Transport = URLSessionTransport(), clock: any DeviceClock = SystemClock(),
        biometrics: SimulatedBiometrics? = nil
    ) throws(OstiaryError) -> Ports {
        do {
            let accounts = try FileAccountStore(home: home)
            let keys = try FileKeyStore(home: home, keyring: keyring ?? FileKeyring(path: home + "/keyring"), biometrics: biometrics)
            var ports = Ports(keys: keys, accounts: accounts, transport: transport, clock: clock, biometrics: biometrics)
            ports.history = try FileAccountStore.history(home: home)
            ports.tokens = try FileAccountStore.tokens(home: home)
            ports.tokenLock = FileTokenLock(home: home)
            return ports
        } catch let error as AccountStoreError {
            switch error {
            case .unavailable: throw .storeUnavailable
            }
        } catch {
            throw .keyStore
        }
    }
}
