-- AlterTable
ALTER TABLE "policies" ADD COLUMN     "idle_gpu_minutes" INTEGER;

-- AlterTable
ALTER TABLE "tasks" ADD COLUMN     "gpu_idle_since" TIMESTAMPTZ(3),
ADD COLUMN     "gpu_sampled_at" TIMESTAMPTZ(3);
