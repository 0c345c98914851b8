-- AlterTable
ALTER TABLE "environments" ADD COLUMN     "ran_at" TIMESTAMPTZ(3);

-- What ran before this was written down: a digest is there once a container is.
UPDATE "environments" SET "ran_at" = now() WHERE EXISTS (
  SELECT 1 FROM "jobs" WHERE "jobs"."environment_id" = "environments"."id" AND "jobs"."image_digest" IS NOT NULL);
