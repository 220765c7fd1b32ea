import BLE
import Testing

@testable import BLETesting

@Suite("A GATT client")
struct GATTClientTests {
    private let target = Target(publication: 1, id: Sample.level)

    /// A client with two links, 1 and 2, that has discovered the services.
    private func client() -> GATTClient {
        var client = GATTClient(peer: PeerID(rawValue: "Torch"), mtuBytes: 23)
        for link in [1, 2] { _ = client.links.add(link) }
        _ = client.add(.att(.discover), by: 1, id: 10, nil)
        let services = [ServedServices(publication: 1, services: [Sample.gatt])]
        _ = client.receive(10, .success(.services(services)), nextID: 11)
        return client
    }

    private func sent(_ actions: [GATTClient.Action]) -> [Int] {
        actions.compactMap { if case .send(let id, _) = $0 { id } else { nil } }
    }

    @Test func `sends one request at a time`() {
        var client = client()
        #expect(sent(client.add(.att(.read(target, offset: 0)), by: 1, id: 20, nil)) == [20])
        #expect(sent(client.add(.att(.write(target, [1])), by: 2, id: 21, nil)) == [])
        #expect(sent(client.receive(21, .success(.done), nextID: 22)) == [])
        let value = ATTResponse.value([1], hasMore: false)
        #expect(sent(client.receive(20, .success(value), nextID: 22)) == [21])
    }

    @Test func `goes on after a request that was cancelled, once it is replied to`() {
        var client = client()
        _ = client.add(.att(.write(target, [1])), by: 1, id: 20, Promise())
        _ = client.add(.att(.write(target, [2])), by: 1, id: 21, Promise())
        #expect(sent(client.cancel(20, nextID: 30)) == [])
        _ = client.add(.att(.write(target, [3])), by: 1, id: 22, Promise())
        #expect(sent(client.cancel(21, nextID: 31)) == [])
        let actions = client.receive(20, .success(.done), nextID: 32)
        #expect(sent(actions) == [22] && actions.count == 1, "what was cancelled is fulfilled")
    }

    @Test func `subscribes once for all links, and unsubscribes after the last`() {
        var client = client()
        #expect(sent(client.add(.subscribe(target, nil), by: 1, id: 20, Promise())) == [20])
        #expect(sent(client.add(.subscribe(target, nil), by: 2, id: 21, Promise())) == [])
        #expect(sent(client.receive(20, .success(.done), nextID: 30)) == [])
        #expect(
            client.links.isSubscribed(1, to: target) && client.links.isSubscribed(2, to: target)
        )
        #expect(sent(client.end(1, nil, nextID: 31)) == [])
        #expect(sent(client.end(2, nil, nextID: 32)) == [32])
    }

    @Test func `unsubscribes when the only subscription was cancelled meanwhile`() {
        var client = client()
        _ = client.add(.subscribe(target, nil), by: 1, id: 20, Promise())
        _ = client.cancel(20, nextID: 30)
        #expect(sent(client.receive(20, .success(.done), nextID: 31)) == [31])
        #expect(!client.links.isSubscribed(to: target))
    }

    @Test func `does not unsubscribe when another link has subscribed meanwhile`() {
        var client = client()
        _ = client.add(.subscribe(target, nil), by: 1, id: 20, Promise())
        _ = client.receive(20, .success(.done), nextID: 30)
        _ = client.add(.att(.write(target, [1])), by: 1, id: 21, Promise())
        client.links.unsubscribe(1, from: target)
        _ = client.add(.unsubscribe(target), by: 1, id: 22, Promise())
        client.links.subscribe(2, to: target, nil, id: 23)
        let actions = client.receive(21, .success(.done), nextID: 31)
        #expect(sent(actions) == [] && actions.count == 2)
    }
}
