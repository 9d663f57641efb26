import Authentication
import HTTPService
import OstiaryProtocol

/// What a page shows, from what the domain knows of its nonce.
struct PageView: Sendable {
    let domain: AuthenticationServices
    let pages: PageService
    let visualHashes: VisualHashes
    let publicURL: PublicURL

    func root(of server: ServerID) async throws -> Root { try await visualHashes.root(of: server) }

    /// Begins what the page is for, unless it has begun. Answers the bytes of an enrolment's link, which nobody can make again.
    /// - Parameter isNewest: whether the page was opened just now.
    func begin(_ open: OpenPage, isNewest: Bool, at now: Instant) async throws -> [UInt8]? {
        let (page, nonce) = (open.page, open.nonce)
        switch page.kind {
        case .login:
            guard let returnURL = page.returnURL else { throw PageRefusal.noPage }
            let sessionPage = SessionPage(cookieHash: open.cookie.hash, returnURL: returnURL.absolute(at: publicURL))
            do {
                try await domain.sessions.begin(
                    sessionPage, as: isNewest ? .opened : renewal(of: open, at: now), for: nonce, at: page.serverID, asking: page.request, now: now)
            } catch LoginLinkError.loggedIn, LoginLinkError.claimed {
                // The page will say so.
            }
            return nil
        case .enrol:
            let start =
                if let account = page.request.account {
                    EnrolmentStart(upgrading: account, nonce: nonce, page: open.cookie.hash, isNewest: isNewest)
                } else {
                    EnrolmentStart(nonce: nonce, displayName: page.name, userID: page.userID, page: open.cookie.hash, isNewest: isNewest)
                }
            do {
                return try await domain.enrolments.start(
                    start, at: page.serverID, origin: publicURL.description, by: .page, now: now
                ).code
            } catch EnrolmentStartError.confirming {
                // The page will ask for the code.
                return nil
            }
        }
    }

    /// Keeps the link of an enrolment that the page has begun, unless a newer one has.
    func keep(_ link: [UInt8], for open: OpenPage, at now: Instant) async throws {
        let own = OpenPage.enrolmentID(of: link)
        try await pages.keep(link, for: open, at: now) {
            try await domain.enrolments.newest(of: open.nonce, at: open.page.serverID, now: now)?.id == own
        }
    }

    private func renewal(of open: OpenPage, at now: Instant) async throws -> PageBeginning {
        try await pages.renewal(of: open, beside: try await domain.sessions.progress(of: open.nonce, at: open.page.serverID, now: now))
    }

    /// - Parameter style: how a login's code is shown.
    func snapshot(of open: OpenPage, style: LinkStyle, at now: Instant) async throws -> PageSnapshot {
        switch open.page.kind {
        case .login: try await login(open, style: style, at: now)
        case .enrol: try await enrolment(open, at: now)
        }
    }

    private func login(_ open: OpenPage, style: LinkStyle, at now: Instant) async throws -> PageSnapshot {
        let session = try await domain.sessions.progress(of: open.nonce, at: open.page.serverID, now: now)
        guard !open.isOver(beside: session) else { return try await blank(open.page, state: .over) }
        guard let session, open.owns(session) else { return try await foreign(session, on: open) }
        var snapshot = try await blank(open.page, state: Self.state(of: session), beside: session)
        switch session.state {
        case .open:
            snapshot.name = open.page.name.isEmpty ? nil : open.page.name
            snapshot.beside = session.report.map { PageSnapshot.State($0.state) }
            snapshot.code = try await code(of: session, style, at: now)
            snapshot.link = Link.text(of: try await domain.sessions.link(to: session, .returning, at: now).bytes, at: publicURL.description)
        case .returning:
            guard let code = try await domain.sessions.returnCode(of: session, for: open.cookie.hash), let address = open.page.returnURL else {
                break
            }
            snapshot.state = .returning
            snapshot.returnURL = address.adding(code)
        case .expired: snapshot.renews = true
        case .claimed, .loggedIn, .denied, .stopped: break
        }
        return snapshot
    }

    private func code(of session: Session, _ style: LinkStyle, at now: Instant) async throws -> PageCode {
        switch style {
        case .moving: PageCode(try await domain.sessions.frames(of: session, at: now))
        case .still, .tapped, .returning: PageCode(bytes: try await domain.sessions.link(to: session, style, at: now).bytes)
        }
    }

