-- CreateTable
CREATE TABLE "job_mounts" (
    "job_id" UUID NOT NULL,
    "path" TEXT NOT NULL,
    "snapshot_id" UUID,
    "name" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "hash" BYTEA NOT NULL,

    CONSTRAINT "job_mounts_pkey" PRIMARY KEY ("job_id","path")
);

-- CreateIndex
CREATE INDEX "job_mounts_snapshot_id_idx" ON "job_mounts"("snapshot_id");

-- AddForeignKey
ALTER TABLE "job_mounts" ADD CONSTRAINT "job_mounts_job_id_fkey" FOREIGN KEY ("job_id") REFERENCES "jobs"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "job_mounts" ADD CONSTRAINT "job_mounts_snapshot_id_fkey" FOREIGN KEY ("snapshot_id") REFERENCES "snapshots"("id") ON DELETE SET NULL ON UPDATE CASCADE;
