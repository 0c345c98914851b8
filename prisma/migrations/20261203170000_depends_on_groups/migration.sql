-- CreateEnum
CREATE TYPE "DependencyCondition" AS ENUM ('ok', 'any', 'failed');

-- DropForeignKey
ALTER TABLE "job_dependencies" DROP CONSTRAINT "job_dependencies_depends_on_fkey";

-- AlterTable
ALTER TABLE "job_dependencies" ADD COLUMN     "condition" "DependencyCondition" NOT NULL DEFAULT 'ok';

-- CreateTable
CREATE TABLE "group_dependencies" (
    "group_id" UUID NOT NULL,
    "depends_on" UUID NOT NULL,
    "condition" "DependencyCondition" NOT NULL DEFAULT 'ok',

    CONSTRAINT "group_dependencies_pkey" PRIMARY KEY ("group_id","depends_on")
);

-- AddForeignKey
ALTER TABLE "group_dependencies" ADD CONSTRAINT "group_dependencies_group_id_fkey" FOREIGN KEY ("group_id") REFERENCES "job_groups"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- A group that waited for itself would never start.
ALTER TABLE group_dependencies ADD CONSTRAINT group_dependencies_others CHECK (group_id <> depends_on);

-- Groups that wait have had no rows.
INSERT INTO group_dependencies (group_id, depends_on)
SELECT DISTINCT g.id, d.text::uuid
  FROM job_groups g CROSS JOIN LATERAL jsonb_array_elements_text(coalesce(g.spec->'depends_on', '[]')) AS d (text)
 WHERE g.ended_at IS NULL AND g.cancelled_at IS NULL AND g.held > 0 AND d.text NOT LIKE 'slurm:%';
