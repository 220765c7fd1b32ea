package import BLESQLite

/// What a kind of store's tables look like, and how those of earlier versions become it.
package struct StoreSchema {
    /// Says that a database is of this kind.
    let applicationID: Int64
    /// What makes each version of the version before; the first one of nothing.
    let migrations: [String]
    /// What is done when it has been opened.
    let whenOpened: (Database) throws(DatabaseError) -> Void

    /// - Parameters:
    ///   - applicationID: says that a database is of this kind.
    ///   - migrations: what makes each version of the version before, the first one of nothing. One that has been
    ///     released is never changed.
    ///   - whenOpened: what is done when it has been opened.
    package init(
        applicationID: Int64,
        migrations: [String],
        whenOpened: @escaping (Database) throws(DatabaseError) -> Void = { _ in }
    ) {
        self.applicationID = applicationID
        self.migrations = migrations
        self.whenOpened = whenOpened
    }

    /// Makes the newest version of what is there, one version after the other, each whole or not at all.
    func migrate(_ database: Database, from version: Int) throws(DatabaseError) {
        for next in migrations.indices.dropFirst(version) {
            try database.run("BEGIN IMMEDIATE")
            do {
                try database.run("PRAGMA application_id = \(applicationID)")
                try database.runScript(migrations[next])
                try database.run("PRAGMA user_version = \(next + 1)")
                try database.run("COMMIT")
            } catch {
                // What failed is what is told; a transaction that cannot be rolled back ends with the file.
                if !database.isAutocommitting { _ = Result { try database.run("ROLLBACK") } }
                throw error
            }
        }
    }
}
