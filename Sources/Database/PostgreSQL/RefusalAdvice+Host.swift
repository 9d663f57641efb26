/// Where nobody was reached who could refuse.
extension PostgreSQLAddress.Host {
    func advice(on refusal: String) -> String? {
        let isOfSocket = refusal.contains("connection to server on socket")
        if refusal.contains("Connection refused") || (isOfSocket && refusal.contains("No such file or directory")) { return adviceOnSilence }
        if isOfSocket, refusal.contains("Permission denied") {
            return "this user of the system may not use that socket: run this as one who may, or let it (unix_socket_permissions and "
                + "unix_socket_group there, and the mode of the folder)"
        }
        if refusal.contains("could not translate host name") {
            return "this machine finds no host of that name (getent hosts \(shellWord(name)) asks as it does): mend the host in the database URL, or "
                + "that by which names are found here (/etc/hosts, /etc/resolv.conf)"
        }
        if refusal.contains("No route to host") || refusal.contains("Network is unreachable") {
            return "this machine has no way there: mend the host in the database URL, or look at the network and at firewalls between"
        }
        if refusal.contains("expected authentication request from server") || refusal.contains("invalid response to SSL negotiation") {
            return "what listens there is no PostgreSQL: mend host and port in the database URL"
        }
        guard refusal.contains("Unix-domain socket path"), refusal.contains("is too long") else { return nil }
        return "have PostgreSQL make its socket in a folder with a shorter path (unix_socket_directories there), and name that in the database URL"
    }

    private var adviceOnSilence: String {
        let rest =
            if name.hasPrefix("/") {
                "is that folder among its unix_socket_directories, and \(port) its port"
            } else { "does it listen on that address (listen_addresses) and port (port)" }
        return "nobody listens there: does PostgreSQL run (pg_isready -h \(shellWord(name)) -p \(port)), and \(rest)? Else mend host and port in the "
            + "database URL"
    }
}
