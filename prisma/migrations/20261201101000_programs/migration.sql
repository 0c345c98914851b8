-- Each program is stored once, and jobs refer to it by its SHA-256. gpuq moves the programs of ended jobs in batches, before it
-- applies the next migration (lib/database/move-programs), which moves the others.
CREATE TABLE "programs" (
    "hash" BYTEA NOT NULL,
    "content" BYTEA NOT NULL,

    CONSTRAINT "programs_pkey" PRIMARY KEY ("hash")
);

ALTER TABLE "jobs" ADD COLUMN "program_hash" BYTEA;

-- What a job stores stays the same while its program is moved. It changes when a server of the earlier version deletes its files.
DROP TRIGGER "count_source" ON "jobs";
CREATE TRIGGER "count_source" AFTER UPDATE OF "code" ON "jobs" FOR EACH ROW
  WHEN (OLD."program_hash" IS NOT DISTINCT FROM NEW."program_hash" AND octet_length(OLD."code") <> octet_length(NEW."code"))
  EXECUTE FUNCTION count_changed_source();
