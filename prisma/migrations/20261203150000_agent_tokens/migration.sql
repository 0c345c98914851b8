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

-- The GPU hours that the jobs of a user, a project, a token or a group may use, with the period that is now. What is closed starts no more jobs.
CREATE OR REPLACE VIEW budgets AS
  SELECT b.*, CASE WHEN period = 'total' THEN '-infinity' ELSE date_trunc(period::text, now(), 'UTC') END AS since,
         CASE WHEN period <> 'total'
              THEN (date_trunc(period::text, now() AT TIME ZONE 'UTC') + ('1 ' || period)::interval) AT TIME ZONE 'UTC' END AS until
    FROM (
      SELECT 'user'::"BudgetKind" AS kind, id AS owner_id, gpu_hour_budget AS gpu_hours, budget_period AS period,
             budget_when_used_up = 'stop' AS stops, false AS closed
        FROM users WHERE gpu_hour_budget IS NOT NULL
      UNION ALL
      SELECT 'project', id, gpu_hour_budget, budget_period, budget_when_used_up = 'stop', false
        FROM projects WHERE gpu_hour_budget IS NOT NULL
      UNION ALL
      SELECT 'token', id, (limits->>'gpu_hours')::float8, 'total', true, revoked_at IS NOT NULL AND NOT EXISTS (
               SELECT 1 FROM job_groups g WHERE g.token_id = api_tokens.id AND g.ended_at IS NULL)
        FROM api_tokens WHERE limits->>'gpu_hours' IS NOT NULL
      UNION ALL
      SELECT 'token', id, (limits->>'gpu_hours_per_day')::float8, 'day', true, revoked_at IS NOT NULL AND NOT EXISTS (
               SELECT 1 FROM job_groups g WHERE g.token_id = api_tokens.id AND g.ended_at IS NULL)
        FROM api_tokens WHERE limits->>'gpu_hours_per_day' IS NOT NULL
      UNION ALL
      SELECT 'group', id, (spec->>'budget_gpu_hours')::float8, 'total', true, ended_at IS NOT NULL
        FROM job_groups WHERE spec ? 'budget_gpu_hours'
    ) b;
