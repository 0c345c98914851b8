-- AlterTable
ALTER TABLE "jobs" ADD COLUMN     "workspace" TEXT;

