-- CreateTable
CREATE TABLE "download_links" (
    "id" UUID NOT NULL,
    "hash" BYTEA NOT NULL,
    "job_id" UUID NOT NULL,
    "artifact_id" UUID,
    "created_by_id" UUID NOT NULL,
    "token_id" UUID,
    "session_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "download_links_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "download_links_hash_key" ON "download_links"("hash");

-- CreateIndex
CREATE INDEX "download_links_job_id_idx" ON "download_links"("job_id");

-- CreateIndex
CREATE INDEX "download_links_created_by_id_idx" ON "download_links"("created_by_id");

-- CreateIndex
CREATE INDEX "download_links_token_id_idx" ON "download_links"("token_id");

-- CreateIndex
CREATE INDEX "download_links_session_id_idx" ON "download_links"("session_id");

-- AddForeignKey
ALTER TABLE "download_links" ADD CONSTRAINT "download_links_job_id_fkey" FOREIGN KEY ("job_id") REFERENCES "jobs"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "download_links" ADD CONSTRAINT "download_links_created_by_id_fkey" FOREIGN KEY ("created_by_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "download_links" ADD CONSTRAINT "download_links_token_id_fkey" FOREIGN KEY ("token_id") REFERENCES "api_tokens"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "download_links" ADD CONSTRAINT "download_links_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- A link ends with the credential that made it, so it has one.
ALTER TABLE "download_links" ADD CONSTRAINT "download_links_credential" CHECK (num_nonnulls("token_id", "session_id") = 1);
