-- AlterTable
ALTER TABLE "users" ADD COLUMN     "job_limits" JSONB NOT NULL DEFAULT '{}';

-- AlterTable
ALTER TABLE "projects" ADD COLUMN     "job_limits" JSONB NOT NULL DEFAULT '{}';

-- CreateTable
CREATE TABLE "role_limits" (
    "role" "Role" NOT NULL,
    "submissions_per_minute" INTEGER,
    "max_active_jobs" INTEGER,
    "job_limits" JSONB NOT NULL DEFAULT '{}',

    CONSTRAINT "role_limits_pkey" PRIMARY KEY ("role")
);

-- Safe limits for researchers, which an admin can change. Admins have none. 64 GPUs are as many as one job can ask for.
INSERT INTO "role_limits" ("role", "job_limits") VALUES
  ('researcher', '{"max_priority": 0, "pools": ["on-demand", "best-effort"], "max_cpu": 8, "max_memory_gb": 32, "max_gpus": 64, "max_waiting_jobs": 100}'),
  ('admin', '{}');
