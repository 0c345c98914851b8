-- CreateEnum
CREATE TYPE "StorageKind" AS ENUM ('artifacts', 'results', 'sources', 'archives', 'checkpoints');

-- AlterTable
ALTER TABLE "users" ADD COLUMN     "storage_quota_gib" DOUBLE PRECISION;

-- AlterTable
ALTER TABLE "projects" ADD COLUMN     "storage_quota_gib" DOUBLE PRECISION;

-- AlterTable
ALTER TABLE "artifacts" ADD COLUMN     "stored_bytes" BIGINT;

-- AlterTable
ALTER TABLE "policies" ADD COLUMN     "retention_from" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP;

-- CreateTable
CREATE TABLE "storage_changes" (
    "id" BIGSERIAL NOT NULL,
    "user_id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "kind" "StorageKind" NOT NULL,
    "bytes" BIGINT NOT NULL,

    CONSTRAINT "storage_changes_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "run_directories" (
    "project_id" UUID NOT NULL,
    "run_name" TEXT NOT NULL,
    "bytes" BIGINT NOT NULL,
    "measured_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "delete_requested_at" TIMESTAMPTZ(3),

    CONSTRAINT "run_directories_pkey" PRIMARY KEY ("project_id","run_name")
);

-- CreateIndex
CREATE INDEX "storage_changes_user_id_idx" ON "storage_changes"("user_id");

-- CreateIndex
CREATE INDEX "storage_changes_project_id_idx" ON "storage_changes"("project_id");

-- AddForeignKey
ALTER TABLE "run_directories" ADD CONSTRAINT "run_directories_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- 0 days: forever. Null is the default now.
ALTER TABLE "projects" DROP CONSTRAINT "projects_retention_check";
ALTER TABLE "projects" ADD CONSTRAINT "projects_retention_check" CHECK ("retention_days" >= 0);

-- What is stored, to whom it counts, and how many bytes it takes. Files of a job count to its user; archives and
-- checkpoints, which all jobs of a project share, to the owner of the project.
CREATE VIEW "stored_bytes" AS
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
    FROM "run_directories" d JOIN "projects" p ON p."id" = d."project_id";

-- Every change of a size is a new row, never an update: two transactions that store files of one user do not wait for
-- each other. The leader adds the rows up regularly. Rows of deleted users and projects have no foreign key, because a
-- cascade would insert them after their project is gone; the leader removes them.

CREATE FUNCTION "count_sources"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO storage_changes (user_id, project_id, kind, bytes)
  SELECT user_id, project_id, 'sources', sum(octet_length(code)) FROM added GROUP BY 1, 2
  HAVING sum(octet_length(code)) <> 0;
  RETURN NULL;
END $$;

CREATE FUNCTION "count_changed_source"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO storage_changes (user_id, project_id, kind, bytes)
  VALUES (NEW.user_id, NEW.project_id, 'sources', octet_length(NEW.code) - octet_length(OLD.code));
  RETURN NULL;
END $$;

CREATE FUNCTION "count_results"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO storage_changes (user_id, project_id, kind, bytes)
    SELECT j.user_id, j.project_id, 'results', sum(f.bytes) FROM added f JOIN jobs j ON j.id = f.job_id
     GROUP BY 1, 2 HAVING sum(f.bytes) <> 0;
  END IF;
  IF TG_OP <> 'INSERT' THEN
    INSERT INTO storage_changes (user_id, project_id, kind, bytes)
    SELECT j.user_id, j.project_id, 'results', -sum(f.bytes) FROM removed f JOIN jobs j ON j.id = f.job_id
     GROUP BY 1, 2 HAVING sum(f.bytes) <> 0;
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION "count_artifacts"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO storage_changes (user_id, project_id, kind, bytes)
    SELECT j.user_id, j.project_id, 'artifacts', sum(coalesce(a.stored_bytes, a.bytes))
      FROM added a JOIN jobs j ON j.id = a.job_id GROUP BY 1, 2 HAVING sum(coalesce(a.stored_bytes, a.bytes)) <> 0;
  END IF;
  IF TG_OP <> 'INSERT' THEN
    INSERT INTO storage_changes (user_id, project_id, kind, bytes)
    SELECT j.user_id, j.project_id, 'artifacts', -sum(coalesce(a.stored_bytes, a.bytes))
      FROM removed a JOIN jobs j ON j.id = a.job_id GROUP BY 1, 2 HAVING sum(coalesce(a.stored_bytes, a.bytes)) <> 0;
  END IF;
  RETURN NULL;
