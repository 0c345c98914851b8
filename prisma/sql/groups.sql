CREATE FUNCTION count_group_records() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO storage_changes (user_id, project_id, kind, bytes)
  SELECT g.user_id, g.project_id, 'records', sum(g.record_bytes) FROM added g GROUP BY 1, 2;
  RETURN NULL;
END $$;

ALTER TABLE job_groups ADD CONSTRAINT job_groups_counted CHECK (held BETWEEN 0 AND members AND parallel > 0);

-- A group ends when no member is held.
ALTER TABLE job_groups ADD CONSTRAINT job_groups_end CHECK (ended_at IS NULL OR held = 0);

-- A member runs solution.py or a command.
ALTER TABLE job_groups ADD CONSTRAINT job_groups_program_check CHECK (command IS NULL OR code = '');

-- Where the leader looks after each change of the queue. Few groups are open.
CREATE INDEX job_groups_open ON job_groups (created_at, id) WHERE ended_at IS NULL;

CREATE INDEX job_groups_with_archive ON job_groups (archive_id) WHERE archive_id IS NOT NULL;

CREATE INDEX group_members_held ON group_members (group_id, index) WHERE state = 'held';

-- Jobs without a group are not in the index and cost nothing.
CREATE INDEX jobs_of_group ON jobs (group_id, status) WHERE group_id IS NOT NULL;

CREATE TRIGGER count_records AFTER INSERT ON job_groups REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_group_records();
