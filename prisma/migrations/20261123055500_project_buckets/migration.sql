-- AlterTable
ALTER TABLE "projects" ADD COLUMN     "bucket_id" UUID;

-- CreateTable
CREATE TABLE "buckets" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "endpoint" TEXT,
    "region" TEXT NOT NULL,
    "bucket" TEXT NOT NULL,
    "keys" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "keys_changed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "buckets_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "job_uploads" (
    "job_id" UUID NOT NULL,
    "bucket_id" UUID,
    "url" TEXT NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "next_try_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "settled_at" TIMESTAMPTZ(3),
    "problem" TEXT,

    CONSTRAINT "job_uploads_pkey" PRIMARY KEY ("job_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "buckets_name_key" ON "buckets"("name");

-- CreateIndex
CREATE INDEX "job_uploads_bucket_id_idx" ON "job_uploads"("bucket_id");

-- AddForeignKey
ALTER TABLE "projects" ADD CONSTRAINT "projects_bucket_id_fkey" FOREIGN KEY ("bucket_id") REFERENCES "buckets"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "job_uploads" ADD CONSTRAINT "job_uploads_job_id_fkey" FOREIGN KEY ("job_id") REFERENCES "jobs"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "job_uploads" ADD CONSTRAINT "job_uploads_bucket_id_fkey" FOREIGN KEY ("bucket_id") REFERENCES "buckets"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- Finds the due uploads without a scan of all jobs.
CREATE INDEX "job_uploads_due" ON "job_uploads" ("next_try_at") WHERE "settled_at" IS NULL;
