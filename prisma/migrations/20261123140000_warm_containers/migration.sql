-- AlterTable
ALTER TABLE "nodes" ADD COLUMN     "warm_containers" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "warm_memory_mib" INTEGER NOT NULL DEFAULT 0;
