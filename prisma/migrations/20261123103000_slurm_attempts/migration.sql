-- AlterTable
ALTER TABLE "slurm_jobs" ADD COLUMN     "attempt_restart" INTEGER,
ADD COLUMN     "stop_reason" TEXT;
