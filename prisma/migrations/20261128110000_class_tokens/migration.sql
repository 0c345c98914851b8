-- AlterTable
ALTER TABLE "api_tokens" ADD COLUMN     "project_id" UUID;

-- CreateIndex
CREATE INDEX "api_tokens_project_id_user_id_idx" ON "api_tokens"("project_id", "user_id");

-- AddForeignKey
ALTER TABLE "api_tokens" ADD CONSTRAINT "api_tokens_project_id_user_id_fkey" FOREIGN KEY ("project_id", "user_id") REFERENCES "memberships"("project_id", "user_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- A token of a class submits and reads, and nothing else.
ALTER TABLE "api_tokens" ADD CONSTRAINT "api_tokens_class_check"
  CHECK ("project_id" IS NULL OR "scopes" <@ ARRAY['submit', 'read']);
