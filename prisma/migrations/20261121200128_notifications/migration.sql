-- CreateTable
CREATE TABLE "job_notifications" (
    "job_id" UUID NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "next_try_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "settled_at" TIMESTAMPTZ(3),
    "problem" TEXT,

    CONSTRAINT "job_notifications_pkey" PRIMARY KEY ("job_id")
);

-- AddForeignKey
ALTER TABLE "job_notifications" ADD CONSTRAINT "job_notifications_job_id_fkey" FOREIGN KEY ("job_id") REFERENCES "jobs"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Those that are not settled: of live jobs, and of ended ones that are still to be told.
CREATE INDEX "job_notifications_open" ON "job_notifications" ("next_try_at") WHERE "settled_at" IS NULL;
