-- AlterTable
ALTER TABLE "api_tokens" ADD COLUMN     "limits" JSONB;

-- AlterTable
ALTER TABLE "runs" ADD COLUMN     "token_id" UUID;

-- DropIndex
DROP INDEX "runs_project_id_user_id_name_key";

-- AddForeignKey
ALTER TABLE "runs" ADD CONSTRAINT "runs_token_id_fkey" FOREIGN KEY ("token_id") REFERENCES "api_tokens"("id") ON DELETE NO ACTION ON UPDATE CASCADE;

-- The token of an agent submits and reads too. It is bound to no class.
ALTER TABLE "api_tokens" ADD CONSTRAINT "api_tokens_agent_check"
  CHECK ("limits" IS NULL OR ("project_id" IS NULL AND "scopes" <@ ARRAY['submit', 'read']));

-- A run belongs to all members of the project, to a user, or to the token of an agent. Each has a name once.
CREATE UNIQUE INDEX runs_of_user ON runs (project_id, user_id, name) WHERE token_id IS NULL;

CREATE UNIQUE INDEX runs_of_token ON runs (token_id, project_id, name) WHERE token_id IS NOT NULL;
