-- AlterTable
ALTER TABLE "jobs" ADD COLUMN     "token_id" UUID;

-- AlterTable
ALTER TABLE "job_groups" ADD COLUMN     "token_id" UUID;

-- AddForeignKey
ALTER TABLE "jobs" ADD CONSTRAINT "jobs_token_id_fkey" FOREIGN KEY ("token_id") REFERENCES "api_tokens"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "job_groups" ADD CONSTRAINT "job_groups_token_id_fkey" FOREIGN KEY ("token_id") REFERENCES "api_tokens"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- The jobs of a token, in the order of lists.
CREATE INDEX jobs_of_token ON jobs (token_id, created_at DESC, id DESC) WHERE token_id IS NOT NULL;

CREATE INDEX job_groups_of_token ON job_groups (token_id, created_at DESC, id DESC) WHERE token_id IS NOT NULL;
