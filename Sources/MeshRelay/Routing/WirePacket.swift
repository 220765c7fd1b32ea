/// A packet, and the bytes that it is on the air: others are sent it as it came.
package struct WirePacket: Hashable, Sendable {
    /// What the bytes say.
    package let packet: RelayPacket
    /// What is sent on.
    package let bytes: [UInt8]
    /// What it says when it is a receipt.
    let receipt: RelayReceipt?
    /// Tells apart packets of the same sender and number: anybody can send another one in somebody's name, and first.
    ///
    /// Of the bytes of what it says, however that is put in JSON: strings that are equal in Swift may be of other bytes. With a
    /// secret of this process, so that nobody can choose it.
    let digest: Int

    /// Reads what a neighbour has sent.
    ///
    /// - Parameter bytes: one object of JSON.
    /// - Throws: ``MalformedPacket``; also for a receipt that no app could have sent.
    package init(_ bytes: [UInt8]) throws(MalformedPacket) {
        packet = try RelayPacket(bytes)
        self.bytes = bytes
        digest = Self.digest(of: packet)
        switch packet.kind {
        case .message, .position: receipt = nil
        case .acknowledgement, .read: receipt = try RelayReceipt(packet)
        }
    }

    /// What is sent to a neighbour.
    ///
    /// - Parameters:
    ///   - generation: which apps are to read it; for both, one that came from either is put so that both can.
    ///   - byteCount: what a notification carries there; without room for that it is sent as it came.
    /// - Returns: the bytes; perhaps more than fit.
    func bytes(for generation: RelayGeneration, upTo byteCount: Int) -> [UInt8] {
        guard generation == .both, let bridged = RelayPacket.bridged(bytes),
            bridged.count <= min(byteCount, RelayPacket.maximumByteCount)
        else { return bytes }
        return bridged
    }

    /// Writes a packet of this node.
    ///
    /// - Parameters:
    ///   - packet: the packet.
    ///   - generation: which apps can read it.
    package init(_ packet: RelayPacket, for generation: RelayGeneration) {
        self.packet = packet
        bytes = packet.encoded(for: generation)
        digest = Self.digest(of: packet)
        receipt = try? RelayReceipt(packet)
    }

    private static func digest(of packet: RelayPacket) -> Int {
        var hasher = Hasher()
        hasher.combine(packet.id)
        hasher.combine(packet.kind)
        for text in [packet.sender, packet.receiver, packet.text] {
            hasher.combine(Array(text.utf8))
        }
        return hasher.finalize()
    }
}
