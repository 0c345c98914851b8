-- CreateTable
CREATE TABLE "working_files" (
    "id" UUID NOT NULL,
    "job_id" UUID NOT NULL,
    "attempt" INTEGER NOT NULL,
    "rank" INTEGER NOT NULL,
    "path" TEXT NOT NULL,
    "bytes" BIGINT NOT NULL,
    "stored_bytes" BIGINT,
    "sha256" TEXT NOT NULL,
    "executable" BOOLEAN NOT NULL,
    "version" BIGSERIAL NOT NULL,
    "stored_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "working_files_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "working_files_job_id_version_idx" ON "working_files"("job_id", "version");

-- CreateIndex
CREATE UNIQUE INDEX "working_files_job_id_rank_path_key" ON "working_files"("job_id", "rank", "path");

-- AddForeignKey
ALTER TABLE "working_files" ADD CONSTRAINT "working_files_job_id_fkey" FOREIGN KEY ("job_id") REFERENCES "jobs"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- They count as artifacts of the job.
CREATE OR REPLACE VIEW "stored_bytes" AS
  SELECT "user_id", "project_id", 'sources'::"StorageKind" AS "kind", octet_length("code")::int8 AS "bytes" FROM "jobs"
  UNION ALL
  SELECT j."user_id", j."project_id", 'results', f."bytes" FROM "result_files" f JOIN "jobs" j ON j."id" = f."job_id"
   WHERE f."bytes" IS NOT NULL
  UNION ALL
  SELECT j."user_id", j."project_id", 'artifacts', coalesce(a."stored_bytes", a."bytes")
    FROM "artifacts" a JOIN "jobs" j ON j."id" = a."job_id"
  UNION ALL
  SELECT p."owner_id", p."id", 'archives', b."bytes" FROM "archive_blobs" b JOIN "projects" p ON p."id" = b."project_id"
  UNION ALL
  SELECT p."owner_id", p."id", 'checkpoints', c."bytes"
    FROM "checkpoint_files" c JOIN "projects" p ON p."id" = c."project_id"
  UNION ALL
  SELECT p."owner_id", p."id", 'checkpoints', d."bytes"
    FROM "run_directories" d JOIN "projects" p ON p."id" = d."project_id"
  UNION ALL
  SELECT j."user_id", j."project_id", 'artifacts', coalesce(w."stored_bytes", w."bytes")
    FROM "working_files" w JOIN "jobs" j ON j."id" = w."job_id";

-- The function reads only the columns that both tables have. A version is never updated.
CREATE TRIGGER "count_added" AFTER INSERT ON "working_files" REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_artifacts();
CREATE TRIGGER "count_removed" AFTER DELETE ON "working_files" REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION count_artifacts();
