-- CreateEnum
CREATE TYPE "ProvisionStatus" AS ENUM ('starting', 'up', 'ending', 'ended');

-- AlterTable
ALTER TABLE "nodes" ADD COLUMN     "dedicated_to" UUID;

-- CreateTable
CREATE TABLE "provisions" (
    "job_id" UUID NOT NULL,
    "status" "ProvisionStatus" NOT NULL DEFAULT 'starting',
    "request" JSONB NOT NULL,
    "term" UUID,
    "round" INTEGER NOT NULL DEFAULT 1,
    "deadline_at" TIMESTAMPTZ(3) NOT NULL,
    "problem" TEXT,
    "output" TEXT NOT NULL DEFAULT '',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "provisions_pkey" PRIMARY KEY ("job_id")
);
