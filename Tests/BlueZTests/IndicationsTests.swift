import BLE
import Testing

@testable import BlueZ

@Suite("The indications of a publication")
struct IndicationsTests {
    private static let attribute = AttributeID(service: "1801", characteristic: "2A05")

    private func sent(
        _ count: Int,
        isSingle: Bool = true
    ) -> (Indications, [Indications.Indication]) {
        var indications = Indications()
        let all = (0..<count).compactMap { indications.add([UInt8($0)], of: Self.attribute) }
        _ = indications.next(of: Self.attribute, isSingle: isSingle)
        return (indications, all)
    }

    @Test func `are sent one after the other`() async throws {
        var (indications, all) = sent(2)
        #expect(indications.next(of: Self.attribute, isSingle: true) == nil)
        #expect(indications.outstanding(of: Self.attribute) == all[0].id)
        indications.end(of: Self.attribute)
        #expect(try await all[0].outcome.wait() == .confirmed)
        #expect(indications.next(of: Self.attribute, isSingle: true)?.id == all[1].id)
    }

    @Test func `count as confirmed by one central alone`() async throws {
        var (indications, all) = sent(1, isSingle: false)
        indications.end(of: Self.attribute)
        #expect(try await all[0].outcome.wait() == .unconfirmed)
    }

    /// The confirmation of another one, who has gone since, may come for the next.
    @Test(arguments: [true, false])
    func `are uncertain after one that several may have got, for as long as its time`(
        unsubscribes: Bool
    ) async throws {
        var (indications, all) = sent(3, isSingle: false)
        indications.end(of: Self.attribute)
        #expect(indications.next(of: Self.attribute, isSingle: true)?.id == all[1].id)
        indications.end(of: Self.attribute)
        #expect(try await all[1].outcome.wait() == .unconfirmed)
        indications.didConfirmLate(Self.attribute)
        if unsubscribes {
            indications.didUnsubscribe(Self.attribute)
        } else {
            indications.expire(all[0].id, of: Self.attribute)
            indications.expire(all[1].id, of: Self.attribute)
        }
        #expect(indications.next(of: Self.attribute, isSingle: true)?.id == all[2].id)
        indications.end(of: Self.attribute)
        #expect(try await all[2].outcome.wait() == .confirmed)
    }

    @Test func `count as unconfirmed when a central has come or gone`() async throws {
        var (indications, all) = sent(1)
        indications.didChangeCentrals()
        indications.end(of: Self.attribute)
        #expect(try await all[0].outcome.wait() == .unconfirmed)
    }

    @Test func `are uncertain after one whose time was over, until nobody is subscribed`()
        async throws
    {
        var (indications, all) = sent(3)
        indications.expire(all[0].id, of: Self.attribute)
        #expect(try await all[0].outcome.wait() == .unconfirmed)
        // The late confirmation of the first one.
        #expect(indications.next(of: Self.attribute, isSingle: true)?.id == all[1].id)
        indications.end(of: Self.attribute)
        #expect(try await all[1].outcome.wait() == .unconfirmed)
        indications.didUnsubscribe(Self.attribute)
        #expect(indications.next(of: Self.attribute, isSingle: true)?.id == all[2].id)
        indications.end(of: Self.attribute)
        #expect(try await all[2].outcome.wait() == .confirmed)
    }

    @Test func `are uncertain while the confirmation of one that was unsubscribed from may come`()
        async throws
    {
        var (indications, all) = sent(3)
        indications.didUnsubscribe(Self.attribute)
        #expect(try await all[0].outcome.wait() == .unconfirmed)
        #expect(indications.next(of: Self.attribute, isSingle: true)?.id == all[1].id)
        indications.end(of: Self.attribute)
        #expect(try await all[1].outcome.wait() == .unconfirmed)
        indications.didConfirmLate(Self.attribute)
        #expect(indications.next(of: Self.attribute, isSingle: true)?.id == all[2].id)
        indications.end(of: Self.attribute)
        #expect(try await all[2].outcome.wait() == .confirmed)
    }

    /// As when a connection is lost: first comes the confirmation of what is lost, then the end of the subscription.
    @Test func `are certain after one that was confirmed before it was unsubscribed from`()
        async throws
    {
        var (indications, all) = sent(2)
        indications.didChangeCentrals()
        indications.willSettle(Self.attribute)
        indications.didUnsubscribe(Self.attribute)
        #expect(try await all[0].outcome.wait() == .unconfirmed)
        #expect(indications.unconfirmed == [])
        #expect(indications.next(of: Self.attribute, isSingle: true)?.id == all[1].id)
        indications.end(of: Self.attribute)
        #expect(try await all[1].outcome.wait() == .confirmed)
    }

    @Test
    func
        `are uncertain after one that was confirmed by one of several before it was unsubscribed from`()
        async throws
    {
        var (indications, all) = sent(2, isSingle: false)
        indications.willSettle(Self.attribute)
        indications.didUnsubscribe(Self.attribute)
        #expect(indications.unconfirmed == [Self.attribute])
        #expect(indications.next(of: Self.attribute, isSingle: true)?.id == all[1].id)
        indications.end(of: Self.attribute)
        #expect(try await all[1].outcome.wait() == .unconfirmed)
    }

    /// What has come may be the confirmation of the first one, and that of the second may come yet.
    @Test func `are uncertain after two that were unsubscribed from, of which one was confirmed`()
        async throws
    {
        var (indications, all) = sent(3)
        indications.didUnsubscribe(Self.attribute)
        #expect(indications.next(of: Self.attribute, isSingle: true)?.id == all[1].id)
        indications.willSettle(Self.attribute)
        indications.didUnsubscribe(Self.attribute)
        #expect(indications.next(of: Self.attribute, isSingle: true)?.id == all[2].id)
        indications.end(of: Self.attribute)
        #expect(try await all[2].outcome.wait() == .unconfirmed)
    }

    @Test func `are taken back unless they are sent, and have a limit`() {
        var (indications, all) = sent(Indications.maximumCount)
        #expect(indications.add([], of: Self.attribute) == nil)
        indications.takeBack(all[0].id, of: Self.attribute)
        #expect(indications.add([], of: Self.attribute) == nil)
        indications.takeBack(all[1].id, of: Self.attribute)
        #expect(indications.add([], of: Self.attribute) != nil)
    }

    @Test func `fail with the publication`() async throws {
        var (indications, all) = sent(2)
        indications.failAll(RadioError(.withdrawn, "gone"))
        for indication in all {
            await #expect { _ = try await indication.outcome.wait() } throws: {
                isRadioError(.withdrawn)($0)
            }
        }
    }
}
