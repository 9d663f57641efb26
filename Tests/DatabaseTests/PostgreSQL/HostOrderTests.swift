import OstiaryTesting
import Testing

@testable import Database

@Suite("PostgreSQL: which host is asked first")
struct HostOrderTests {
    @Test("The one that answered last, then the others as the URL has them; one that went silent is asked last")
    func order() {
        let order = HostOrder(count: 3)
        #expect(order.places == [0, 1, 2])
        order.note(answered: 2)
        #expect(order.places == [2, 0, 1])
        // That another is silent says nothing of this one.
        order.note(silent: 0)
        #expect(order.places == [2, 1, 0])
        order.note(silent: 2)
        #expect(order.places == [0, 1, 2])
        // An old primary, the second of them a standby: the third, which was promoted, comes before it.
        order.note(silent: 0)
        #expect(order.places == [1, 2, 0])
        order.note(answered: 2)
        #expect(order.places == [2, 1, 0])
        order.note(answered: 0)
        #expect(order.places == [0, 1, 2])
        let only = HostOrder(count: 1)
        only.note(silent: 0)
        #expect(only.places == [0])
        #expect(HostOrder(count: 0).places.isEmpty)
    }

    @Test("Several share the time that there is, and the last has all that is left")
    func shares() {
        let hour = Deadline(milliseconds: 3_600_000)
        #expect((1_700_000...1_800_001).contains(hour.share(of: 2).left))
        #expect(hour.share(of: 1) == hour)
        #expect(hour.before(.never) == hour && Deadline.never.before(hour) == hour)
        #expect(Deadline.never.left == -1 && !Deadline.never.isOver && Deadline.never.share(of: 2) == .never)
        let over = Deadline(milliseconds: 0)
        #expect(over.isOver && hour.before(over) == over && over.before(hour) == over && over.share(of: 2).isOver)
    }

    @Test("A host is silent where the time of making a connection ran out, and not where whoever asked had less", .timeLimit(.minutes(5)))
    func shortTime() async throws {
        let silent = try SilentSocket()
        for (connecting, asking) in [(60_000, 50), (50, 60_000)] {
            var settings = PostgreSQLSettings.forTests
            settings.connectTimeout = connecting
            let hosts = [PostgreSQLAddress.Host(silent.socketFolder), .init(silent.socketFolder)]
            let address = PostgreSQLAddress(hosts: hosts, database: "none", user: "ostiary")
            let connector = PostgreSQLConnector(address: address, settings: settings)
            let loss = await onOwnThread { () -> PostgreSQLLink.Loss? in
                do throws(PostgreSQLLink.Loss) { _ = try connector.connect(by: Deadline(milliseconds: asking)) } catch { return error }
                return nil
            }
            #expect(loss?.isSilence == (asking > connecting) && loss?.isLate == (asking < connecting))
        }
    }

    @Test(
        "A first host that never answers costs its share of the time once: later connections go to the one that answered",
        .enabled(if: PostgreSQLCluster.isInstalled), .timeLimit(.minutes(5)))
    func silentFirst() async throws {
        let (cluster, silent) = (try await PostgreSQLCluster.shared, try SilentSocket())
        let name = try await cluster.makeDatabase()
        var settings = PostgreSQLSettings.forTests
        settings.connectTimeout = 4_000
        let hosts = [PostgreSQLAddress.Host(silent.socketFolder), .init(cluster.folder)]
        let address = PostgreSQLAddress(hosts: hosts, database: name, user: "ostiary")
        let connector = PostgreSQLConnector(address: address, settings: settings)
        try await onOwnThread {
            for _ in 0..<3 {
                let host = try connector.connect().host
                #expect(host == 1)
            }
            #expect(silent.connections == 1)
            // One that went silent later is asked behind the other, which is asked at all.
            connector.order.note(silent: 1)
            let host = try connector.connect().host
            #expect(host == 1 && silent.connections == 2)
        }
        cluster.leave(name)
    }
}
