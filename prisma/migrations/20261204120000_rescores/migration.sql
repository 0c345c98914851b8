-- CreateEnum
CREATE TYPE "RescoreState" AS ENUM ('running', 'ready', 'applied', 'discarded');

-- AlterTable
ALTER TABLE "score_runs" ADD COLUMN     "faults" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "rescore_id" UUID;

-- CreateTable
CREATE TABLE "rescores" (
    "id" UUID NOT NULL,
    "competition_id" UUID NOT NULL,
    "phase_id" UUID NOT NULL,
    "scorer_id" UUID NOT NULL,
    "labels" JSONB NOT NULL,
    "state" "RescoreState" NOT NULL DEFAULT 'running',
    "created_by_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "rescores_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "rescores_competition_id_idx" ON "rescores"("competition_id");

-- CreateIndex
CREATE INDEX "rescores_phase_id_created_at_idx" ON "rescores"("phase_id", "created_at");

-- CreateIndex
CREATE INDEX "rescores_scorer_id_idx" ON "rescores"("scorer_id");

-- CreateIndex
CREATE INDEX "rescores_created_by_id_idx" ON "rescores"("created_by_id");

-- CreateIndex
CREATE UNIQUE INDEX "score_runs_rescore_id_entry_id_key" ON "score_runs"("rescore_id", "entry_id");

-- AddForeignKey
ALTER TABLE "score_runs" ADD CONSTRAINT "score_runs_rescore_id_fkey" FOREIGN KEY ("rescore_id") REFERENCES "rescores"("id") ON DELETE NO ACTION ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "rescores" ADD CONSTRAINT "rescores_competition_id_fkey" FOREIGN KEY ("competition_id") REFERENCES "competitions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "rescores" ADD CONSTRAINT "rescores_phase_id_fkey" FOREIGN KEY ("phase_id") REFERENCES "competition_phases"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "rescores" ADD CONSTRAINT "rescores_scorer_id_fkey" FOREIGN KEY ("scorer_id") REFERENCES "competition_scorers"("id") ON DELETE NO ACTION ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "rescores" ADD CONSTRAINT "rescores_created_by_id_fkey" FOREIGN KEY ("created_by_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;

ALTER TABLE rescores ADD CONSTRAINT rescores_end CHECK ((ended_at IS NOT NULL) = (state IN ('applied', 'discarded')));

-- A phase has one set that is neither applied nor discarded.
CREATE UNIQUE INDEX rescores_open ON rescores (phase_id) WHERE state IN ('running', 'ready');

-- What the leader starts, and what takes places of the competition.
CREATE INDEX score_runs_rescoring ON score_runs (rescore_id, id) WHERE rescore_id IS NOT NULL AND state IN ('queued', 'running');
