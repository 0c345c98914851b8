-- CreateTable
CREATE TABLE "result_shares" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "created_by_id" UUID NOT NULL,
    "hash" BYTEA NOT NULL,
    "title" TEXT,
    "job_ids" UUID[],
    "columns" TEXT[],
    "metrics" TEXT[],
    "group_by" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "result_shares_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "result_shares_hash_key" ON "result_shares"("hash");

-- CreateIndex
CREATE INDEX "result_shares_created_by_id_idx" ON "result_shares"("created_by_id");

-- AddForeignKey
ALTER TABLE "result_shares" ADD CONSTRAINT "result_shares_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "result_shares" ADD CONSTRAINT "result_shares_created_by_id_fkey" FOREIGN KEY ("created_by_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
