-- CreateEnum
CREATE TYPE "CompetitionVisibility" AS ENUM ('public', 'signed_in', 'members');

-- CreateEnum
CREATE TYPE "CompetitionJoin" AS ENUM ('open', 'approve', 'roster');

-- CreateEnum
CREATE TYPE "CompetitionRole" AS ENUM ('host', 'instructor', 'ta', 'participant', 'observer');

-- CreateEnum
CREATE TYPE "CompetitionMemberState" AS ENUM ('requested', 'joined');

-- CreateEnum
CREATE TYPE "DatasetRole" AS ENUM ('public', 'sample', 'input', 'labels');

-- CreateEnum
CREATE TYPE "EntryKind" AS ENUM ('entry', 'rehearsal', 'baseline');

-- CreateEnum
CREATE TYPE "EntryState" AS ENUM ('held', 'running', 'scoring', 'scored', 'failed', 'cancelled');

-- CreateEnum
CREATE TYPE "EntryCause" AS ENUM ('own_error', 'time', 'memory', 'outputs', 'system', 'scorer');

-- CreateEnum
CREATE TYPE "ScoreRunState" AS ENUM ('queued', 'running', 'scored', 'failed');

-- AlterTable
ALTER TABLE "users" ADD COLUMN     "may_host_competitions" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "competitions" (
    "id" UUID NOT NULL,
    "slug" TEXT NOT NULL,
    "title" TEXT NOT NULL,
    "visibility" "CompetitionVisibility" NOT NULL,
    "join" "CompetitionJoin" NOT NULL,
    "team_max" INTEGER NOT NULL,
    "timezone" TEXT NOT NULL,
    "terms" TEXT,
    "parallel" INTEGER NOT NULL,
    "spec" JSONB NOT NULL,
    "pages" JSONB NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "project_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "secret" BYTEA NOT NULL,
    "published" BOOLEAN NOT NULL DEFAULT false,
    "board_version" INTEGER NOT NULL DEFAULT 0,
    "created_by_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "competitions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "competition_members" (
    "competition_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "role" "CompetitionRole" NOT NULL DEFAULT 'participant',
    "state" "CompetitionMemberState" NOT NULL DEFAULT 'joined',
    "section" TEXT,
    "grace_days" INTEGER NOT NULL DEFAULT 0,
    "terms_accepted_at" TIMESTAMPTZ(3),
    "team_id" UUID,
    "wanted_team" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "competition_members_pkey" PRIMARY KEY ("competition_id","user_id")
);

-- CreateTable
CREATE TABLE "competition_teams" (
    "id" UUID NOT NULL,
    "competition_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "competition_teams_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "team_invitations" (
    "id" UUID NOT NULL,
    "team_id" UUID NOT NULL,
    "handle" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "declined_at" TIMESTAMPTZ(3),

    CONSTRAINT "team_invitations_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "competition_roster" (
    "competition_id" UUID NOT NULL,
    "email" TEXT NOT NULL,
    "name" TEXT,
    "section" TEXT,

    CONSTRAINT "competition_roster_pkey" PRIMARY KEY ("competition_id","email")
);

-- CreateTable
CREATE TABLE "competition_phases" (
    "id" UUID NOT NULL,
    "competition_id" UUID NOT NULL,
    "key" TEXT NOT NULL,
    "position" INTEGER,
    "starts_at" TIMESTAMPTZ(3) NOT NULL,
    "ends_at" TIMESTAMPTZ(3) NOT NULL,
    "freeze_at" TIMESTAMPTZ(3),
    "revealed_at" TIMESTAMPTZ(3),
    "spec" JSONB NOT NULL,

    CONSTRAINT "competition_phases_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "competition_datasets" (
    "id" UUID NOT NULL,
    "competition_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "role" "DatasetRole" NOT NULL,
    "version" INTEGER NOT NULL,
    "snapshot_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "competition_datasets_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "competition_scorers" (
    "id" UUID NOT NULL,
    "competition_id" UUID NOT NULL,
    "version" INTEGER NOT NULL,
    "snapshot_id" UUID NOT NULL,
    "spec" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "competition_scorers_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "entries" (
    "id" UUID NOT NULL,
    "competition_id" UUID NOT NULL,
    "phase_id" UUID NOT NULL,
    "team_id" UUID,
    "user_id" UUID NOT NULL,
    "kind" "EntryKind" NOT NULL,
    "name" TEXT,
    "tags" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "args" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "code" BYTEA NOT NULL,
    "source_hash" BYTEA NOT NULL,
    "received_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "state" "EntryState" NOT NULL DEFAULT 'held',
    "cause" "EntryCause",
    "detail" TEXT,
    "mounts" JSONB NOT NULL,
    "labels" JSONB NOT NULL,
    "spec" JSONB NOT NULL,
    "scorer_id" UUID NOT NULL,
    "seed" TEXT NOT NULL,
    "job_id" UUID,
    "score_run_id" UUID,
    "chosen" BOOLEAN NOT NULL DEFAULT false,
    "disqualified_at" TIMESTAMPTZ(3),
    "disqualified_by_id" UUID,
    "disqualified_why" TEXT,
    "idempotency_key" TEXT,
    "body_hash" BYTEA NOT NULL,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "entries_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "score_runs" (
    "id" UUID NOT NULL,
    "entry_id" UUID NOT NULL,
    "scorer_id" UUID NOT NULL,
    "labels" JSONB NOT NULL,
    "state" "ScoreRunState" NOT NULL DEFAULT 'queued',
    "job_id" UUID,
    "scores" JSONB,
    "failure" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "score_runs_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "board_snapshots" (
    "phase_id" UUID NOT NULL,
    "freeze_at" TIMESTAMPTZ(3) NOT NULL,
    "board" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "board_snapshots_pkey" PRIMARY KEY ("phase_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "competitions_slug_key" ON "competitions"("slug");

-- CreateIndex
CREATE UNIQUE INDEX "competitions_project_id_key" ON "competitions"("project_id");

-- CreateIndex
CREATE UNIQUE INDEX "competitions_user_id_key" ON "competitions"("user_id");

-- CreateIndex
CREATE INDEX "competitions_created_by_id_idx" ON "competitions"("created_by_id");

-- CreateIndex
CREATE INDEX "competition_members_user_id_idx" ON "competition_members"("user_id");

-- CreateIndex
CREATE INDEX "competition_members_team_id_idx" ON "competition_members"("team_id");

-- CreateIndex
CREATE UNIQUE INDEX "competition_phases_competition_id_key_key" ON "competition_phases"("competition_id", "key");

-- CreateIndex
CREATE INDEX "competition_datasets_snapshot_id_idx" ON "competition_datasets"("snapshot_id");

-- CreateIndex
CREATE UNIQUE INDEX "competition_datasets_competition_id_name_version_key" ON "competition_datasets"("competition_id", "name", "version");

-- CreateIndex
CREATE INDEX "competition_scorers_snapshot_id_idx" ON "competition_scorers"("snapshot_id");

-- CreateIndex
CREATE UNIQUE INDEX "competition_scorers_competition_id_version_key" ON "competition_scorers"("competition_id", "version");

-- CreateIndex
CREATE UNIQUE INDEX "entries_job_id_key" ON "entries"("job_id");

-- CreateIndex
CREATE UNIQUE INDEX "entries_score_run_id_key" ON "entries"("score_run_id");

-- CreateIndex
CREATE INDEX "entries_phase_id_team_id_received_at_idx" ON "entries"("phase_id", "team_id", "received_at");

-- CreateIndex
CREATE INDEX "entries_competition_id_received_at_id_idx" ON "entries"("competition_id", "received_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "entries_team_id_received_at_idx" ON "entries"("team_id", "received_at");

-- CreateIndex
CREATE INDEX "entries_scorer_id_idx" ON "entries"("scorer_id");

-- CreateIndex
CREATE INDEX "entries_disqualified_by_id_idx" ON "entries"("disqualified_by_id");

-- CreateIndex
CREATE UNIQUE INDEX "entries_user_id_idempotency_key_key" ON "entries"("user_id", "idempotency_key");

-- CreateIndex
CREATE UNIQUE INDEX "score_runs_job_id_key" ON "score_runs"("job_id");

-- CreateIndex
CREATE INDEX "score_runs_entry_id_idx" ON "score_runs"("entry_id");

-- CreateIndex
CREATE INDEX "score_runs_scorer_id_idx" ON "score_runs"("scorer_id");

-- AddForeignKey
ALTER TABLE "competitions" ADD CONSTRAINT "competitions_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "competitions" ADD CONSTRAINT "competitions_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "competitions" ADD CONSTRAINT "competitions_created_by_id_fkey" FOREIGN KEY ("created_by_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "competition_members" ADD CONSTRAINT "competition_members_competition_id_fkey" FOREIGN KEY ("competition_id") REFERENCES "competitions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "competition_members" ADD CONSTRAINT "competition_members_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "competition_members" ADD CONSTRAINT "competition_members_team_id_fkey" FOREIGN KEY ("team_id") REFERENCES "competition_teams"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "competition_teams" ADD CONSTRAINT "competition_teams_competition_id_fkey" FOREIGN KEY ("competition_id") REFERENCES "competitions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "team_invitations" ADD CONSTRAINT "team_invitations_team_id_fkey" FOREIGN KEY ("team_id") REFERENCES "competition_teams"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "competition_roster" ADD CONSTRAINT "competition_roster_competition_id_fkey" FOREIGN KEY ("competition_id") REFERENCES "competitions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "competition_phases" ADD CONSTRAINT "competition_phases_competition_id_fkey" FOREIGN KEY ("competition_id") REFERENCES "competitions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "competition_datasets" ADD CONSTRAINT "competition_datasets_competition_id_fkey" FOREIGN KEY ("competition_id") REFERENCES "competitions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "competition_datasets" ADD CONSTRAINT "competition_datasets_snapshot_id_fkey" FOREIGN KEY ("snapshot_id") REFERENCES "snapshots"("id") ON DELETE NO ACTION ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "competition_scorers" ADD CONSTRAINT "competition_scorers_competition_id_fkey" FOREIGN KEY ("competition_id") REFERENCES "competitions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "competition_scorers" ADD CONSTRAINT "competition_scorers_snapshot_id_fkey" FOREIGN KEY ("snapshot_id") REFERENCES "snapshots"("id") ON DELETE NO ACTION ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "entries" ADD CONSTRAINT "entries_competition_id_fkey" FOREIGN KEY ("competition_id") REFERENCES "competitions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "entries" ADD CONSTRAINT "entries_phase_id_fkey" FOREIGN KEY ("phase_id") REFERENCES "competition_phases"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "entries" ADD CONSTRAINT "entries_team_id_fkey" FOREIGN KEY ("team_id") REFERENCES "competition_teams"("id") ON DELETE NO ACTION ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "entries" ADD CONSTRAINT "entries_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE NO ACTION ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "entries" ADD CONSTRAINT "entries_scorer_id_fkey" FOREIGN KEY ("scorer_id") REFERENCES "competition_scorers"("id") ON DELETE NO ACTION ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "entries" ADD CONSTRAINT "entries_job_id_fkey" FOREIGN KEY ("job_id") REFERENCES "jobs"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "entries" ADD CONSTRAINT "entries_score_run_id_fkey" FOREIGN KEY ("score_run_id") REFERENCES "score_runs"("id") ON DELETE NO ACTION ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "entries" ADD CONSTRAINT "entries_disqualified_by_id_fkey" FOREIGN KEY ("disqualified_by_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "score_runs" ADD CONSTRAINT "score_runs_entry_id_fkey" FOREIGN KEY ("entry_id") REFERENCES "entries"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "score_runs" ADD CONSTRAINT "score_runs_scorer_id_fkey" FOREIGN KEY ("scorer_id") REFERENCES "competition_scorers"("id") ON DELETE NO ACTION ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "score_runs" ADD CONSTRAINT "score_runs_job_id_fkey" FOREIGN KEY ("job_id") REFERENCES "jobs"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "board_snapshots" ADD CONSTRAINT "board_snapshots_phase_id_fkey" FOREIGN KEY ("phase_id") REFERENCES "competition_phases"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- An entry without words or arguments has empty lists.
ALTER TABLE entries ALTER COLUMN tags SET NOT NULL, ALTER COLUMN args SET NOT NULL;

ALTER TABLE competition_phases ADD CONSTRAINT competition_phases_times
  CHECK (ends_at > starts_at AND (freeze_at IS NULL OR (freeze_at > starts_at AND freeze_at < ends_at)));

ALTER TABLE competitions ADD CONSTRAINT competitions_counts CHECK (team_max BETWEEN 1 AND 20 AND parallel BETWEEN 1 AND 256);

-- Only the staff sends baselines, which belong to no team.
ALTER TABLE entries ADD CONSTRAINT entries_team CHECK (kind = 'baseline' OR team_id IS NOT NULL);

-- An entry has a time of its end exactly if its state is final, and a cause exactly if it failed. Only a scored one has scores that count.
ALTER TABLE entries ADD CONSTRAINT entries_end CHECK (
  (ended_at IS NOT NULL) = (state IN ('scored', 'failed', 'cancelled'))
  AND (cause IS NOT NULL) = (state = 'failed')
  AND (state <> 'scored' OR kind = 'rehearsal' OR score_run_id IS NOT NULL));

-- The job has the program, which is deleted with its files. An entry that was cancelled before it had a job keeps its own.
ALTER TABLE entries ADD CONSTRAINT entries_code CHECK (code = '' OR job_id IS NULL);

ALTER TABLE entries ADD CONSTRAINT entries_disqualified CHECK ((disqualified_at IS NULL) = (disqualified_why IS NULL));

ALTER TABLE score_runs ADD CONSTRAINT score_runs_end CHECK (
  (ended_at IS NOT NULL) = (state IN ('scored', 'failed')) AND (scores IS NOT NULL) = (state = 'scored')
  AND (failure IS NOT NULL) = (state = 'failed'));

-- What the leader looks at after each change of the queue.
CREATE INDEX entries_open ON entries (competition_id, received_at, id) WHERE state IN ('held', 'running', 'scoring');

CREATE INDEX score_runs_open ON score_runs (entry_id) WHERE state IN ('queued', 'running');

-- The entries that boards rank.
CREATE INDEX entries_scored ON entries (phase_id) WHERE state = 'scored';

-- Teams of a competition have different names in any letter case.
CREATE UNIQUE INDEX competition_teams_name ON competition_teams (competition_id, lower(name));

-- One invitation for a user id in any letter case, and the invitations of a user.
CREATE UNIQUE INDEX team_invitations_team_handle ON team_invitations (team_id, lower(handle));

CREATE INDEX team_invitations_handle ON team_invitations (lower(handle));
