internal import BLE

extension EightBallService {
    /// Whether a ball with these services can be asked so that only the asker can read what it says.
    static func hasPrivatePair(_ services: [GATTService]) -> Bool {
        guard let service = services.first(where: { $0.uuid == uuid }),
            let privateQuestion = service.characteristic(privateQuestion.characteristic),
            let reply = service.characteristic(reply.characteristic)
        else { return false }
        return privateQuestion.properties.contains(.write)
            && reply.properties.isSuperset(of: [.read, .notify])
    }
}
