-- Writes a message for each target of an admin that has chosen the event.
CREATE FUNCTION "notify_admins"("admin_event" TEXT, "facts" JSONB) RETURNS void LANGUAGE sql AS $$
  INSERT INTO notification_deliveries (id, user_id, target_id, event, data, lane)
  SELECT gen_random_uuid(), t.user_id, t.id, admin_event, facts, t.id::text
    FROM notification_targets t JOIN users u ON u.id = t.user_id
   WHERE admin_event = ANY (t.events) AND t.paused_at IS NULL AND u.role = 'admin' AND u.disabled_at IS NULL
$$;

CREATE FUNCTION "notify_node_event"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM notify_admins(TG_ARGV[0], jsonb_build_object('node', NEW.name, 'reason',
    CASE WHEN TG_ARGV[0] = 'node.quarantined' THEN NEW.quarantine_reason END));
  RETURN NULL;
END $$;

CREATE TRIGGER "notify_node_lost" AFTER UPDATE OF "status" ON "nodes" FOR EACH ROW
  WHEN (OLD."status" <> 'lost' AND NEW."status" = 'lost') EXECUTE FUNCTION notify_node_event('node.lost');
CREATE TRIGGER "notify_node_quarantined" AFTER UPDATE OF "quarantined_at" ON "nodes" FOR EACH ROW
  WHEN (OLD."quarantined_at" IS NULL AND NEW."quarantined_at" IS NOT NULL) EXECUTE FUNCTION notify_node_event('node.quarantined');
