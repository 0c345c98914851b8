-- AlterTable
ALTER TABLE "policies" ADD COLUMN     "set_by_environment" TEXT[] DEFAULT ARRAY[]::TEXT[];
