-- CreateTable
CREATE TABLE "archive_holders" (
    "archive_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "held_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "archive_holders_pkey" PRIMARY KEY ("archive_id","user_id")
);

-- AddForeignKey
ALTER TABLE "archive_holders" ADD CONSTRAINT "archive_holders_archive_id_fkey" FOREIGN KEY ("archive_id") REFERENCES "archives"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "archive_holders" ADD CONSTRAINT "archive_holders_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE NO ACTION ON UPDATE CASCADE;

-- The users who have uploaded a directory, as far as its jobs and its snapshots tell. A job that names a snapshot did not
-- upload it.
INSERT INTO "archive_holders" ("archive_id", "user_id", "held_at")
SELECT a."id", j."user_id", a."created_at" FROM "archives" a JOIN "jobs" j ON j."archive_id" = a."id"
 WHERE j."project_id" = a."project_id" AND coalesce(j."spec"->>'archive', '') IN ('', encode(a."hash", 'hex'))
UNION
SELECT a."id", s."created_by_id", a."created_at" FROM "archives" a JOIN "snapshots" s ON s."archive_id" = a."id"
 WHERE s."created_by_id" IS NOT NULL;

-- What is not known to be of anybody is the owner's, unless another member may have uploaded it for a job that was never
-- submitted. Such a directory is deleted, so that the owner does not learn of it. Its user uploads it again.
INSERT INTO "archive_holders" ("archive_id", "user_id", "held_at")
SELECT a."id", p."owner_id", a."created_at" FROM "archives" a JOIN "projects" p ON p."id" = a."project_id"
 WHERE NOT EXISTS (SELECT 1 FROM "archive_holders" h WHERE h."archive_id" = a."id")
   AND (EXISTS (SELECT 1 FROM "jobs" j WHERE j."archive_id" = a."id")
        OR EXISTS (SELECT 1 FROM "snapshots" s WHERE s."archive_id" = a."id")
        OR NOT EXISTS (SELECT 1 FROM "memberships" m WHERE m."project_id" = p."id"));
DELETE FROM "archives" a WHERE NOT EXISTS (SELECT 1 FROM "archive_holders" h WHERE h."archive_id" = a."id");

-- AlterTable
ALTER TABLE "archive_blobs" DROP CONSTRAINT "archive_blobs_pkey";
ALTER TABLE "archive_blobs" ADD COLUMN     "in_snapshot" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "user_id" UUID;

-- One row for each user who has a content. The triggers of the table count the rows.
INSERT INTO "archive_blobs" ("project_id", "hash", "user_id", "bytes", "stored_at", "in_snapshot")
SELECT b."project_id", b."hash", n."user_id", b."bytes", b."stored_at", n."in_snapshot"
  FROM "archive_blobs" b
  JOIN (SELECT a."project_id", decode(e->>'sha256', 'hex') AS "hash", h."user_id",
               bool_or(EXISTS (SELECT 1 FROM "snapshots" s WHERE s."archive_id" = a."id")) AS "in_snapshot"
          FROM "archives" a
          JOIN "archive_holders" h ON h."archive_id" = a."id"
         CROSS JOIN jsonb_array_elements(a."manifest"->'entries') e
         WHERE e ? 'sha256'
         GROUP BY 1, 2, 3) n ON n."project_id" = b."project_id" AND n."hash" = b."hash";

-- Contents of uploads that were not complete.
INSERT INTO "archive_blobs" ("project_id", "hash", "user_id", "bytes", "stored_at")
SELECT b."project_id", b."hash", p."owner_id", b."bytes", b."stored_at"
  FROM "archive_blobs" b JOIN "projects" p ON p."id" = b."project_id"
 WHERE b."user_id" IS NULL
   AND NOT EXISTS (SELECT 1 FROM "archive_blobs" o
                    WHERE o."project_id" = b."project_id" AND o."hash" = b."hash" AND o."user_id" IS NOT NULL)
   AND NOT EXISTS (SELECT 1 FROM "memberships" m WHERE m."project_id" = p."id");
DELETE FROM "archive_blobs" WHERE "user_id" IS NULL;

-- AlterTable
ALTER TABLE "archive_blobs" ALTER COLUMN "user_id" SET NOT NULL,
ADD CONSTRAINT "archive_blobs_pkey" PRIMARY KEY ("project_id", "hash", "user_id");

-- AddForeignKey
ALTER TABLE "archive_blobs" ADD CONSTRAINT "archive_blobs_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE NO ACTION ON UPDATE CASCADE;

-- Finds what every member of the project may read, however many users have it.
CREATE INDEX "archive_blobs_in_snapshot" ON "archive_blobs" ("project_id", "hash") WHERE "in_snapshot";
