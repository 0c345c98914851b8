-- AlterTable
ALTER TABLE "jobs" ADD COLUMN     "note" TEXT,
ADD COLUMN     "starred" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "tags" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- The tags of earlier jobs are in their configs.
UPDATE "jobs" SET "tags" = ARRAY(SELECT DISTINCT jsonb_array_elements_text("spec"->'tags'))
 WHERE jsonb_typeof("spec"->'tags') = 'array' AND "spec"->'tags' <> '[]';

ALTER TABLE "jobs" ALTER COLUMN "tags" SET NOT NULL;
ALTER TABLE "jobs" ADD CONSTRAINT "jobs_few_tags" CHECK (cardinality("tags") <= 20),
ADD CONSTRAINT "jobs_short_note" CHECK (char_length("note") <= 4000);

-- Few jobs have a star or tags, so these indexes are small and cost other jobs nothing.
CREATE INDEX "jobs_starred" ON "jobs" ("user_id", "created_at" DESC, "id" DESC) WHERE "starred";
CREATE INDEX "jobs_tagged" ON "jobs" USING gin ("tags") WHERE "tags" <> '{}';
