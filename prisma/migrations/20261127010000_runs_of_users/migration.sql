-- A run belonged to a project and a name. Now it belongs to a user, or to the project if its members share runs.

-- AlterTable
ALTER TABLE "projects" ADD COLUMN     "share_runs" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "runs" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "user_id" UUID,
    "name" TEXT NOT NULL,
    "directory" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "runs_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "run_users" (
    "run_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,

    CONSTRAINT "run_users_pkey" PRIMARY KEY ("run_id","user_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "runs_project_id_user_id_name_key" ON "runs"("project_id", "user_id", "name");

-- CreateIndex
CREATE UNIQUE INDEX "runs_project_id_directory_key" ON "runs"("project_id", "directory");

-- The index above does not compare rows without a user.
CREATE UNIQUE INDEX "runs_of_project" ON "runs" ("project_id", "name") WHERE "user_id" IS NULL;

-- AddForeignKey
ALTER TABLE "runs" ADD CONSTRAINT "runs_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "runs" ADD CONSTRAINT "runs_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "run_users" ADD CONSTRAINT "run_users_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "runs"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "run_users" ADD CONSTRAINT "run_users_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- The users of each run, in the order of their oldest jobs.
CREATE TEMPORARY TABLE "run_uses" AS
  SELECT "project_id", "run_name", "user_id",
         row_number() OVER (PARTITION BY "project_id", "run_name" ORDER BY min("created_at"), min("id"::text)) AS "place"
    FROM "jobs" WHERE "run_name" IS NOT NULL GROUP BY 1, 2, 3;

-- Strangers may have joined these projects. A revoked link counts too, and one that was removed after it expired.
CREATE TEMPORARY TABLE "joined_projects" AS
  SELECT p."id" FROM "projects" p JOIN "users" o ON o."id" = p."owner_id"
   WHERE EXISTS (SELECT 1 FROM "join_links" l WHERE l."project_id" = p."id")
      OR EXISTS (SELECT 1 FROM "audit_events" e
                  WHERE (e."action" = 'join_link_created' OR e."action" = 'project_joined' AND e."detail" ? 'join_link') AND e."target" = o."handle" || '/' || p."slug");

-- Each run belongs to the user of its oldest job; without a job, to the owner of the project. Its files stay where they are.
INSERT INTO "runs" ("id", "project_id", "user_id", "name", "directory")
SELECT gen_random_uuid(), p."id", coalesce(u."user_id", p."owner_id"), r."run_name", r."run_name"
  FROM (SELECT "project_id", "run_name" FROM "run_uses"
        UNION SELECT "project_id", "run_name" FROM "checkpoint_files"
        UNION SELECT "project_id", "run_name" FROM "run_directories") r
  JOIN "projects" p ON p."id" = r."project_id"
  LEFT JOIN "run_uses" u ON u."project_id" = r."project_id" AND u."run_name" = r."run_name" AND u."place" = 1;

-- Other members who used it continue to share it, unless strangers can be members.
INSERT INTO "run_users" ("run_id", "user_id")
SELECT r."id", u."user_id" FROM "run_uses" u
  JOIN "runs" r ON r."project_id" = u."project_id" AND r."name" = u."run_name"
  JOIN "projects" p ON p."id" = u."project_id"
 WHERE u."place" > 1 AND p."id" NOT IN (SELECT "id" FROM "joined_projects")
   AND (p."owner_id" = u."user_id" OR EXISTS (SELECT 1 FROM "memberships" m WHERE m."project_id" = p."id" AND m."user_id" = u."user_id"));

-- In the other projects, each further user has an own run, without files.
INSERT INTO "runs" ("id", "project_id", "user_id", "name", "directory")
SELECT n."id", n."project_id", n."user_id", n."run_name", n."id"::text
  FROM (SELECT gen_random_uuid() AS "id", u.* FROM "run_uses" u
         WHERE u."place" > 1 AND u."project_id" IN (SELECT "id" FROM "joined_projects")) n;

-- Admins read in the audit log which runs stay shared. The page of the project shows them to its owner.
INSERT INTO "audit_events" ("id", "actor_id", "action", "target", "detail")
SELECT gen_random_uuid(), NULL, 'run_stays_shared', o."handle" || '/' || p."slug",
       jsonb_build_object('run', r."name", 'owner', f."handle", 'users', count(*),
                          'first_users', (array_agg(u."handle" ORDER BY lower(u."handle")))[1:20])
  FROM "run_users" s JOIN "users" u ON u."id" = s."user_id" JOIN "runs" r ON r."id" = s."run_id"
  JOIN "users" f ON f."id" = r."user_id" JOIN "projects" p ON p."id" = r."project_id" JOIN "users" o ON o."id" = p."owner_id"
 GROUP BY r."id", r."name", f."handle", o."handle", p."slug";

-- AlterTable
ALTER TABLE "jobs" ADD COLUMN     "named_run_id" UUID;

UPDATE "jobs" j SET "named_run_id" = (
    SELECT r."id" FROM "runs" r WHERE r."project_id" = j."project_id" AND r."name" = j."run_name"
     ORDER BY r."user_id" = j."user_id" DESC, r."directory" = r."name" DESC LIMIT 1)
 WHERE j."run_name" IS NOT NULL;

DROP INDEX "jobs_one_live_run";
ALTER TABLE "jobs" DROP COLUMN "run_name";

-- AddForeignKey
ALTER TABLE "jobs" ADD CONSTRAINT "jobs_named_run_id_fkey" FOREIGN KEY ("named_run_id") REFERENCES "runs"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- One live job of a run.
CREATE UNIQUE INDEX "jobs_one_live_run" ON "jobs" ("named_run_id")
  WHERE "named_run_id" IS NOT NULL AND "status" IN ('pending', 'scheduled', 'running');

-- Few jobs have a run, so this index costs the others nothing.
CREATE INDEX "jobs_of_run" ON "jobs" ("named_run_id") WHERE "named_run_id" IS NOT NULL;

-- The files do not change, only what their rows refer to: no trigger needs to count them.
DROP TRIGGER "count_added" ON "checkpoint_files";
DROP TRIGGER "count_changed" ON "checkpoint_files";
DROP TRIGGER "count_removed" ON "checkpoint_files";
DROP TRIGGER "count_added" ON "run_directories";
DROP TRIGGER "count_changed" ON "run_directories";
DROP TRIGGER "count_removed" ON "run_directories";

ALTER TABLE "checkpoint_files" ADD COLUMN     "run_id" UUID;
UPDATE "checkpoint_files" c SET "run_id" = r."id" FROM "runs" r
 WHERE r."project_id" = c."project_id" AND r."directory" = c."run_name";

ALTER TABLE "run_directories" ADD COLUMN     "run_id" UUID;
UPDATE "run_directories" d SET "run_id" = r."id" FROM "runs" r
 WHERE r."project_id" = d."project_id" AND r."directory" = d."run_name";

-- Checkpoints count to the user of their run; those of a project's run to the owner of the project, as archives do.
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
  SELECT coalesce(r."user_id", p."owner_id"), p."id", 'checkpoints', f."bytes"
    FROM (SELECT "run_id", "bytes" FROM "checkpoint_files" UNION ALL SELECT "run_id", "bytes" FROM "run_directories") f
    JOIN "runs" r ON r."id" = f."run_id" JOIN "projects" p ON p."id" = r."project_id"
  UNION ALL
  SELECT j."user_id", j."project_id", 'artifacts', coalesce(w."stored_bytes", w."bytes")
    FROM "working_files" w JOIN "jobs" j ON j."id" = w."job_id";

-- DropForeignKey
ALTER TABLE "checkpoint_files" DROP CONSTRAINT "checkpoint_files_project_id_fkey";

-- DropForeignKey
ALTER TABLE "run_directories" DROP CONSTRAINT "run_directories_project_id_fkey";

-- AlterTable
ALTER TABLE "checkpoint_files" DROP CONSTRAINT "checkpoint_files_pkey",
DROP COLUMN "project_id",
DROP COLUMN "run_name",
ALTER COLUMN "run_id" SET NOT NULL,
ADD CONSTRAINT "checkpoint_files_pkey" PRIMARY KEY ("run_id", "path");

-- AlterTable
ALTER TABLE "run_directories" DROP CONSTRAINT "run_directories_pkey",
DROP COLUMN "project_id",
DROP COLUMN "run_name",
ALTER COLUMN "run_id" SET NOT NULL,
ADD CONSTRAINT "run_directories_pkey" PRIMARY KEY ("run_id");

-- AddForeignKey
ALTER TABLE "checkpoint_files" ADD CONSTRAINT "checkpoint_files_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "runs"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "run_directories" ADD CONSTRAINT "run_directories_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "runs"("id") ON DELETE CASCADE ON UPDATE CASCADE;

CREATE FUNCTION "count_checkpoints"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO storage_changes (user_id, project_id, kind, bytes)
    SELECT coalesce(r.user_id, p.owner_id), p.id, 'checkpoints', sum(f.bytes)
      FROM added f JOIN runs r ON r.id = f.run_id JOIN projects p ON p.id = r.project_id
     GROUP BY 1, 2 HAVING sum(f.bytes) <> 0;
  END IF;
  IF TG_OP <> 'INSERT' THEN
    INSERT INTO storage_changes (user_id, project_id, kind, bytes)
    SELECT coalesce(r.user_id, p.owner_id), p.id, 'checkpoints', -sum(f.bytes)
      FROM removed f JOIN runs r ON r.id = f.run_id JOIN projects p ON p.id = r.project_id
     GROUP BY 1, 2 HAVING sum(f.bytes) <> 0;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER "count_added" AFTER INSERT ON "checkpoint_files" REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_checkpoints();
CREATE TRIGGER "count_changed" AFTER UPDATE ON "checkpoint_files" REFERENCING OLD TABLE AS removed NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_checkpoints();
CREATE TRIGGER "count_removed" AFTER DELETE ON "checkpoint_files" REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION count_checkpoints();

CREATE TRIGGER "count_added" AFTER INSERT ON "run_directories" REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_checkpoints();
CREATE TRIGGER "count_changed" AFTER UPDATE ON "run_directories" REFERENCING OLD TABLE AS removed NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_checkpoints();
CREATE TRIGGER "count_removed" AFTER DELETE ON "run_directories" REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION count_checkpoints();

DELETE FROM "storage_changes" WHERE "kind" = 'checkpoints';
INSERT INTO "storage_changes" ("user_id", "project_id", "kind", "bytes")
SELECT "user_id", "project_id", "kind", sum("bytes") FROM "stored_bytes" WHERE "kind" = 'checkpoints' GROUP BY 1, 2, 3 HAVING sum("bytes") <> 0;

DROP TABLE "run_uses", "joined_projects";
