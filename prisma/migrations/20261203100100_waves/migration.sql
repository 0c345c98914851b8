-- DropIndex
DROP INDEX "group_members_job_id_key";

-- AlterTable
ALTER TABLE "job_groups" ADD COLUMN     "parameters" TEXT[] DEFAULT ARRAY[]::TEXT[];

UPDATE job_groups g SET parameters = ARRAY(
  SELECT jsonb_object_keys(m.parameters) FROM group_members m WHERE m.group_id = g.id AND m.index = 0 ORDER BY 1);

ALTER TABLE job_groups ALTER COLUMN parameters SET NOT NULL;

-- AlterTable
ALTER TABLE "group_members" ADD COLUMN     "overrides" JSONB;

-- CreateIndex
CREATE INDEX "group_members_job_id_idx" ON "group_members"("job_id");

-- The jobs of earlier waves that a wave has as members.
CREATE INDEX group_members_existing ON group_members (group_id) WHERE state = 'existing';
