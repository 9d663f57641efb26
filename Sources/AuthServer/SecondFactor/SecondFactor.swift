// SecondFactor: this server's way to the one that counts PINs.
//
// Owns: the one server that is pinned by the hash of its root, what was last known of it, whether it can be used, and how often the log says that it cannot;
// what its clock says of ours. Leaves to others: what is asked of it, and what a phone hears (Authentication), what it does (the module SecondFactor).
// Start reading at PinnedSecondFactor.swift, then SecondFactorWatch, SecondFactorProber and HTTPSecondFactorTransport.
