-- CreateIndex
CREATE INDEX "runs_user_id_idx" ON "runs"("user_id");

-- CreateIndex
CREATE INDEX "run_users_user_id_idx" ON "run_users"("user_id");

-- CreateIndex
CREATE INDEX "nodes_host_node_id_idx" ON "nodes"("host_node_id");

-- CreateIndex
CREATE INDEX "projects_bucket_id_idx" ON "projects"("bucket_id");

-- CreateIndex
CREATE INDEX "join_links_created_by_id_idx" ON "join_links"("created_by_id");

-- CreateIndex
CREATE INDEX "job_shares_created_by_id_idx" ON "job_shares"("created_by_id");

-- CreateIndex
CREATE INDEX "slurm_steps_node_id_idx" ON "slurm_steps"("node_id");

-- CreateIndex
CREATE INDEX "slurm_node_requests_requested_by_id_idx" ON "slurm_node_requests"("requested_by_id");

-- CreateIndex
CREATE INDEX "snapshots_created_by_id_idx" ON "snapshots"("created_by_id");

-- CreateIndex
CREATE INDEX "api_tokens_created_by_id_idx" ON "api_tokens"("created_by_id");

-- A step of a node that was deleted by hand.
DELETE FROM "slurm_steps" s WHERE NOT EXISTS (SELECT 1 FROM "nodes" n WHERE n."id" = s."node_id");

-- AddForeignKey
ALTER TABLE "slurm_steps" ADD CONSTRAINT "slurm_steps_node_id_fkey" FOREIGN KEY ("node_id") REFERENCES "nodes"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- A list is empty, never null. Prisma does not say so to the database.
UPDATE "accounting_days" SET "waits" = '{}' WHERE "waits" IS NULL;
ALTER TABLE "accounting_days" ALTER COLUMN "waits" SET NOT NULL;
UPDATE "api_tokens" SET "scopes" = '{}' WHERE "scopes" IS NULL;
ALTER TABLE "api_tokens" ALTER COLUMN "scopes" SET NOT NULL;
UPDATE "nodes" SET "warnings" = '{}' WHERE "warnings" IS NULL;
ALTER TABLE "nodes" ALTER COLUMN "warnings" SET DEFAULT ARRAY[]::TEXT[], ALTER COLUMN "warnings" SET NOT NULL;
UPDATE "policies" SET "set_by_environment" = '{}' WHERE "set_by_environment" IS NULL;
ALTER TABLE "policies" ALTER COLUMN "set_by_environment" SET NOT NULL;
UPDATE "result_shares" SET "job_ids" = '{}' WHERE "job_ids" IS NULL;
UPDATE "result_shares" SET "columns" = '{}' WHERE "columns" IS NULL;
UPDATE "result_shares" SET "metrics" = '{}' WHERE "metrics" IS NULL;
ALTER TABLE "result_shares" ALTER COLUMN "job_ids" SET NOT NULL, ALTER COLUMN "columns" SET NOT NULL, ALTER COLUMN "metrics" SET NOT NULL;
UPDATE "slurm_steps" SET "gpu_indexes" = '{}' WHERE "gpu_indexes" IS NULL;
ALTER TABLE "slurm_steps" ALTER COLUMN "gpu_indexes" SET NOT NULL;
DELETE FROM "task_usage" WHERE "cpu_cores" IS NULL OR "memory_mib" IS NULL;
ALTER TABLE "task_usage" ALTER COLUMN "cpu_cores" SET NOT NULL, ALTER COLUMN "memory_mib" SET NOT NULL;

-- The database refuses a scope that no version knows.
UPDATE "api_tokens" SET "scopes" = ARRAY(SELECT scope FROM unnest("scopes") AS scope WHERE scope IN ('submit', 'read', 'admin'))
 WHERE NOT "scopes" <@ ARRAY['submit', 'read', 'admin'];
ALTER TABLE "api_tokens" ADD CONSTRAINT "api_tokens_known_scopes" CHECK ("scopes" <@ ARRAY['submit', 'read', 'admin']);

-- A job that waited for itself would never start.
DELETE FROM "job_dependencies" WHERE "job_id" = "depends_on";
ALTER TABLE "job_dependencies" ADD CONSTRAINT "job_dependencies_others" CHECK ("job_id" <> "depends_on");
