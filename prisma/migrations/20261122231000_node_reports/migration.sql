-- CreateTable
CREATE TABLE "node_reports" (
    "node_id" UUID NOT NULL,
    "requested_at" TIMESTAMPTZ(3),
    "checked_at" TIMESTAMPTZ(3),
    "failures" INTEGER NOT NULL DEFAULT 0,
    "checks" JSONB NOT NULL DEFAULT '[]',

    CONSTRAINT "node_reports_pkey" PRIMARY KEY ("node_id")
);

-- AddForeignKey
ALTER TABLE "node_reports" ADD CONSTRAINT "node_reports_node_id_fkey" FOREIGN KEY ("node_id") REFERENCES "nodes"("id") ON DELETE CASCADE ON UPDATE CASCADE;
