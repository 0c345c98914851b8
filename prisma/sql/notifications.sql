-- The list is empty, never null.
ALTER TABLE notification_targets ALTER COLUMN events SET NOT NULL;

-- Writes a message for each target of an admin that has chosen the event.
CREATE FUNCTION notify_admins(admin_event TEXT, facts JSONB) RETURNS void LANGUAGE sql AS $$
  INSERT INTO notification_deliveries (id, user_id, target_id, event, data, lane)
  SELECT gen_random_uuid(), t.user_id, t.id, admin_event, facts, t.id::text
    FROM notification_targets t JOIN users u ON u.id = t.user_id
   WHERE admin_event = ANY (t.events) AND t.paused_at IS NULL AND u.role = 'admin' AND u.disabled_at IS NULL
$$;

-- Writes the messages of a change in the transaction of the change, so none is lost and none is about what was rolled back.
CREATE FUNCTION notify_job_event() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  job_event TEXT := CASE WHEN NEW.ended_at IS NULL THEN 'job.started' ELSE 'job.' || NEW.status END;
BEGIN
  INSERT INTO notification_deliveries (id, user_id, target_id, job_id, event, data, lane)
  SELECT gen_random_uuid(), NEW.user_id, wanted.target_id, NEW.id, job_event,
         jsonb_build_object('job_id', NEW.id, 'status', NEW.status, 'reason', NEW.reason, 'reason_detail', NEW.reason_detail, 'name', NEW.name,
                            'exit_code', NEW.exit_code, 'created_at', rfc3339(NEW.created_at),
                            'started_at', rfc3339(NEW.started_at), 'ended_at', rfc3339(NEW.ended_at)),
         wanted.lane
    FROM (SELECT t.id AS target_id, t.id::text AS lane
            FROM notification_targets t JOIN users u ON u.id = t.user_id
           WHERE t.user_id = NEW.user_id AND t.paused_at IS NULL AND u.disabled_at IS NULL AND job_event = ANY (t.events)
             AND (job_event <> 'job.started' OR NEW.started_at >= NEW.created_at + make_interval(mins => t.wait_minutes))
          UNION ALL
          SELECT NULL, NEW.user_id || ' ' || lower(coalesce(substring(NEW.spec->>'notify_url' FROM '^[^:]+://([^/?#]+)'), ''))
           WHERE NEW.ended_at IS NOT NULL AND NEW.spec ? 'notify_url') AS wanted
      ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

CREATE FUNCTION notify_node_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM notify_admins(TG_ARGV[0], jsonb_build_object('node', NEW.name, 'reason',
    CASE WHEN TG_ARGV[0] = 'node.quarantined' THEN NEW.quarantine_reason END));
  RETURN NULL;
END $$;

ALTER TABLE notification_targets ADD CONSTRAINT notification_targets_known_kind CHECK (kind IN ('webhook', 'email', 'slack', 'discord', 'matrix'));

-- Finds the e-mails with invitations among all messages.
CREATE INDEX notification_deliveries_invitations ON notification_deliveries (user_id, created_at DESC, id DESC)
  WHERE event = 'user.invited';

-- One message for each event of a job and target. A target of null is the notify_url of the job.
CREATE UNIQUE INDEX notification_deliveries_once ON notification_deliveries (job_id, event, target_id) NULLS NOT DISTINCT WHERE job_id IS NOT NULL;

-- The messages that wait for an attempt. They are few.
CREATE INDEX notification_deliveries_open ON notification_deliveries (next_try_at) WHERE settled_at IS NULL;

-- The members of a group send no messages of their own.
CREATE TRIGGER notify_job_ended AFTER UPDATE OF ended_at ON jobs FOR EACH ROW
  WHEN (OLD.ended_at IS NULL AND NEW.ended_at IS NOT NULL AND NEW.group_id IS NULL) EXECUTE FUNCTION notify_job_event();

CREATE TRIGGER notify_job_started AFTER UPDATE OF started_at ON jobs FOR EACH ROW
  WHEN (OLD.started_at IS NULL AND NEW.started_at IS NOT NULL AND NEW.ended_at IS NULL AND NEW.group_id IS NULL) EXECUTE FUNCTION notify_job_event();

CREATE TRIGGER notify_node_lost AFTER UPDATE OF status ON nodes FOR EACH ROW
  WHEN (OLD.status <> 'lost' AND NEW.status = 'lost') EXECUTE FUNCTION notify_node_event('node.lost');

CREATE TRIGGER notify_node_quarantined AFTER UPDATE OF quarantined_at ON nodes FOR EACH ROW
  WHEN (OLD.quarantined_at IS NULL AND NEW.quarantined_at IS NOT NULL) EXECUTE FUNCTION notify_node_event('node.quarantined');
