/** Records each change of a job's status, so that a replaced final status is visible afterwards. */
export const statusHistory = `
  CREATE TABLE soak_status_history (n bigserial, job_id uuid, before text, after text);
  CREATE FUNCTION soak_record_status() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO soak_status_history (job_id, before, after) VALUES (NEW.id, OLD.status, NEW.status);
      RETURN NULL;
    END $$;
  CREATE TRIGGER soak_record_status AFTER UPDATE OF status ON jobs FOR EACH ROW
    WHEN (OLD.status <> NEW.status OR OLD.status IN ('completed', 'failed', 'cancelled')) EXECUTE FUNCTION soak_record_status();`
