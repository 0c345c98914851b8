-- Written with every pass and worth nothing after a crash: not in the write-ahead log, so nobody waits for the disk.
CREATE UNLOGGED TABLE "next_in_line" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "job_ids" UUID[] NOT NULL,
    "planned_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "next_in_line_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "next_in_line_one_row" CHECK ("id" = 1)
);
