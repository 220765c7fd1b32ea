import BLEDBus
import VirtualBlueZ

/// What a client sees of a release at once: names and handles, as they were seen of the original.
struct Release {
    let modalias: String

    /// The interfaces of a device's object.
    let device: String

    /// The characteristics of the ball, at a central.
    let question: ObjectPath
    let answer: ObjectPath

    init(_ version: BlueZVersion) {
        switch version {
        case .v5_66: self.init(modalias: "d0542", "service0015/char0016", "service0015/char0018")
        case .v5_82: self.init(modalias: "d0552", "service0013/char0014", "service0013/char0016")
        default: self.init(modalias: "d0557", "service0013/char0014", "service0013/char0016")
        }
    }

    private init(modalias: String, _ question: String, _ answer: String) {
        device = modalias == "d0557" ? "Device1 LE1" : "Device1"
        self.modalias = "usb:v1D6Bp0246" + modalias
        self.question = Self.path(question)
        self.answer = Self.path(answer)
    }

    private static func path(_ below: String) -> ObjectPath {
        below.split(separator: "/").reduce(.ball) { path, name in
            (try? path.appending(String(name))) ?? path
        }
    }
}
