-- CreateTable
CREATE TABLE "active_job_changes" (
    "id" BIGSERIAL NOT NULL,
    "status" "JobStatus" NOT NULL,
    "reason" TEXT,
    "jobs" INTEGER NOT NULL,

    CONSTRAINT "active_job_changes_pkey" PRIMARY KEY ("id")
);

-- The oldest waiting job.
CREATE INDEX "jobs_waiting_since" ON "jobs" ("created_at") WHERE "status" = 'pending';

-- Jobs that have not ended, and why they wait.
CREATE VIEW "active_jobs" AS
  SELECT "status", CASE WHEN "status" = 'pending' THEN "reason" END AS "reason" FROM "jobs"
   WHERE "status" IN ('pending', 'scheduled', 'running');

CREATE FUNCTION "count_active_jobs"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO active_job_changes (status, reason, jobs)
    SELECT status, CASE WHEN status = 'pending' THEN reason END, count(*) FROM added
     WHERE status IN ('pending', 'scheduled', 'running') GROUP BY 1, 2;
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO active_job_changes (status, reason, jobs)
    SELECT status, CASE WHEN status = 'pending' THEN reason END, -count(*) FROM removed
     WHERE status IN ('pending', 'scheduled', 'running') GROUP BY 1, 2;
  ELSE
    INSERT INTO active_job_changes (status, reason, jobs)
    SELECT status, CASE WHEN status = 'pending' THEN reason END AS reason, sum(n)
      FROM (SELECT status, reason, 1 AS n FROM added UNION ALL SELECT status, reason, -1 FROM removed) AS changed
     WHERE status IN ('pending', 'scheduled', 'running') GROUP BY 1, 2 HAVING sum(n) <> 0;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER "count_active_added" AFTER INSERT ON "jobs" REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_active_jobs();
CREATE TRIGGER "count_active_changed" AFTER UPDATE ON "jobs" REFERENCING OLD TABLE AS removed NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_active_jobs();
CREATE TRIGGER "count_active_removed" AFTER DELETE ON "jobs" REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION count_active_jobs();

-- The jobs of an existing installation.
INSERT INTO "active_job_changes" ("status", "reason", "jobs")
SELECT "status", "reason", count(*) FROM "active_jobs" GROUP BY 1, 2;
