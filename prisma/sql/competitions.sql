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

ALTER TABLE rescores ADD CONSTRAINT rescores_end CHECK ((ended_at IS NOT NULL) = (state IN ('applied', 'discarded')));

-- A phase has one set that is neither applied nor discarded.
CREATE UNIQUE INDEX rescores_open ON rescores (phase_id) WHERE state IN ('running', 'ready');

-- What the leader starts, and what takes places of the competition.
CREATE INDEX score_runs_rescoring ON score_runs (rescore_id, id) WHERE rescore_id IS NOT NULL AND state IN ('queued', 'running');

-- A grade is a finite number.
ALTER TABLE grade_overrides ADD CONSTRAINT grade_overrides_finite CHECK (value > '-Infinity'::float8 AND value < 'Infinity'::float8);
