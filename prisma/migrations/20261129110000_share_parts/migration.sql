-- AlterTable
-- Links that exist show what they showed before: the output, and no files.
ALTER TABLE "job_shares" ADD COLUMN     "files" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "metrics" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "output" BOOLEAN NOT NULL DEFAULT true;
