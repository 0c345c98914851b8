-- AlterTable
ALTER TABLE "environments" ADD COLUMN     "prepare" TEXT[] DEFAULT ARRAY[]::TEXT[],
ADD COLUMN     "prepare_problem" TEXT,
ADD COLUMN     "prepare_problem_at" TIMESTAMPTZ(3);

ALTER TABLE "environments" ALTER COLUMN "prepare" SET NOT NULL;
