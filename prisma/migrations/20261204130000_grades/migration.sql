-- CreateTable
CREATE TABLE "competition_extensions" (
    "phase_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "until" TIMESTAMPTZ(3) NOT NULL,
    "reason" TEXT NOT NULL,
    "given_by_id" UUID,
    "given_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "competition_extensions_pkey" PRIMARY KEY ("phase_id","user_id")
);

-- CreateTable
CREATE TABLE "grade_overrides" (
    "phase_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "value" DOUBLE PRECISION NOT NULL,
    "reason" TEXT NOT NULL,
    "given_by_id" UUID,
    "given_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "grade_overrides_pkey" PRIMARY KEY ("phase_id","user_id")
);

-- CreateIndex
CREATE INDEX "competition_extensions_user_id_idx" ON "competition_extensions"("user_id");

-- CreateIndex
CREATE INDEX "competition_extensions_given_by_id_idx" ON "competition_extensions"("given_by_id");

-- AddForeignKey
ALTER TABLE "competition_extensions" ADD CONSTRAINT "competition_extensions_phase_id_fkey" FOREIGN KEY ("phase_id") REFERENCES "competition_phases"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "competition_extensions" ADD CONSTRAINT "competition_extensions_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "competition_extensions" ADD CONSTRAINT "competition_extensions_given_by_id_fkey" FOREIGN KEY ("given_by_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- CreateIndex
CREATE INDEX "grade_overrides_user_id_idx" ON "grade_overrides"("user_id");

-- CreateIndex
CREATE INDEX "grade_overrides_given_by_id_idx" ON "grade_overrides"("given_by_id");

-- AddForeignKey
ALTER TABLE "grade_overrides" ADD CONSTRAINT "grade_overrides_phase_id_fkey" FOREIGN KEY ("phase_id") REFERENCES "competition_phases"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "grade_overrides" ADD CONSTRAINT "grade_overrides_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "grade_overrides" ADD CONSTRAINT "grade_overrides_given_by_id_fkey" FOREIGN KEY ("given_by_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- A grade is a finite number.
ALTER TABLE grade_overrides ADD CONSTRAINT grade_overrides_finite CHECK (value > '-Infinity'::float8 AND value < 'Infinity'::float8);
