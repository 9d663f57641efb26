extension Duration {
    /// How long a readiness check of a node may take in tests: an hour, since a busy machine is no fault. The product's own limit is three seconds.
    package static let patientReadiness: Duration = .seconds(3_600)
}
