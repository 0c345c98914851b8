-- AlterTable
ALTER TABLE "tasks" ADD COLUMN     "paused_at" TIMESTAMPTZ(3),
ADD COLUMN     "paused_seconds" DOUBLE PRECISION NOT NULL DEFAULT 0;
