-- Programs of live jobs stayed in their rows, because workers of the earlier version read them there. They are moved now, with those of
-- jobs that ended or came since the last batch. Nobody can read or change a job meanwhile.
LOCK TABLE "jobs";

INSERT INTO "programs" ("hash", "content")
SELECT DISTINCT ON (sha256("code")) sha256("code"), "code" FROM "jobs" WHERE "code" <> '' ORDER BY sha256("code")
ON CONFLICT DO NOTHING;

-- Counts changes of the column "code".
DROP TRIGGER "count_source" ON "jobs";

UPDATE "jobs" SET "program_hash" = sha256("code") WHERE "code" <> '';

-- Nothing is dropped before it has been copied.
DO $$
BEGIN
  IF EXISTS (SELECT 1 FROM "jobs" j LEFT JOIN "programs" p ON p."hash" = j."program_hash"
              WHERE j."code" <> '' AND j."code" IS DISTINCT FROM p."content") THEN
    RAISE EXCEPTION 'jobs.code has programs that were not copied.';
  END IF;
END $$;

CREATE OR REPLACE VIEW "stored_bytes" AS
  SELECT j.user_id, j.project_id, 'sources'::"StorageKind" AS kind, octet_length(p.content)::int8 AS bytes
    FROM jobs j JOIN programs p ON p.hash = j.program_hash
  UNION ALL
  SELECT j.user_id, j.project_id, 'results', f.bytes FROM result_files f JOIN jobs j ON j.id = f.job_id
   WHERE f.bytes IS NOT NULL
  UNION ALL
  SELECT j.user_id, j.project_id, 'artifacts', coalesce(a.stored_bytes, a.bytes)
    FROM artifacts a JOIN jobs j ON j.id = a.job_id
  UNION ALL
  SELECT p.owner_id, p.id, 'archives', b.bytes FROM archive_blobs b JOIN projects p ON p.id = b.project_id
  UNION ALL
  SELECT coalesce(r.user_id, p.owner_id), p.id, 'checkpoints', f.bytes
    FROM (SELECT run_id, bytes FROM checkpoint_files UNION ALL SELECT run_id, bytes FROM run_directories) f
    JOIN runs r ON r.id = f.run_id JOIN projects p ON p.id = r.project_id
  UNION ALL
  SELECT j.user_id, j.project_id, 'artifacts', coalesce(w.stored_bytes, w.bytes)
    FROM working_files w JOIN jobs j ON j.id = w.job_id;

-- With the column goes the check that names it.
ALTER TABLE "jobs" DROP COLUMN "code";

ALTER TABLE "jobs" ADD CONSTRAINT "jobs_program_check" CHECK ("command" IS NULL OR "program_hash" IS NULL);
ALTER TABLE "jobs" ADD CONSTRAINT "jobs_program_hash_fkey" FOREIGN KEY ("program_hash") REFERENCES "programs"("hash") ON DELETE RESTRICT ON UPDATE CASCADE;

CREATE INDEX "jobs_of_program" ON "jobs" ("program_hash") WHERE "program_hash" IS NOT NULL;

CREATE OR REPLACE FUNCTION count_sources() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO storage_changes (user_id, project_id, kind, bytes)
  SELECT a.user_id, a.project_id, 'sources', sum(octet_length(p.content))
    FROM added a JOIN programs p ON p.hash = a.program_hash GROUP BY 1, 2;
  RETURN NULL;
END $$;

-- The source of a job is stored once, but counts for each job.
CREATE OR REPLACE FUNCTION count_changed_source() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO storage_changes (user_id, project_id, kind, bytes)
  SELECT NEW.user_id, NEW.project_id, 'sources',
         coalesce((SELECT octet_length(content) FROM programs WHERE hash = NEW.program_hash), 0)
         - coalesce((SELECT octet_length(content) FROM programs WHERE hash = OLD.program_hash), 0);
  RETURN NULL;
END $$;

-- Jobs change often, their source almost never: this runs only for statements that name the column.
CREATE TRIGGER "count_source" AFTER UPDATE OF "program_hash" ON "jobs"
  FOR EACH ROW WHEN (OLD."program_hash" IS DISTINCT FROM NEW."program_hash") EXECUTE FUNCTION count_changed_source();

-- The earlier version did not know that a program had been moved when it deleted the files of its job.
UPDATE "jobs" SET "program_hash" = NULL WHERE "files_deleted" = 'on_request' AND "program_hash" IS NOT NULL;
DELETE FROM "programs" p WHERE NOT EXISTS (SELECT 1 FROM "jobs" j WHERE j."program_hash" = p."hash");
