ALTER TABLE snapshots ADD CONSTRAINT snapshots_version_check CHECK (version > 0);

-- Finds what every member of the project may read, however many users have it.
CREATE INDEX archive_blobs_in_snapshot ON archive_blobs (project_id, hash) WHERE in_snapshot;

-- Finds a shared name without a scan. There are few shared snapshots, and every project looks for them.
CREATE INDEX snapshots_shared ON snapshots (name, version) WHERE shared_at IS NOT NULL;
