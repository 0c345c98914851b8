-- AlterTable
ALTER TABLE "policies" ALTER COLUMN "half_life_hours" SET DEFAULT 168;

-- A policy that has the earlier default gets the new one.
UPDATE "policies" SET "half_life_hours" = 168 WHERE "half_life_hours" = 24;
