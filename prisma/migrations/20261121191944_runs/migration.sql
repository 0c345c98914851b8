-- AlterTable
ALTER TABLE "users" ADD COLUMN     "unix_gid" INTEGER,
ADD COLUMN     "unix_uid" INTEGER;

-- AlterTable
ALTER TABLE "projects" ADD COLUMN     "retention_days" INTEGER;

-- AlterTable
ALTER TABLE "jobs" ADD COLUMN     "archive_id" UUID,
ADD COLUMN     "assign_attempts" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "content_hash" BYTEA,
ADD COLUMN     "network_index" INTEGER,
ADD COLUMN     "run_name" TEXT;

-- AlterTable
ALTER TABLE "tasks" ADD COLUMN     "detail" TEXT,
ADD COLUMN     "ready_at" TIMESTAMPTZ(3),
ADD COLUMN     "tty_columns" INTEGER,
ADD COLUMN     "tty_rows" INTEGER;

-- CreateTable
CREATE TABLE "terminal_inputs" (
    "id" BIGSERIAL NOT NULL,
    "task_id" UUID NOT NULL,
    "bytes" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "terminal_inputs_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "archives" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "hash" BYTEA NOT NULL,
    "manifest" JSONB NOT NULL,
    "files" INTEGER NOT NULL,
    "bytes" BIGINT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "archives_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "archive_blobs" (
    "project_id" UUID NOT NULL,
    "hash" BYTEA NOT NULL,
    "bytes" BIGINT NOT NULL,
    "stored_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "archive_blobs_pkey" PRIMARY KEY ("project_id","hash")
);

-- CreateTable
CREATE TABLE "artifacts" (
    "id" UUID NOT NULL,
    "job_id" UUID NOT NULL,
    "attempt" INTEGER NOT NULL,
    "rank" INTEGER NOT NULL DEFAULT 0,
    "path" TEXT NOT NULL,
    "bytes" BIGINT NOT NULL,
    "sha256" TEXT NOT NULL,
    "stored_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "artifacts_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "terminal_inputs_task_id_id_idx" ON "terminal_inputs"("task_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "archives_project_id_hash_key" ON "archives"("project_id", "hash");

-- CreateIndex
CREATE UNIQUE INDEX "artifacts_job_id_attempt_rank_path_key" ON "artifacts"("job_id", "attempt", "rank", "path");

-- AddForeignKey
ALTER TABLE "jobs" ADD CONSTRAINT "jobs_archive_id_fkey" FOREIGN KEY ("archive_id") REFERENCES "archives"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "terminal_inputs" ADD CONSTRAINT "terminal_inputs_task_id_fkey" FOREIGN KEY ("task_id") REFERENCES "tasks"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "archives" ADD CONSTRAINT "archives_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "archive_blobs" ADD CONSTRAINT "archive_blobs_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "artifacts" ADD CONSTRAINT "artifacts_job_id_fkey" FOREIGN KEY ("job_id") REFERENCES "jobs"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- One live run of a name in a project.
CREATE UNIQUE INDEX "jobs_one_live_run" ON "jobs" ("project_id", "run_name")
  WHERE "run_name" IS NOT NULL AND "status" IN ('pending', 'scheduled', 'running');

-- Two live attempts never share a subnet.
CREATE UNIQUE INDEX "jobs_one_network" ON "jobs" ("network_index") WHERE "network_index" IS NOT NULL;

-- Whether a job like this one is alive or has completed.
CREATE INDEX "jobs_same_content" ON "jobs" ("user_id", "content_hash") WHERE "content_hash" IS NOT NULL;

ALTER TABLE "projects" ADD CONSTRAINT "projects_retention_check" CHECK ("retention_days" >= 1);
ALTER TABLE "users" ADD CONSTRAINT "users_unix_ids_check" CHECK ("unix_uid" >= 1000 AND "unix_gid" >= 1);
