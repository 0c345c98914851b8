-- A group without parameters has an empty list.
ALTER TABLE job_groups ALTER COLUMN parameters SET NOT NULL;

CREATE FUNCTION count_group_records() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO storage_changes (user_id, project_id, kind, bytes)
  SELECT g.user_id, g.project_id, 'records', sum(g.record_bytes) FROM added g GROUP BY 1, 2;
  RETURN NULL;
END $$;

CREATE FUNCTION count_changed_group_records() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO storage_changes (user_id, project_id, kind, bytes)
  VALUES (NEW.user_id, NEW.project_id, 'records', NEW.record_bytes - OLD.record_bytes);
  RETURN NULL;
END $$;

-- A group sends one message instead of those of its members, to the targets that want to hear of jobs that end in this way.
CREATE FUNCTION notify_group_ended() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  group_status TEXT := CASE
    WHEN NEW.cancelled_at IS NOT NULL THEN 'cancelled'
    WHEN (NEW.final_counts->>'failed')::int > 0 THEN 'failed'
    WHEN (NEW.final_counts->>'completed')::int = 0 THEN 'cancelled'
    ELSE 'completed' END;
BEGIN
  INSERT INTO notification_deliveries (id, user_id, target_id, event, data, lane)
  SELECT gen_random_uuid(), NEW.user_id, wanted.target_id, 'group.' || group_status,
         jsonb_build_object('group_id', NEW.id, 'status', group_status, 'name', NEW.name, 'members', NEW.members,
                            'counts', NEW.final_counts, 'created_at', rfc3339(NEW.created_at), 'ended_at', rfc3339(NEW.ended_at)),
         wanted.lane
    FROM (SELECT t.id AS target_id, t.id::text AS lane
            FROM notification_targets t JOIN users u ON u.id = t.user_id
           WHERE t.user_id = NEW.user_id AND t.paused_at IS NULL AND u.disabled_at IS NULL AND 'job.' || group_status = ANY (t.events)
          UNION ALL
          SELECT NULL, NEW.user_id || ' ' || lower(coalesce(substring(NEW.spec->>'notify_url' FROM '^[^:]+://([^/?#]+)'), ''))
           WHERE NEW.spec ? 'notify_url') AS wanted;
  RETURN NULL;
END $$;

ALTER TABLE job_groups ADD CONSTRAINT job_groups_counted CHECK (held BETWEEN 0 AND members AND parallel > 0);

-- A group ends when no member is held.
ALTER TABLE job_groups ADD CONSTRAINT job_groups_end CHECK (ended_at IS NULL OR held = 0);

-- A member runs solution.py or a command. The group has the program only as long as it holds members, which need it: afterwards it is
-- deleted with the files of their jobs. record_bytes keeps counting it.
ALTER TABLE job_groups ADD CONSTRAINT job_groups_program_check CHECK (code = '' OR (command IS NULL AND held > 0));

-- A group that waited for itself would never start.
ALTER TABLE group_dependencies ADD CONSTRAINT group_dependencies_others CHECK (group_id <> depends_on);

-- Where the leader looks after each change of the queue. Few groups are open.
CREATE INDEX job_groups_open ON job_groups (created_at, id) WHERE ended_at IS NULL;

CREATE INDEX job_groups_of_token ON job_groups (token_id, created_at DESC, id DESC) WHERE token_id IS NOT NULL;

CREATE INDEX job_groups_with_archive ON job_groups (archive_id) WHERE archive_id IS NOT NULL;

-- Whose objective the leader reads. Ended members stay in it for one look.
CREATE INDEX group_members_unread ON group_members (group_id) WHERE state = 'entered' AND NOT curve_read;

-- The jobs of earlier waves that a wave has as members.
CREATE INDEX group_members_existing ON group_members (group_id) WHERE state = 'existing';

CREATE INDEX group_members_held ON group_members (group_id, index) WHERE state = 'held';

-- Jobs without a group are not in the index and cost nothing.
CREATE INDEX jobs_of_group ON jobs (group_id, status) WHERE group_id IS NOT NULL;

CREATE TRIGGER count_records AFTER INSERT ON job_groups REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_group_records();

CREATE TRIGGER count_records_changed AFTER UPDATE OF record_bytes ON job_groups FOR EACH ROW
  WHEN (OLD.record_bytes <> NEW.record_bytes) EXECUTE FUNCTION count_changed_group_records();

CREATE TRIGGER notify_group_ended AFTER UPDATE OF ended_at ON job_groups FOR EACH ROW
  WHEN (OLD.ended_at IS NULL AND NEW.ended_at IS NOT NULL) EXECUTE FUNCTION notify_group_ended();
