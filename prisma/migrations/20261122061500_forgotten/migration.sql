-- AlterTable
ALTER TABLE "nodes" ADD COLUMN     "forgotten_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "gpus" ADD COLUMN     "forgotten_at" TIMESTAMPTZ(3);

-- What is served or given out is not forgotten, whatever an admin and a worker do at the same moment.
ALTER TABLE "nodes" ADD CONSTRAINT "nodes_forgotten" CHECK ("forgotten_at" IS NULL OR "status" IN ('lost', 'drained'));
ALTER TABLE "gpus" ADD CONSTRAINT "gpus_forgotten" CHECK ("forgotten_at" IS NULL OR ("missing" AND "allocated_milli" = 0));
