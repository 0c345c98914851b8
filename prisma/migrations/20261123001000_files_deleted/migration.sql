-- CreateEnum
CREATE TYPE "FilesDeleted" AS ENUM ('on_request', 'retention');

-- AlterTable
ALTER TABLE "jobs" ADD COLUMN     "files_deleted" "FilesDeleted";

-- Until now 0 days meant "on request", while 0 days of retention mean "never".
UPDATE "jobs"
   SET "files_deleted" = CASE "deleted_after_days" WHEN 0 THEN 'on_request' ELSE 'retention' END::"FilesDeleted",
       "deleted_after_days" = nullif("deleted_after_days", 0)
 WHERE "deleted_after_days" IS NOT NULL;

ALTER TABLE "jobs" ADD CONSTRAINT "jobs_files_deleted_check"
  CHECK (("files_deleted" IS NOT DISTINCT FROM 'retention') = ("deleted_after_days" IS NOT NULL) AND "deleted_after_days" > 0);
