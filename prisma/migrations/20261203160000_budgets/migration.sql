-- CreateEnum
CREATE TYPE "BudgetKind" AS ENUM ('user', 'project', 'token', 'group');

-- CreateEnum
CREATE TYPE "BudgetPeriod" AS ENUM ('total', 'day', 'week', 'month');

-- CreateEnum
CREATE TYPE "WhenUsedUp" AS ENUM ('wait', 'stop');

-- AlterTable
ALTER TABLE "projects" ADD COLUMN     "budget_period" "BudgetPeriod" NOT NULL DEFAULT 'total',
ADD COLUMN     "budget_when_used_up" "WhenUsedUp" NOT NULL DEFAULT 'wait',
ADD COLUMN     "owner_gpu_hour_budget" DOUBLE PRECISION;

ALTER TABLE projects DROP CONSTRAINT projects_shares_check;
ALTER TABLE projects ADD CONSTRAINT projects_shares_check CHECK (weight > 0 AND gpu_quota_milli >= 0 AND gpu_hour_budget >= 0 AND owner_gpu_hour_budget >= 0);

-- AlterTable
ALTER TABLE "users" ADD COLUMN     "budget_period" "BudgetPeriod" NOT NULL DEFAULT 'total',
ADD COLUMN     "budget_when_used_up" "WhenUsedUp" NOT NULL DEFAULT 'wait',
ADD COLUMN     "gpu_hour_budget" DOUBLE PRECISION;

-- CreateTable
CREATE TABLE "used_up_budgets" (
    "owner_id" UUID NOT NULL,
    "period" "BudgetPeriod" NOT NULL,
    "stops" BOOLEAN NOT NULL,
    "detail" TEXT NOT NULL,
    "until" TIMESTAMPTZ(3),

    CONSTRAINT "used_up_budgets_pkey" PRIMARY KEY ("owner_id","period")
);
-- The GPU hours that the jobs of a user, a project, a token or a group may use, with the period that is now. What is closed starts no more jobs.
CREATE VIEW budgets AS
  SELECT b.*, CASE WHEN period = 'total' THEN '-infinity' ELSE date_trunc(period::text, now(), 'UTC') END AS since,
         CASE WHEN period <> 'total'
              THEN (date_trunc(period::text, now() AT TIME ZONE 'UTC') + ('1 ' || period)::interval) AT TIME ZONE 'UTC' END AS until
    FROM (
      SELECT 'user'::"BudgetKind" AS kind, id AS owner_id, gpu_hour_budget AS gpu_hours, budget_period AS period,
             budget_when_used_up = 'stop' AS stops, false AS closed
        FROM users WHERE gpu_hour_budget IS NOT NULL
      UNION ALL
      SELECT 'project', id, least(gpu_hour_budget, owner_gpu_hour_budget), budget_period, budget_when_used_up = 'stop', false
        FROM projects WHERE gpu_hour_budget IS NOT NULL OR owner_gpu_hour_budget IS NOT NULL
      UNION ALL
      SELECT 'token', t.id, l.gpu_hours, l.period::"BudgetPeriod", true,
             (t.revoked_at IS NOT NULL OR t.expires_at <= now()) IS TRUE AND NOT EXISTS (
               SELECT 1 FROM job_groups g WHERE g.token_id = t.id AND g.ended_at IS NULL)
        FROM api_tokens t CROSS JOIN LATERAL (
          VALUES ((t.limits->>'gpu_hours')::float8, 'total'), ((t.limits->>'gpu_hours_per_day')::float8, 'day')) l (gpu_hours, period)
       WHERE t.limits IS NOT NULL AND l.gpu_hours IS NOT NULL
      UNION ALL
      SELECT 'group', id, (spec->>'budget_gpu_hours')::float8, 'total', true, ended_at IS NOT NULL
        FROM job_groups WHERE spec ? 'budget_gpu_hours'
    ) b;

-- Many groups have no budget. These are few.
CREATE INDEX job_groups_with_budget ON job_groups (id) WHERE spec ? 'budget_gpu_hours';

ALTER TABLE users ADD CONSTRAINT users_budget_check CHECK (gpu_hour_budget >= 0);