END $$;

-- Of a table with project_id and bytes; the argument is the kind.
CREATE FUNCTION "count_project_storage"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO storage_changes (user_id, project_id, kind, bytes)
    SELECT p.owner_id, p.id, TG_ARGV[0]::"StorageKind", sum(f.bytes) FROM added f JOIN projects p ON p.id = f.project_id
     GROUP BY 1, 2 HAVING sum(f.bytes) <> 0;
  END IF;
  IF TG_OP <> 'INSERT' THEN
    INSERT INTO storage_changes (user_id, project_id, kind, bytes)
    SELECT p.owner_id, p.id, TG_ARGV[0]::"StorageKind", -sum(f.bytes)
      FROM removed f JOIN projects p ON p.id = f.project_id GROUP BY 1, 2 HAVING sum(f.bytes) <> 0;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER "count_added" AFTER INSERT ON "jobs" REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_sources();
-- Jobs change often, their source almost never: this runs only for statements that name the column.
CREATE TRIGGER "count_source" AFTER UPDATE OF "code" ON "jobs"
  FOR EACH ROW WHEN (octet_length(OLD."code") <> octet_length(NEW."code")) EXECUTE FUNCTION count_changed_source();

CREATE TRIGGER "count_added" AFTER INSERT ON "result_files" REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_results();
CREATE TRIGGER "count_changed" AFTER UPDATE ON "result_files" REFERENCING OLD TABLE AS removed NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_results();
CREATE TRIGGER "count_removed" AFTER DELETE ON "result_files" REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION count_results();

CREATE TRIGGER "count_added" AFTER INSERT ON "artifacts" REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_artifacts();
CREATE TRIGGER "count_changed" AFTER UPDATE ON "artifacts" REFERENCING OLD TABLE AS removed NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_artifacts();
CREATE TRIGGER "count_removed" AFTER DELETE ON "artifacts" REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION count_artifacts();

CREATE TRIGGER "count_added" AFTER INSERT ON "archive_blobs" REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_project_storage('archives');
CREATE TRIGGER "count_changed" AFTER UPDATE ON "archive_blobs" REFERENCING OLD TABLE AS removed NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_project_storage('archives');
CREATE TRIGGER "count_removed" AFTER DELETE ON "archive_blobs" REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION count_project_storage('archives');

CREATE TRIGGER "count_added" AFTER INSERT ON "checkpoint_files" REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_project_storage('checkpoints');
CREATE TRIGGER "count_changed" AFTER UPDATE ON "checkpoint_files" REFERENCING OLD TABLE AS removed NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_project_storage('checkpoints');
CREATE TRIGGER "count_removed" AFTER DELETE ON "checkpoint_files" REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION count_project_storage('checkpoints');

CREATE TRIGGER "count_added" AFTER INSERT ON "run_directories" REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_project_storage('checkpoints');
CREATE TRIGGER "count_changed" AFTER UPDATE ON "run_directories" REFERENCING OLD TABLE AS removed NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_project_storage('checkpoints');
CREATE TRIGGER "count_removed" AFTER DELETE ON "run_directories" REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION count_project_storage('checkpoints');

-- What an existing installation has stored.
INSERT INTO "storage_changes" ("user_id", "project_id", "kind", "bytes")
SELECT "user_id", "project_id", "kind", sum("bytes") FROM "stored_bytes" GROUP BY 1, 2, 3 HAVING sum("bytes") <> 0;
