CREATE TYPE "ProjectRole" AS ENUM ('member', 'manager');

-- A manager sees the jobs of the project.
ALTER TABLE "memberships" ADD COLUMN "role" "ProjectRole" NOT NULL DEFAULT 'member';
