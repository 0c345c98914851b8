-- CreateTable
CREATE TABLE "job_shares" (
    "id" UUID NOT NULL,
    "job_id" UUID NOT NULL,
    "hash" BYTEA NOT NULL,
    "source" BOOLEAN NOT NULL,
    "created_by_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "job_shares_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "job_shares_hash_key" ON "job_shares"("hash");

-- CreateIndex
CREATE INDEX "job_shares_job_id_idx" ON "job_shares"("job_id");

-- AddForeignKey
ALTER TABLE "job_shares" ADD CONSTRAINT "job_shares_job_id_fkey" FOREIGN KEY ("job_id") REFERENCES "jobs"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "job_shares" ADD CONSTRAINT "job_shares_created_by_id_fkey" FOREIGN KEY ("created_by_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
