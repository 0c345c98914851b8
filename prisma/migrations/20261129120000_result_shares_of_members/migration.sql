-- AlterTable
ALTER TABLE "result_shares" ADD COLUMN     "member_id" UUID;

UPDATE "result_shares" s SET "member_id" = m."user_id"
  FROM "memberships" m WHERE m."project_id" = s."project_id" AND m."user_id" = s."created_by_id";

-- CreateIndex
CREATE INDEX "result_shares_project_id_member_id_idx" ON "result_shares"("project_id", "member_id");

-- AddForeignKey
ALTER TABLE "result_shares" ADD CONSTRAINT "result_shares_project_id_member_id_fkey" FOREIGN KEY ("project_id", "member_id") REFERENCES "memberships"("project_id", "user_id") ON DELETE CASCADE ON UPDATE CASCADE;
