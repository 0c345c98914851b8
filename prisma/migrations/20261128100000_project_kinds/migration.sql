-- CreateEnum
CREATE TYPE "ProjectKind" AS ENUM ('private', 'team', 'class');

-- AlterTable
ALTER TABLE "users" ADD COLUMN     "may_create_classes" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "projects" ADD COLUMN     "announced" BOOLEAN NOT NULL DEFAULT true,
ADD COLUMN     "kind" "ProjectKind" NOT NULL DEFAULT 'private',
ADD COLUMN     "preferred_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "memberships" ADD COLUMN     "agreed_at" TIMESTAMPTZ(3),
ADD COLUMN     "agreed_kind" "ProjectKind",
ADD COLUMN     "preferred_at" TIMESTAMPTZ(3);

-- Nobody agrees to a private project: it shows no jobs that it did not show before.
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_agreement_check"
  CHECK (CASE WHEN "agreed_at" IS NULL THEN "agreed_kind" IS NULL
              ELSE "agreed_kind" IS NOT NULL AND "agreed_kind" <> 'private' END);
