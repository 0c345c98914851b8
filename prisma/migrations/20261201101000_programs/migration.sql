-- Each program is stored once, and jobs refer to it by its SHA-256. gpuq moves the programs of earlier jobs in batches, before it
-- applies the next migration (lib/database/move-programs).
CREATE TABLE "programs" (
    "hash" BYTEA NOT NULL,
    "content" BYTEA NOT NULL,

    CONSTRAINT "programs_pkey" PRIMARY KEY ("hash")
);

ALTER TABLE "jobs" ADD COLUMN "program_hash" BYTEA;

-- What a job stores stays the same while its program is moved.
DROP TRIGGER "count_source" ON "jobs";
DROP FUNCTION count_changed_source();
