-- AlterTable
ALTER TABLE "tasks" ADD COLUMN     "cpu_seconds" DOUBLE PRECISION,
ADD COLUMN     "memory_peak_mib" INTEGER,
ADD COLUMN     "sampled_seconds" DOUBLE PRECISION;
