-- Whether run times are predicted from earlier jobs.
ALTER TABLE "policies" ADD COLUMN "predict_run_times" BOOLEAN NOT NULL DEFAULT true;

-- The latest completed jobs of a user and of everybody, from which run times are predicted.
CREATE INDEX "jobs_completed_by_user" ON "jobs" ("user_id", "ended_at" DESC) WHERE "status" = 'completed';
CREATE INDEX "jobs_completed" ON "jobs" ("ended_at" DESC) WHERE "status" = 'completed';
