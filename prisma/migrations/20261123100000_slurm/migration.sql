-- CreateTable
CREATE TABLE "slurm_jobs" (
    "id" UUID NOT NULL,
    "job_id" UUID NOT NULL,
    "slurm_id" INTEGER,
    "secret_hash" BYTEA NOT NULL,
    "nodes" INTEGER NOT NULL DEFAULT 1,
    "state" TEXT,
    "reason" TEXT,
    "starts_at" TIMESTAMPTZ(3),
    "held" BOOLEAN NOT NULL DEFAULT false,
    "nice" INTEGER NOT NULL DEFAULT 0,
    "restarts" INTEGER NOT NULL DEFAULT 0,
    "attempt" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "submitted_at" TIMESTAMPTZ(3),
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "slurm_jobs_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "slurm_steps" (
    "slurm_job_id" UUID NOT NULL,
    "restart" INTEGER NOT NULL,
    "rank" INTEGER NOT NULL,
    "node_id" UUID NOT NULL,
    "gpu_indexes" INTEGER[],
    "gpu_milli" INTEGER NOT NULL DEFAULT 1000,
    "cpu_milli" INTEGER NOT NULL,
    "memory_mib" INTEGER NOT NULL,
    "cgroup" TEXT,
    "arrived_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "slurm_steps_pkey" PRIMARY KEY ("slurm_job_id","restart","rank")
);

-- CreateTable
CREATE TABLE "slurm_cluster" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "read_at" TIMESTAMPTZ(3),
    "problem" TEXT,
    "version" TEXT,
    "accounting" BOOLEAN NOT NULL DEFAULT false,
    "nodes" JSONB NOT NULL DEFAULT '[]',
    "partitions" JSONB NOT NULL DEFAULT '[]',
    "other_jobs" JSONB NOT NULL DEFAULT '[]',

    CONSTRAINT "slurm_cluster_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "slurm_targets" (
    "id" UUID NOT NULL,
    "project_id" UUID,
    "pool" "NodePool",
    "account" TEXT,
    "partition" TEXT,
    "qos" TEXT,
    "reservation" TEXT,

    CONSTRAINT "slurm_targets_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "slurm_jobs_job_id_idx" ON "slurm_jobs"("job_id");

-- CreateIndex
CREATE INDEX "slurm_jobs_slurm_id_idx" ON "slurm_jobs"("slurm_id");

-- NULL counts as a value, so there is one default row.
CREATE UNIQUE INDEX "slurm_targets_project_id_pool_key" ON "slurm_targets"("project_id", "pool") NULLS NOT DISTINCT;

-- AddForeignKey
ALTER TABLE "slurm_steps" ADD CONSTRAINT "slurm_steps_slurm_job_id_fkey" FOREIGN KEY ("slurm_job_id") REFERENCES "slurm_jobs"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "slurm_targets" ADD CONSTRAINT "slurm_targets_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- A job is never in Slurm twice, and a Slurm job never runs two jobs.
CREATE UNIQUE INDEX "slurm_jobs_live" ON "slurm_jobs"("job_id") WHERE "ended_at" IS NULL;
CREATE UNIQUE INDEX "slurm_jobs_live_slurm_id" ON "slurm_jobs"("slurm_id") WHERE "ended_at" IS NULL;

INSERT INTO "slurm_cluster" ("id") VALUES (1);
