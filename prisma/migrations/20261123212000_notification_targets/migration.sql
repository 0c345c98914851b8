-- CreateTable
CREATE TABLE "notification_targets" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "address" TEXT NOT NULL,
    "config" BYTEA,
    "events" TEXT[] NOT NULL,
    "wait_minutes" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "paused_at" TIMESTAMPTZ(3),
    "pause_reason" TEXT,

    CONSTRAINT "notification_targets_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook_secrets" (
    "user_id" UUID NOT NULL,
    "secret" BYTEA NOT NULL,
    "previous" BYTEA,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhook_secrets_pkey" PRIMARY KEY ("user_id")
);

-- CreateTable
CREATE TABLE "notification_deliveries" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "target_id" UUID,
    "job_id" UUID,
    "event" TEXT NOT NULL,
    "data" JSONB NOT NULL,
    "lane" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "next_try_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "settled_at" TIMESTAMPTZ(3),
    "response_status" INTEGER,
    "response" TEXT,
    "problem" TEXT,

    CONSTRAINT "notification_deliveries_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "notification_targets_user_id_idx" ON "notification_targets"("user_id");

-- CreateIndex
CREATE INDEX "notification_deliveries_user_id_created_at_id_idx" ON "notification_deliveries"("user_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "notification_deliveries_target_id_idx" ON "notification_deliveries"("target_id");

-- AddForeignKey
ALTER TABLE "notification_targets" ADD CONSTRAINT "notification_targets_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_secrets" ADD CONSTRAINT "webhook_secrets_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "notification_deliveries" ADD CONSTRAINT "notification_deliveries_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "notification_deliveries" ADD CONSTRAINT "notification_deliveries_target_id_fkey" FOREIGN KEY ("target_id") REFERENCES "notification_targets"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "notification_deliveries" ADD CONSTRAINT "notification_deliveries_job_id_fkey" FOREIGN KEY ("job_id") REFERENCES "jobs"("id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "notification_targets" ADD CONSTRAINT "notification_targets_known_kind" CHECK ("kind" IN ('webhook', 'email', 'slack', 'discord', 'matrix'));

-- The messages that wait for an attempt. They are few.
CREATE INDEX "notification_deliveries_open" ON "notification_deliveries" ("next_try_at") WHERE "settled_at" IS NULL;
-- One message for each event of a job and target. A target of null is the notify_url of the job.
CREATE UNIQUE INDEX "notification_deliveries_once" ON "notification_deliveries" ("job_id", "event", "target_id") NULLS NOT DISTINCT WHERE "job_id" IS NOT NULL;

CREATE FUNCTION "rfc3339"("at" TIMESTAMPTZ) RETURNS TEXT LANGUAGE sql IMMUTABLE AS $$
  SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;

-- Writes the messages of a change in the transaction of the change, so none is lost and none is about what was rolled back.
CREATE FUNCTION "notify_job_event"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  job_event TEXT := CASE WHEN NEW.ended_at IS NULL THEN 'job.started' ELSE 'job.' || NEW.status END;
BEGIN
  INSERT INTO notification_deliveries (id, user_id, target_id, job_id, event, data, lane)
  SELECT gen_random_uuid(), NEW.user_id, wanted.target_id, NEW.id, job_event,
         jsonb_build_object('job_id', NEW.id, 'status', NEW.status, 'reason', NEW.reason, 'reason_detail', NEW.reason_detail, 'name', NEW.name,
                            'exit_code', NEW.exit_code, 'created_at', rfc3339(NEW.created_at),
                            'started_at', rfc3339(NEW.started_at), 'ended_at', rfc3339(NEW.ended_at)),
         wanted.lane
    FROM (SELECT t.id AS target_id, t.id::text AS lane
            FROM notification_targets t JOIN users u ON u.id = t.user_id
           WHERE t.user_id = NEW.user_id AND t.paused_at IS NULL AND u.disabled_at IS NULL AND job_event = ANY (t.events)
             AND (job_event <> 'job.started' OR NEW.started_at >= NEW.created_at + make_interval(mins => t.wait_minutes))
          UNION ALL
          SELECT NULL, NEW.user_id || ' ' || lower(coalesce(substring(NEW.spec->>'notify_url' FROM '^[^:]+://([^/?#]+)'), ''))
           WHERE NEW.ended_at IS NOT NULL AND NEW.spec ? 'notify_url') AS wanted
      ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

CREATE TRIGGER "notify_job_ended" AFTER UPDATE OF "ended_at" ON "jobs" FOR EACH ROW
  WHEN (OLD."ended_at" IS NULL AND NEW."ended_at" IS NOT NULL) EXECUTE FUNCTION notify_job_event();
CREATE TRIGGER "notify_job_started" AFTER UPDATE OF "started_at" ON "jobs" FOR EACH ROW
  WHEN (OLD."started_at" IS NULL AND NEW."started_at" IS NOT NULL AND NEW."ended_at" IS NULL) EXECUTE FUNCTION notify_job_event();

-- The messages to notify_url of jobs that have ended. Those of other jobs are written when they end.
INSERT INTO "notification_deliveries" ("id", "user_id", "job_id", "event", "data", "lane", "created_at", "attempts", "next_try_at", "settled_at", "problem")
SELECT gen_random_uuid(), j."user_id", j."id", 'job.' || j."status",
       jsonb_build_object('job_id', j."id", 'status', j."status", 'reason', j."reason", 'reason_detail', j."reason_detail", 'name', j."name",
                          'exit_code', j."exit_code", 'created_at', rfc3339(j."created_at"),
                          'started_at', rfc3339(j."started_at"), 'ended_at', rfc3339(j."ended_at")),
       j."user_id" || ' ' || lower(coalesce(substring(j."spec"->>'notify_url' FROM '^[^:]+://([^/?#]+)'), '')),
       j."ended_at", n."attempts", n."next_try_at", n."settled_at", n."problem"
  FROM "job_notifications" n JOIN "jobs" j ON j."id" = n."job_id" WHERE j."ended_at" IS NOT NULL;

-- DropTable
DROP TABLE "job_notifications";
