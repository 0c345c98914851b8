-- AlterTable
ALTER TABLE "policies" ADD COLUMN     "require_existing_projects" BOOLEAN NOT NULL DEFAULT false;
