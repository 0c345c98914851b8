-- AlterTable
ALTER TABLE "jobs" ADD COLUMN     "final_metrics" JSONB NOT NULL DEFAULT '{}';

-- AlterTable
ALTER TABLE "tasks" ADD COLUMN     "metrics" JSONB NOT NULL DEFAULT '{}';

ALTER TABLE "jobs" ADD CONSTRAINT "jobs_metrics_by_name" CHECK (jsonb_typeof("final_metrics") = 'object');
ALTER TABLE "tasks" ADD CONSTRAINT "tasks_metrics_by_name" CHECK (jsonb_typeof("metrics") = 'object');

-- A search by a metric reads no other jobs. Jobs without metrics are not in the index and cost nothing.
CREATE INDEX "jobs_with_metrics" ON "jobs" ("user_id", "created_at" DESC, "id" DESC) WHERE "final_metrics" <> '{}';
