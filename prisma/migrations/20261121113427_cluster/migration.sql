-- CreateEnum
CREATE TYPE "NodePool" AS ENUM ('reserved', 'on-demand', 'best-effort');

-- CreateEnum
CREATE TYPE "SchedulingPolicy" AS ENUM ('priority', 'fcfs', 'sjf', 'fair_share');

-- AlterTable
ALTER TABLE "projects" ADD COLUMN     "gpu_hour_budget" DOUBLE PRECISION,
ADD COLUMN     "gpu_quota_milli" INTEGER,
ADD COLUMN     "weight" DOUBLE PRECISION NOT NULL DEFAULT 1;

-- AlterTable
ALTER TABLE "jobs" ADD COLUMN     "command" TEXT,
ADD COLUMN     "run_id" TEXT;

-- AlterTable
ALTER TABLE "tasks" ADD COLUMN     "gpu_load_mean" DOUBLE PRECISION,
ADD COLUMN     "gpu_memory_peak_mib" INTEGER,
ADD COLUMN     "gpu_samples" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "preempted_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "nodes" ADD COLUMN     "failures_in_row" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "host_node_id" UUID,
ADD COLUMN     "pause_reason" TEXT,
ADD COLUMN     "paused_at" TIMESTAMPTZ(3),
ADD COLUMN     "pool" "NodePool" NOT NULL DEFAULT 'on-demand',
ADD COLUMN     "quarantine_reason" TEXT,
ADD COLUMN     "quarantined_at" TIMESTAMPTZ(3),
ADD COLUMN     "simulated" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "gpus" ADD COLUMN     "busy_reason" TEXT,
ADD COLUMN     "load" DOUBLE PRECISION,
ADD COLUMN     "memory_used_mib" INTEGER,
ADD COLUMN     "pause_reason" TEXT,
ADD COLUMN     "paused_at" TIMESTAMPTZ(3),
ADD COLUMN     "power_w" DOUBLE PRECISION,
ADD COLUMN     "sampled_at" TIMESTAMPTZ(3),
ADD COLUMN     "temperature_c" INTEGER;

-- CreateTable
CREATE TABLE "gpu_samples" (
    "gpu_id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "load" DOUBLE PRECISION,
    "memory_used_mib" INTEGER,
    "temperature_c" INTEGER,
    "power_w" DOUBLE PRECISION,

    CONSTRAINT "gpu_samples_pkey" PRIMARY KEY ("gpu_id","at")
);

-- CreateTable
CREATE TABLE "policies" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "scheduling" "SchedulingPolicy" NOT NULL DEFAULT 'priority',
    "running" BOOLEAN NOT NULL DEFAULT true,
    "max_concurrent_jobs" INTEGER,
    "enable_auto_retry" BOOLEAN NOT NULL DEFAULT true,
    "max_queue_size" INTEGER NOT NULL DEFAULT 100,
    "backfill" BOOLEAN NOT NULL DEFAULT true,
    "ageing_minutes" DOUBLE PRECISION NOT NULL DEFAULT 60,
    "half_life_hours" DOUBLE PRECISION NOT NULL DEFAULT 24,
    "memory_threshold" DOUBLE PRECISION NOT NULL DEFAULT 0.8,
    "load_threshold" DOUBLE PRECISION NOT NULL DEFAULT 0.8,
    "quarantine_after" INTEGER NOT NULL DEFAULT 3,
    "default_requirement_milli" INTEGER NOT NULL DEFAULT 1000,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "policies_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "model_requirements" (
    "name" TEXT NOT NULL,
    "milli" INTEGER NOT NULL,

    CONSTRAINT "model_requirements_pkey" PRIMARY KEY ("name")
);

-- CreateIndex
CREATE INDEX "gpu_samples_at_idx" ON "gpu_samples"("at");

-- AddForeignKey
ALTER TABLE "nodes" ADD CONSTRAINT "nodes_host_node_id_fkey" FOREIGN KEY ("host_node_id") REFERENCES "nodes"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "gpu_samples" ADD CONSTRAINT "gpu_samples_gpu_id_fkey" FOREIGN KEY ("gpu_id") REFERENCES "gpus"("id") ON DELETE CASCADE ON UPDATE CASCADE;

CREATE INDEX "allocations_created_at_idx" ON "allocations"("created_at");

-- There is one policy, always.
ALTER TABLE "policies" ADD CONSTRAINT "policies_one_row" CHECK ("id" = 1);
INSERT INTO "policies" DEFAULT VALUES;

ALTER TABLE "policies" ADD CONSTRAINT "policies_ranges_check" CHECK (
  "max_concurrent_jobs" >= 0 AND "max_queue_size" >= 0 AND "ageing_minutes" > 0 AND "half_life_hours" > 0
  AND "memory_threshold" BETWEEN 0 AND 1 AND "load_threshold" BETWEEN 0 AND 1 AND "quarantine_after" >= 1
  AND "default_requirement_milli" BETWEEN 1 AND 8000
);
ALTER TABLE "model_requirements" ADD CONSTRAINT "model_requirements_milli_check" CHECK ("milli" BETWEEN 1 AND 8000);
ALTER TABLE "projects" ADD CONSTRAINT "projects_shares_check" CHECK ("weight" > 0 AND "gpu_quota_milli" >= 0 AND "gpu_hour_budget" >= 0);

-- A job runs solution.py or a command.
ALTER TABLE "jobs" ADD CONSTRAINT "jobs_program_check" CHECK ("command" IS NULL OR "code" = '');

-- Only a simulated node is served by another one's worker.
ALTER TABLE "nodes" ADD CONSTRAINT "nodes_host_check" CHECK ("simulated" = ("host_node_id" IS NOT NULL));
