/// What a socket is for.
enum SocketUse: String, CaseIterable {
    case write = "WriteAcquired"
    case notify = "NotifyAcquired"
}
