-- AlterTable
ALTER TABLE "jobs" ADD COLUMN     "deleted_after_days" INTEGER;

-- Where the sweep looks every minute for what is too old.
CREATE INDEX "jobs_with_files" ON "jobs" ("project_id", "ended_at") WHERE "result_stored" AND "deleted_after_days" IS NULL;
