/// What an operator does about a connection that was refused. PostgreSQL and libpq say what it is, and know neither our URL nor what a database of ours is.
///
/// It goes by their English sentences; in another language of `lc_messages` those stand alone.
extension PostgreSQLAddress {
    /// - Parameter refusal: what was said at a host.
    /// - Returns: without a secret; nil where no more is known than what was said.
    func advice(on refusal: String, by host: Host) -> String? {
        adviceOnFiles(refusal) ?? adviceOnTLS(refusal) ?? adviceOnEntry(refusal) ?? adviceOnRight(refusal) ?? adviceOnLimit(refusal)
            ?? host.advice(on: refusal)
    }

    /// Of the files that the URL names the first that this process cannot read. libpq says of one in a closed folder that it does not exist.
    private func adviceOnFiles(_ refusal: String) -> String? {
        let isCertificate = refusal.contains("certificate") || refusal.contains("private key file")
        let files = refusal.contains("password file") ? [passwordFile] : isCertificate ? [rootCertificates, certificate, key] : []
        return files.lazy.compactMap { $0.flatMap(readingAdvice(of:)) }.first
    }

    /// libpq's own is to change `sslmode`, which is refused here.
    private func adviceOnTLS(_ refusal: String) -> String? {
        if refusal.contains("root certificate file") || refusal.contains("certificate verify failed") {
            return "sslrootcert in the database URL names a file of the certificates by which PostgreSQL is known, its own (ssl_cert_file there) or "
                + "that of the authority that made it: put the right one there; sslmode stays verify-full"
        }
        if refusal.contains("does not match host name") {
            return "name the host in the database URL as its certificate does, or give it a certificate of that name (ssl_cert_file there); "
                + "sslmode stays verify-full"
        }
        if refusal.contains("server does not support SSL") {
            return "PostgreSQL has no certificate there: give it one (ssl, ssl_cert_file, ssl_key_file); sslmode stays verify-full"
        }
        let ofOurs = ["private key file", "certificate file", "client certificate", "certificate authentication failed", "alert unknown ca"]
        guard ofOurs.contains(where: { refusal.contains($0) }) else { return nil }
        return "sslcert and sslkey in the database URL name the files of the certificate that this program shows, of an authority that PostgreSQL "
            + "knows (ssl_ca_file there) and with the name of the role, and of its key, which others cannot read: put the right ones there"
    }

    /// Of whoever asks to be let in, and into what.
    private func adviceOnEntry(_ refusal: String) -> String? {
        let isMissing = refusal.contains("\" does not exist")
        if isMissing, refusal.contains("database \"") { return adviceOnDatabase }
        if isMissing, refusal.contains("role \"") { return adviceOnRole }
        if refusal.contains("password authentication failed") || refusal.contains("no password supplied") { return adviceOnPassword }
        if refusal.contains("Peer authentication failed") {
            return "PostgreSQL lets in here whom the system knows by the name of the role (peer in its pg_hba.conf): run this as that user of the "
                + "system, mend the user in the database URL, or have it ask for a password (scram-sha-256 there) and name a file with it in the URL "
                + "(password_file=PATH)"
        }
        guard refusal.contains("pg_hba.conf") else { return nil }
        let tls = refusal.contains("no encryption") ? "; where that asks for TLS, add sslmode=verify-full&sslrootcert=PATH to the URL" : ""
        return "add a line for this user, database and host to pg_hba.conf there and run SELECT pg_reload_conf(), or mend them in the database URL"
            + tls
    }

    private var adviceOnDatabase: String {
        let owner = user.map(shellWord) ?? "ROLE"
        return "the database URL names it: make it, empty and the role's own (createdb --owner=\(owner) --template=template0 --encoding=UTF8 "
            + "--locale=C \(shellWord(database)), as a superuser of PostgreSQL), or mend the name in the URL; one on which a server ran is restored, "
            + "not made anew"
    }

    private var adviceOnRole: String {
        guard let user else {
            return "the database URL names no user, and the name of the system's user was taken: name one in it (USER@ before the host, or user=USER "
                + "behind host=FOLDER), or run this as another user of the system"
        }
        return "the database URL names it: make it (createuser \(shellWord(user)), as a superuser of PostgreSQL) and have it own the database, or "
            + "mend the user in the URL"
    }

    private var adviceOnPassword: String {
        guard let passwordFile else {
            return "the database URL names no file with a password: write it into one that others cannot read, and add password_file=PATH to the URL"
        }
        return "put the password of the role into \(passwordFile), which the database URL names (password_file), or give the role that one (ALTER "
            + "ROLE … PASSWORD, VALID UNTIL); PostgreSQL says the same of a role that is not there: look at the user in the URL, too"
    }
}

extension PostgreSQLLink.Loss {
    /// With what to do about it, where that is known: for a start or a command, which ends with it. Who runs on has the table in docs/operations.md.
    var told: String {
        let deeds = [remedy, advice].compactMap { $0 }
        return deeds.isEmpty ? reason : "\(reason): \(deeds.joined(separator: "; "))"
    }
}
