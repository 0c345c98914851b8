-- AlterTable
ALTER TABLE "nodes" ADD COLUMN     "probe_error" TEXT,
ADD COLUMN     "probed_at" TIMESTAMPTZ(3),
ADD COLUMN     "probes" INTEGER NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "policies" ADD COLUMN     "probe_quarantined" BOOLEAN NOT NULL DEFAULT true;
