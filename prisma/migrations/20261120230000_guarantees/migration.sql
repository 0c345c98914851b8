-- What the database itself guarantees, beyond what Prisma's schema can say.

-- A GPU is never given twice.
ALTER TABLE "gpus" ADD CONSTRAINT "gpus_allocated_milli_check" CHECK ("allocated_milli" BETWEEN 0 AND 1000);
ALTER TABLE "allocations" ADD CONSTRAINT "allocations_milli_check" CHECK ("milli" BETWEEN 1 AND 1000);

-- One live task per job and rank, and with it one live attempt per job.
CREATE UNIQUE INDEX "tasks_one_live" ON "tasks" ("job_id", "rank") WHERE "status" IN ('scheduled', 'starting', 'running');

-- A verdict has a time and a reason. A job without one has neither end nor exit code.
ALTER TABLE "jobs" ADD CONSTRAINT "jobs_verdict_check" CHECK (
  CASE WHEN "status" IN ('completed', 'failed', 'cancelled')
    THEN "ended_at" IS NOT NULL AND "reason" IS NOT NULL
    ELSE "ended_at" IS NULL AND "exit_code" IS NULL
  END
);
ALTER TABLE "jobs" ADD CONSTRAINT "jobs_completed_check" CHECK ("status" <> 'completed' OR "exit_code" = 0);

-- Handles and e-mail addresses are unique without regard to case.
CREATE UNIQUE INDEX "users_handle_lower_key" ON "users" (lower("handle"));
CREATE UNIQUE INDEX "users_email_lower_key" ON "users" (lower("email"));

-- There is one default environment at most.
CREATE UNIQUE INDEX "environments_one_default" ON "environments" ("is_default") WHERE "is_default";

-- The queue in its order, and the active jobs of one user: both stay as small as the live part of the table.
CREATE INDEX "jobs_pending" ON "jobs" ("priority" DESC, "created_at", "id") WHERE "status" = 'pending';
CREATE INDEX "jobs_active" ON "jobs" ("user_id") WHERE "status" IN ('pending', 'scheduled', 'running');
CREATE INDEX "tasks_live" ON "tasks" ("node_id") WHERE "status" IN ('scheduled', 'starting', 'running');

-- Jobs whose output still waits to become a file.
CREATE INDEX "jobs_without_result" ON "jobs" ("ended_at") WHERE "status" IN ('completed', 'failed', 'cancelled') AND NOT "result_stored";

-- Output does not compress well enough to be worth the time between a line and its reader.
ALTER TABLE "log_chunks" ALTER COLUMN "records" SET STORAGE EXTERNAL;
