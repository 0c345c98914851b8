-- CreateEnum
CREATE TYPE "GroupKind" AS ENUM ('sweep', 'array');

-- CreateEnum
CREATE TYPE "MemberState" AS ENUM ('held', 'entered', 'cancelled');

-- AlterTable
ALTER TABLE "jobs" ADD COLUMN     "group_id" UUID;

-- CreateTable
CREATE TABLE "job_groups" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "competition_id" TEXT NOT NULL,
    "name" TEXT,
    "kind" "GroupKind" NOT NULL,
    "spec" JSONB NOT NULL,
    "code" BYTEA NOT NULL,
    "command" TEXT,
    "archive_id" UUID,
    "class_token" BOOLEAN NOT NULL,
    "parallel" INTEGER NOT NULL,
    "members" INTEGER NOT NULL,
    "held" INTEGER NOT NULL,
    "problem" TEXT,
    "retry_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "final_counts" JSONB,
    "record_bytes" BIGINT NOT NULL,
    "idempotency_key" TEXT,
    "body_hash" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "cancelled_at" TIMESTAMPTZ(3),
    "cancel_reason" TEXT,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "job_groups_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "group_members" (
    "group_id" UUID NOT NULL,
    "index" INTEGER NOT NULL,
    "job_id" UUID NOT NULL,
    "parameters" JSONB NOT NULL,
    "repeat" INTEGER NOT NULL,
    "state" "MemberState" NOT NULL DEFAULT 'held',
    "stop_reason" TEXT,
    "curve_read" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "group_members_pkey" PRIMARY KEY ("group_id","index")
);

-- CreateTable
CREATE TABLE "group_rungs" (
    "group_id" UUID NOT NULL,
    "index" INTEGER NOT NULL,
    "rung" INTEGER NOT NULL,
    "step" DOUBLE PRECISION NOT NULL,
    "value" DOUBLE PRECISION NOT NULL,
    "best" DOUBLE PRECISION NOT NULL,
    "average" DOUBLE PRECISION NOT NULL,

    CONSTRAINT "group_rungs_pkey" PRIMARY KEY ("group_id","rung","index")
);

-- CreateIndex
CREATE INDEX "group_rungs_group_id_index_idx" ON "group_rungs"("group_id", "index");

