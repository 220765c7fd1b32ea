internal import DBus

/// GattManager1: applications come and go.
///
/// Source: BlueZ, doc/gatt-api.txt.
extension VirtualDaemon {
    func gattManager(_ index: Int) -> ExportedInterface {
        ExportedInterface(
            "org.bluez.GattManager1",
            methods: [
                method("RegisterApplication", [("application", "o"), ("options", "a{sv}")]) {
                    $0.registerApplication(on: index, $1)
                },
                method("UnregisterApplication", [("application", "o")]) {
                    $0.unregisterApplication(from: index, $1)
                },
            ]
        )
    }

    private func registerApplication(on index: Int, _ call: MethodCall) {
        guard let root = call.arguments.first?.objectPath, let adapter = adapters[index] else {
            return
        }
        let id = RegisteredApplication.ID(owner: call.sender, root: root)
        guard !adapter.applications.contains(where: { $0.id == id }),
            adapters[index]?.newcomers.insert(id).inserted == true
        else { return call.fail(.alreadyExists) }
        self.call(
            id.owner,
            at: id.root,
            "org.freedesktop.DBus.ObjectManager",
            "GetManagedObjects"
        ) { daemon, result in
            daemon.adapters[index]?.newcomers.remove(id)
            // One that can't be asked has no objects.
            let objects = try? result.get().first
            do throws(ErrorReply) {
                daemon.add(try RegisteredApplication(id, objects: objects), to: index, call)
            } catch {
                call.fail(error)
            }
        }
    }

    private func add(_ application: RegisteredApplication, to index: Int, _ call: MethodCall) {
        guard adapters[index] != nil else { return }
        let uuids = adapters[index]?.uuids
        adapters[index]?.applications.append(application)
        adapters[index]?.table.add(application)
        // Told before and, if they are others, after the reply, as the real one does.
        tellUUIDs(of: index)
        call.reply()
        if adapters[index]?.uuids != uuids { tellUUIDs(of: index) }
        tellServicesChanged(of: index, hasGrown: true)
    }

    private func unregisterApplication(from index: Int, _ call: MethodCall) {
        let id = call.arguments.first?.objectPath.map {
            RegisteredApplication.ID(owner: call.sender, root: $0)
        }
        guard let id, adapters[index]?.applications.contains(where: { $0.id == id }) == true else {
            return call.fail(.doesNotExist)
        }
        remove([id], from: index) { call.reply() }
        tellServicesChanged(of: index, hasGrown: false)
    }

    /// Forgets the applications of a client that has left.
    ///
    /// - Returns: whether there were any; then centrals have to be told.
    func removeApplications(of client: String, from index: Int) -> Bool {
        let ids = adapters[index]?.applications.map(\.id).filter { $0.owner == client } ?? []
        guard !ids.isEmpty else { return false }
        remove(ids, from: index) {}
        return true
    }

    private func remove(
        _ ids: [RegisteredApplication.ID],
        from index: Int,
        reply: () -> Void
    ) {
        let uuids = adapters[index]?.uuids
        adapters[index]?.applications.removeAll { ids.contains($0.id) }
        for id in ids { adapters[index]?.table.remove(id) }
        closeApplicationSockets(of: index)
        tellUUIDs(of: index)
        reply()
        if adapters[index]?.uuids != uuids { tellUUIDs(of: index) }
        failOperations(.requestNotSupported) { operation in
            operation.application.map(ids.contains) == true
        }
    }

    private func tellUUIDs(of index: Int) {
        guard let adapter = adapters[index] else { return }
        change(["UUIDs": .strings(adapter.uuids)], of: Self.adapter1, at: adapter.path)
    }
}
