import OstiaryMobile

/// A one-time code on the page, until another takes its place.
struct ShownOneTimeCode: Sendable {
    let session: Session
    let account: Account
    let code: OneTimeCode
    let until: ContinuousClock.Instant
}

extension PagePhone {
    /// The offer that the page shows: of a login whose server was not heard. While it is only being asked there is nothing to choose.
    var offer: PhoneScreen.Offer? {
        guard let offer = screen.offer, let session = ostiary.session(offer.session.id), session.otpAvailable,
            session.connectionError || session.isOver, oneTimeCode?.session.id != session.id
        else { return nil }
        return offer
    }

    /// The person wants the code now: the login on this phone is over with it.
    func makeCode(_ session: String, _ account: String) throws(PhonePageRefusal) {
        guard let offer, offer.session.pageID == session else { throw .unknown("session") }
        guard let chosen = offer.accounts.first(where: { $0.id.rawValue == account }) else { throw .unknown("account") }
        do throws(OstiaryError) { show(try ostiary.oneTimeCode(for: offer.session, and: chosen), offer.session, chosen) } catch {
            take(.error(error, session: nil))
        }
    }

    private func show(_ code: OneTimeCode, _ session: Session, _ account: Account) {
        oneTimeCode = ShownOneTimeCode(session: session, account: account, code: code, until: now() + .seconds(code.changesIn))
        renewal?.cancel()
        renewal = Task { [weak self] in
            do { try await Task.sleep(for: .seconds(code.changesIn)) } catch { return }
            await self?.renew()
        }
        changes.note()
    }

    /// Another takes its place; after five minutes none does.
    private func renew() {
        guard let shown = oneTimeCode else { return }
        do throws(OstiaryError) { show(try ostiary.oneTimeCode(for: shown.session, and: shown.account), shown.session, shown.account) } catch {
            putAwayCode()
        }
    }

    func putAwayCode() {
        renewal?.cancel()
        oneTimeCode = nil
        changes.note()
    }
}