-- CreateIndex
CREATE INDEX "job_groups_user_id_created_at_id_idx" ON "job_groups"("user_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "job_groups_project_id_idx" ON "job_groups"("project_id");

-- CreateIndex
CREATE UNIQUE INDEX "job_groups_user_id_idempotency_key_key" ON "job_groups"("user_id", "idempotency_key");

-- CreateIndex
CREATE UNIQUE INDEX "group_members_job_id_key" ON "group_members"("job_id");

-- AddForeignKey
ALTER TABLE "job_groups" ADD CONSTRAINT "job_groups_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "job_groups" ADD CONSTRAINT "job_groups_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "job_groups" ADD CONSTRAINT "job_groups_archive_id_fkey" FOREIGN KEY ("archive_id") REFERENCES "archives"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "group_members" ADD CONSTRAINT "group_members_group_id_fkey" FOREIGN KEY ("group_id") REFERENCES "job_groups"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "group_rungs" ADD CONSTRAINT "group_rungs_group_id_index_fkey" FOREIGN KEY ("group_id", "index") REFERENCES "group_members"("group_id", "index") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "jobs" ADD CONSTRAINT "jobs_group_id_fkey" FOREIGN KEY ("group_id") REFERENCES "job_groups"("id") ON DELETE SET NULL ON UPDATE CASCADE;

CREATE FUNCTION count_group_records() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO storage_changes (user_id, project_id, kind, bytes)
  SELECT g.user_id, g.project_id, 'records', sum(g.record_bytes) FROM added g GROUP BY 1, 2;
  RETURN NULL;
END $$;

-- A group sends one message instead of those of its members, to the targets that want to hear of jobs that end in this way.
CREATE FUNCTION notify_group_ended() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  group_status TEXT := CASE
    WHEN NEW.cancelled_at IS NOT NULL THEN 'cancelled'
    WHEN (NEW.final_counts->>'failed')::int > 0 THEN 'failed'
    WHEN (NEW.final_counts->>'completed')::int = 0 THEN 'cancelled'
    ELSE 'completed' END;
BEGIN
  INSERT INTO notification_deliveries (id, user_id, target_id, event, data, lane)
  SELECT gen_random_uuid(), NEW.user_id, wanted.target_id, 'group.' || group_status,
         jsonb_build_object('group_id', NEW.id, 'status', group_status, 'name', NEW.name, 'members', NEW.members,
                            'counts', NEW.final_counts, 'created_at', rfc3339(NEW.created_at), 'ended_at', rfc3339(NEW.ended_at)),
         wanted.lane
    FROM (SELECT t.id AS target_id, t.id::text AS lane
            FROM notification_targets t JOIN users u ON u.id = t.user_id
           WHERE t.user_id = NEW.user_id AND t.paused_at IS NULL AND u.disabled_at IS NULL AND 'job.' || group_status = ANY (t.events)
          UNION ALL
          SELECT NULL, NEW.user_id || ' ' || lower(coalesce(substring(NEW.spec->>'notify_url' FROM '^[^:]+://([^/?#]+)'), ''))
           WHERE NEW.spec ? 'notify_url') AS wanted;
  RETURN NULL;
END $$;

ALTER TABLE job_groups ADD CONSTRAINT job_groups_counted CHECK (held BETWEEN 0 AND members AND parallel > 0);

-- A group ends when no member is held.
ALTER TABLE job_groups ADD CONSTRAINT job_groups_end CHECK (ended_at IS NULL OR held = 0);

-- A member runs solution.py or a command. The group has the program only as long as it holds members, which need it: afterwards it is
-- deleted with the files of their jobs. record_bytes stays as it was counted when the group was accepted.
ALTER TABLE job_groups ADD CONSTRAINT job_groups_program_check CHECK (code = '' OR (command IS NULL AND held > 0));

-- Where the leader looks after each change of the queue. Few groups are open.
CREATE INDEX job_groups_open ON job_groups (created_at, id) WHERE ended_at IS NULL;

CREATE INDEX job_groups_with_archive ON job_groups (archive_id) WHERE archive_id IS NOT NULL;

-- Whose objective the leader reads. Ended members stay in it for one look.
CREATE INDEX group_members_unread ON group_members (group_id) WHERE state = 'entered' AND NOT curve_read;

CREATE INDEX group_members_held ON group_members (group_id, index) WHERE state = 'held';

-- Jobs without a group are not in the index and cost nothing.
CREATE INDEX jobs_of_group ON jobs (group_id, status) WHERE group_id IS NOT NULL;

CREATE TRIGGER count_records AFTER INSERT ON job_groups REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_group_records();

CREATE TRIGGER notify_group_ended AFTER UPDATE OF ended_at ON job_groups FOR EACH ROW
  WHEN (OLD.ended_at IS NULL AND NEW.ended_at IS NOT NULL) EXECUTE FUNCTION notify_group_ended();

-- What users can store in rows of the database, besides the source of jobs. Rows of files count too, so that many empty files
-- are not free.
CREATE OR REPLACE VIEW stored_records AS
  SELECT j.user_id, j.project_id, 'records'::"StorageKind" AS kind, job_record_bytes(j) AS bytes FROM jobs j
  UNION ALL
  SELECT j.user_id, j.project_id, 'records', row_bytes() + octet_length(a.path)
    FROM artifacts a JOIN jobs j ON j.id = a.job_id
  UNION ALL
  SELECT j.user_id, j.project_id, 'records', row_bytes() + octet_length(w.path)
    FROM working_files w JOIN jobs j ON j.id = w.job_id
  UNION ALL
  SELECT p.owner_id, p.id, 'records', row_bytes() + a.manifest_bytes
    FROM archive_holders h JOIN archives a ON a.id = h.archive_id JOIN projects p ON p.id = a.project_id
  UNION ALL
  SELECT p.owner_id, p.id, 'records', row_bytes() FROM archive_blobs b JOIN projects p ON p.id = b.project_id
  UNION ALL
  SELECT coalesce(r.user_id, p.owner_id), p.id, 'records', row_bytes() + octet_length(c.path)
    FROM checkpoint_files c JOIN runs r ON r.id = c.run_id JOIN projects p ON p.id = r.project_id
  UNION ALL
  SELECT g.user_id, g.project_id, 'records', g.record_bytes FROM job_groups g
  UNION ALL
  SELECT e.actor_id, NULL, 'records', row_bytes() + octet_length(e.detail::text)
    FROM audit_events e WHERE counts_to_actor(e.actor_id, e.action);

-- The members of a group send no messages of their own.
DROP TRIGGER notify_job_ended ON jobs;
CREATE TRIGGER notify_job_ended AFTER UPDATE OF ended_at ON jobs FOR EACH ROW
  WHEN (OLD.ended_at IS NULL AND NEW.ended_at IS NOT NULL AND NEW.group_id IS NULL) EXECUTE FUNCTION notify_job_event();

DROP TRIGGER notify_job_started ON jobs;
CREATE TRIGGER notify_job_started AFTER UPDATE OF started_at ON jobs FOR EACH ROW
  WHEN (OLD.started_at IS NULL AND NEW.started_at IS NOT NULL AND NEW.ended_at IS NULL AND NEW.group_id IS NULL) EXECUTE FUNCTION notify_job_event();
