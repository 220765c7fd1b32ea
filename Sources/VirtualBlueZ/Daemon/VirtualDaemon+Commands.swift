internal import DBus

/// Write commands, which nobody replies to and which may overtake each other.
extension VirtualDaemon {
    /// Lets a command arrive: at once, or after one that overtakes it.
    func send(_ command: CommandBurst.Command, over id: DeviceID) {
        guard behavior.hasSeveralChannels else { return arrive(command) }
        let isFirst = bursts[id] == nil
        let arriving = bursts[id, default: CommandBurst()].take(command)
        if isFirst { set(.commands(id), after: timing.overtaking) }
        arriving.forEach(arrive)
        if arriving.count > 1 { endBurst(of: id) }
    }

    /// Lets what is on its way arrive, as nothing follows.
    func endBurst(of id: DeviceID) {
        cancel(.commands(id))
        bursts.removeValue(forKey: id)?.pending.map(arrive)
    }

    /// Forgets what is on its way over a link that is lost; its sender has done his part.
    func loseBurst(of id: DeviceID) {
        cancel(.commands(id))
        bursts.removeValue(forKey: id)?.pending?.call.reply()
    }

    private func arrive(_ command: CommandBurst.Command) {
        command.call.reply()
        command.send(self)
    }
}