    private static func state(of session: Session) -> PageSnapshot.State {
        switch session.state {
        case .open: .waiting
        case .claimed: session.report.map { PageSnapshot.State($0.state) } ?? .scanned
        case .returning: .inApp
        case .loggedIn: .loggedIn
        case .denied(let denial): denial.notMe ? .notMe : .denied
        case .stopped(let login, _, _): login.returned == nil ? .notReturned : .loggedOut
        case .expired: .expired
        }
    }

    /// The page beside the session of another page, or of none. A newer one may take the login over.
    private func foreign(_ session: Session?, on open: OpenPage) async throws -> PageSnapshot {
        var snapshot = try await blank(open.page, state: Self.state(ofForeign: session))
        snapshot.renews = session == nil
        guard let session, snapshot.state == .otherPage else { return snapshot }
        do {
            try await pages.renewal(of: open, beside: session).check(session, for: open.cookie.hash)
            snapshot.mayTakeOver = true
        } catch is LoginLinkError {
            // The page that has it goes on.
        }
        return snapshot
    }

    /// What a page shows while its nonce has the session of another page, or of none.
    private static func state(ofForeign session: Session?) -> PageSnapshot.State {
        switch session?.state {
        case .open, .claimed, .returning: .otherPage
        case .loggedIn: .loggedIn
        case .denied, .expired, .stopped, nil: .expired
        }
    }

    private func enrolment(_ open: OpenPage, at now: Instant) async throws -> PageSnapshot {
        // Also where it has added its phone: that the person is logged in is not true any more.
        guard !open.isLoggedOut else { return try await blank(open.page, state: .over) }
        let enrolment = try await domain.enrolments.newest(of: open.nonce, at: open.page.serverID, now: now)
        if let enrolment, !open.owns(enrolment) { return try await blank(open.page, state: Self.state(ofForeign: enrolment)) }
        let progress = enrolment?.progress
        let link = open.enrolmentID == enrolment?.id ? open.link : nil
        var snapshot = try await blank(open.page, state: Self.state(of: progress, hasLink: link != nil))
        snapshot.name = enrolment?.displayName ?? open.page.name
        switch progress {
        case .waitingForPhone:
            guard let link else { break }
            snapshot.code = PageCode(bytes: link)
            snapshot.link = Link.text(of: link, at: publicURL.description)
        case .phoneScanned(let device):
            let hash = try await visualHashes.hash(of: open.page.serverID)
            snapshot.device = device
            snapshot.words = hash.words
            snapshot.picture = TilePicture(hash.picture)
        case .waitingForCode(let device, let triesLeft):
            snapshot.device = device
            snapshot.triesLeft = triesLeft
        case .failed(.expired), nil: snapshot.renews = true
        case .givenBack, .activated, .headlessAdded, .failed: break
        }
        return snapshot
    }

    /// A link that cannot be shown any more is as good as one that is too old.
    private static func state(of progress: EnrolmentProgress?, hasLink: Bool) -> PageSnapshot.State {
        switch progress {
        case .waitingForPhone: hasLink ? .waiting : .expired
        case .givenBack(.notMe): .notMe
        case .givenBack(.gaveUp): .gaveUp
        case .givenBack(.decline), .givenBack(.accept): .declined
        case .phoneScanned: .scanned
        case .waitingForCode: .code
        case .activated, .headlessAdded: .done
        case .failed(.wrongCodes): .failed
        case .failed(.loggedOut), .failed(.blocked): .over
        case .failed(.expired), .failed(.deleted), nil: .expired
        }
    }

    /// What a page shows while its nonce has the enrolment of another page, or one that the backend draws itself.
    private static func state(ofForeign enrolment: Enrolment) -> PageSnapshot.State {
        switch enrolment.state {
        case .open, .claimed, .confirming: .otherPage
        case .active: .done
        case .failed(.loggedOut, _), .failed(.blocked, _): .over
        case .failed: .expired
        }
    }

    /// - Parameter session: its own.
    private func blank(_ page: Page, state: PageSnapshot.State, beside session: Session? = nil) async throws -> PageSnapshot {
        let parameters = try await domain.servers.virtualServer(page.serverID).parameters
        var snapshot = PageSnapshot(kind: page.kind, state: state, server: parameters.name)
        snapshot.logo = parameters.logo.map { "/ap1/logo/\(Base64URL.encode($0.hash))" }
        snapshot.color = parameters.color
        snapshot.colorDark = parameters.colorDark
        snapshot.returnURL = page.returnURL?.text
        snapshot.cancelURL = page.cancelURL?.text
        snapshot.app = AppPlaces(parameters)
        snapshot.stillAge = parameters.staticQRAge
        if parameters.offlineCodes != nil { snapshot.triesLeft = session?.codesLeft }
        return snapshot
    }
}
