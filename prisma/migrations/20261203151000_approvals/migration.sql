-- AlterTable
ALTER TABLE "api_tokens" ADD COLUMN     "stopped_at" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "approval_requests" (
    "id" UUID NOT NULL,
    "job_id" UUID,
    "group_id" UUID,
    "gpu_hours" DOUBLE PRECISION NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "approval_requests_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "approval_requests_job_id_key" ON "approval_requests"("job_id");

-- CreateIndex
CREATE UNIQUE INDEX "approval_requests_group_id_key" ON "approval_requests"("group_id");

-- CreateIndex
CREATE INDEX "approval_requests_created_at_idx" ON "approval_requests"("created_at");

-- AddForeignKey
ALTER TABLE "approval_requests" ADD CONSTRAINT "approval_requests_job_id_fkey" FOREIGN KEY ("job_id") REFERENCES "jobs"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "approval_requests" ADD CONSTRAINT "approval_requests_group_id_fkey" FOREIGN KEY ("group_id") REFERENCES "job_groups"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- It is for a job or for a group, and has its id.
ALTER TABLE approval_requests ADD CONSTRAINT approval_requests_target CHECK (num_nonnulls(job_id, group_id) = 1 AND id = coalesce(job_id, group_id));
