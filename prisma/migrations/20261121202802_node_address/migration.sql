-- AlterTable
ALTER TABLE "nodes" ADD COLUMN     "address" TEXT;
