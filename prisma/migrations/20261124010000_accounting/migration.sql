-- CreateTable
CREATE TABLE "accounting_days" (
    "day" DATE NOT NULL,
    "user_id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "competition_id" TEXT NOT NULL,
    "completed" INTEGER NOT NULL,
    "failed" INTEGER NOT NULL,
    "cancelled" INTEGER NOT NULL,
    "gpu_seconds" DOUBLE PRECISION NOT NULL,
    "measured_gpu_seconds" DOUBLE PRECISION NOT NULL,
    "used_gpu_seconds" DOUBLE PRECISION NOT NULL,
    "cpu_seconds" DOUBLE PRECISION NOT NULL,
    "waits" DOUBLE PRECISION[],

    CONSTRAINT "accounting_days_pkey" PRIMARY KEY ("day","user_id","project_id","competition_id")
);

-- CreateTable
CREATE TABLE "accounting_state" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "counted_until" DATE NOT NULL,

    CONSTRAINT "accounting_state_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "accounting_days_user_id_day_idx" ON "accounting_days"("user_id", "day");

-- CreateIndex
CREATE INDEX "accounting_days_project_id_day_idx" ON "accounting_days"("project_id", "day");

-- AddForeignKey
ALTER TABLE "accounting_days" ADD CONSTRAINT "accounting_days_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "accounting_days" ADD CONSTRAINT "accounting_days_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- One row.
ALTER TABLE "accounting_state" ADD CONSTRAINT "accounting_state_one_row" CHECK ("id" = 1);

-- What ended in a range of days. Completed jobs have the index jobs_completed.
CREATE INDEX "allocations_released" ON "allocations" ("released_at") WHERE "released_at" IS NOT NULL;
CREATE INDEX "jobs_ended_otherwise" ON "jobs" ("ended_at") WHERE "status" IN ('failed', 'cancelled');
