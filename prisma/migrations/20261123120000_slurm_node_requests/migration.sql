-- CreateTable
CREATE TABLE "slurm_node_requests" (
    "node" TEXT NOT NULL,
    "drained" BOOLEAN NOT NULL,
    "reason" TEXT,
    "requested_by_id" UUID,
    "requested_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "problem" TEXT,

    CONSTRAINT "slurm_node_requests_pkey" PRIMARY KEY ("node")
);

-- AddForeignKey
ALTER TABLE "slurm_node_requests" ADD CONSTRAINT "slurm_node_requests_requested_by_id_fkey" FOREIGN KEY ("requested_by_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- Slurm requires a reason for a drain.
ALTER TABLE "slurm_node_requests" ADD CONSTRAINT "slurm_node_requests_reason" CHECK (NOT "drained" OR "reason" IS NOT NULL);
