internal import DBus

/// The objects above the adapters.
extension VirtualDaemon {
    func exportRoot() {
        connection.assumeIsolated { $0.exportObjectManager(at: .root) }
        let managers = [agentManager, profileManager]
        export(behavior.hasHealthManager ? managers + [healthManager] : managers, at: Self.path)
    }

    /// Agents come and go without being asked: nothing is paired here.
    private var agentManager: ExportedInterface {
        ExportedInterface(
            "org.bluez.AgentManager1",
            methods: [
                method("RegisterAgent", [("agent", "o"), ("capability", "s")]) {
                    $0.registerAgent($1)
                },
                method("UnregisterAgent", [("agent", "o")]) { daemon, call in
                    let isKnown = daemon.agent(of: call).flatMap { daemon.agents.remove($0) } != nil
                    if isKnown { call.reply() } else { call.fail(.doesNotExist) }
                },
                method("RequestDefaultAgent", [("agent", "o")]) { daemon, call in
                    let isKnown = daemon.agent(of: call).map(daemon.agents.contains) ?? false
                    if isKnown { call.reply() } else { call.fail(.doesNotExist) }
                },
            ]
        )
    }

    private func registerAgent(_ call: MethodCall) {
        let capabilities = [
            "", "DisplayOnly", "DisplayYesNo", "KeyboardOnly", "NoInputNoOutput",
            "KeyboardDisplay",
        ]
        guard capabilities.contains(call.arguments.last?.string ?? "") else {
            return call.fail(.invalidArguments())
        }
        guard let agent = agent(of: call), agents.insert(agent).inserted else {
            return call.fail(.alreadyExists)
        }
        call.reply()
    }

    private func agent(of call: MethodCall) -> RegisteredApplication.ID? {
        call.arguments.first?.objectPath.map {
            RegisteredApplication.ID(owner: call.sender, root: $0)
        }
    }

    private var profileManager: ExportedInterface {
        ExportedInterface(
            "org.bluez.ProfileManager1",
            methods: [
                method(
                    "RegisterProfile",
                    [("profile", "o"), ("UUID", "s"), ("options", "a{sv}")]
                ) { $1.fail(.notSupported) },
                method("UnregisterProfile", [("profile", "o")]) { $1.fail(.doesNotExist) },
            ]
        )
    }

    private var healthManager: ExportedInterface {
        ExportedInterface(
            "org.bluez.HealthManager1",
            methods: [
                method(
                    "CreateApplication",
                    [("config", "a{sv}")],
                    returns: [("application", "o")]
                ) { $1.fail(.notSupported) },
                method("DestroyApplication", [("application", "o")]) { $1.fail(.doesNotExist) },
            ]
        )
    }
}
