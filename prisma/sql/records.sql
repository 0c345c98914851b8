CREATE FUNCTION count_audit_records() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO storage_changes (user_id, kind, bytes)
    SELECT actor_id, 'records', sum(row_bytes() + octet_length(detail::text))
      FROM added WHERE counts_to_actor(actor_id, action) GROUP BY 1;
  ELSE
    INSERT INTO storage_changes (user_id, kind, bytes)
    SELECT actor_id, 'records', -sum(row_bytes() + octet_length(detail::text))
      FROM removed WHERE counts_to_actor(actor_id, action) GROUP BY 1;
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION count_changed_job_record() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO storage_changes (user_id, project_id, kind, bytes)
  SELECT NEW.user_id, NEW.project_id, 'records', job_record_bytes(NEW) - job_record_bytes(OLD)
   WHERE job_record_bytes(NEW) <> job_record_bytes(OLD);
  RETURN NULL;
END $$;

-- Rows of checkpoints count to the same user as their bytes.
CREATE FUNCTION count_checkpoint_records() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO storage_changes (user_id, project_id, kind, bytes)
    SELECT coalesce(r.user_id, p.owner_id), p.id, 'records', sum(row_bytes() + octet_length(c.path))
      FROM added c JOIN runs r ON r.id = c.run_id JOIN projects p ON p.id = r.project_id GROUP BY 1, 2;
  ELSE
    INSERT INTO storage_changes (user_id, project_id, kind, bytes)
    SELECT coalesce(r.user_id, p.owner_id), p.id, 'records', -sum(row_bytes() + octet_length(c.path))
      FROM removed c JOIN runs r ON r.id = c.run_id JOIN projects p ON p.id = r.project_id GROUP BY 1, 2;
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION count_content_records() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO storage_changes (user_id, project_id, kind, bytes)
    SELECT p.owner_id, p.id, 'records', count(*) * row_bytes()
      FROM added b JOIN projects p ON p.id = b.project_id GROUP BY 1, 2;
  ELSE
    INSERT INTO storage_changes (user_id, project_id, kind, bytes)
    SELECT p.owner_id, p.id, 'records', -count(*) * row_bytes()
      FROM removed b JOIN projects p ON p.id = b.project_id GROUP BY 1, 2;
  END IF;
  RETURN NULL;
END $$;

-- Before the deletion, because the holders are deleted with the archive, when its manifest is gone.
CREATE FUNCTION count_deleted_manifest() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO storage_changes (user_id, project_id, kind, bytes)
  SELECT p.owner_id, p.id, 'records', -count(*) * (row_bytes() + OLD.manifest_bytes)
    FROM archive_holders h JOIN projects p ON p.id = OLD.project_id WHERE h.archive_id = OLD.id GROUP BY 1, 2;
  RETURN OLD;
END $$;

-- A manifest is stored once, but counts for each member who has the directory, as its contents do.
CREATE FUNCTION count_held_manifests() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO storage_changes (user_id, project_id, kind, bytes)
    SELECT p.owner_id, p.id, 'records', sum(row_bytes() + a.manifest_bytes)
      FROM added h JOIN archives a ON a.id = h.archive_id JOIN projects p ON p.id = a.project_id GROUP BY 1, 2;
  ELSE
    INSERT INTO storage_changes (user_id, project_id, kind, bytes)
    SELECT p.owner_id, p.id, 'records', -sum(row_bytes() + a.manifest_bytes)
      FROM removed h JOIN archives a ON a.id = h.archive_id JOIN projects p ON p.id = a.project_id GROUP BY 1, 2;
  END IF;
  RETURN NULL;
END $$;

-- Counts rows of a table with job_id and path.
CREATE FUNCTION count_job_file_records() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO storage_changes (user_id, project_id, kind, bytes)
    SELECT j.user_id, j.project_id, 'records', sum(row_bytes() + octet_length(f.path))
      FROM added f JOIN jobs j ON j.id = f.job_id GROUP BY 1, 2;
  ELSE
    INSERT INTO storage_changes (user_id, project_id, kind, bytes)
    SELECT j.user_id, j.project_id, 'records', -sum(row_bytes() + octet_length(f.path))
      FROM removed f JOIN jobs j ON j.id = f.job_id GROUP BY 1, 2;
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION count_job_records() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO storage_changes (user_id, project_id, kind, bytes)
  SELECT j.user_id, j.project_id, 'records', sum(job_record_bytes(j)) FROM added j GROUP BY 1, 2;
  RETURN NULL;
END $$;

-- A failed sign-in names the user whose account somebody tried, who cannot help it.
CREATE FUNCTION counts_to_actor(actor_id uuid, action text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT actor_id IS NOT NULL AND action NOT IN ('sign_in_failed', 'sign_in_refused')
$$;

-- The final metrics of a job are stored again as rows with an index, by which jobs are searched.
CREATE FUNCTION job_record_bytes(j jobs) RETURNS int8 LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT 5 * row_bytes() + octet_length(j.spec::text) + coalesce(octet_length(j.command), 0)
       + coalesce(octet_length(j.note), 0) + coalesce(octet_length(array_to_string(j.tags, ' ')), 0)
       + 3 * octet_length(j.final_metrics::text)
$$;

CREATE FUNCTION measure_manifest() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.manifest_bytes := octet_length(NEW.manifest::text);
  RETURN NEW;
END $$;

-- What a row with its entries in the indexes takes, besides its texts. A job has about thirty of them.
CREATE FUNCTION row_bytes() RETURNS int8 LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT 200::int8 $$;

-- What users can store in rows of the database, besides the source of jobs. Rows of files count too, so that many empty files
-- are not free.
CREATE VIEW stored_records AS
  SELECT j.user_id, j.project_id, 'records'::"StorageKind" AS kind, job_record_bytes(j) AS bytes FROM jobs j
  UNION ALL
  SELECT j.user_id, j.project_id, 'records', row_bytes() + octet_length(a.path)
    FROM artifacts a JOIN jobs j ON j.id = a.job_id
  UNION ALL
  SELECT j.user_id, j.project_id, 'records', row_bytes() + octet_length(w.path)
    FROM working_files w JOIN jobs j ON j.id = w.job_id
  UNION ALL
  SELECT p.owner_id, p.id, 'records', row_bytes() + a.manifest_bytes
    FROM archive_holders h JOIN archives a ON a.id = h.archive_id JOIN projects p ON p.id = a.project_id
  UNION ALL
  SELECT p.owner_id, p.id, 'records', row_bytes() FROM archive_blobs b JOIN projects p ON p.id = b.project_id
  UNION ALL
  SELECT coalesce(r.user_id, p.owner_id), p.id, 'records', row_bytes() + octet_length(c.path)
    FROM checkpoint_files c JOIN runs r ON r.id = c.run_id JOIN projects p ON p.id = r.project_id
  UNION ALL
  SELECT g.user_id, g.project_id, 'records', g.record_bytes FROM job_groups g
  UNION ALL
  SELECT e.actor_id, NULL, 'records', row_bytes() + octet_length(e.detail::text)
    FROM audit_events e WHERE counts_to_actor(e.actor_id, e.action);

CREATE TRIGGER count_records_added AFTER INSERT ON archive_blobs REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_content_records();

CREATE TRIGGER count_records_removed AFTER DELETE ON archive_blobs REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION count_content_records();

CREATE TRIGGER count_records_added AFTER INSERT ON archive_holders REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_held_manifests();

CREATE TRIGGER count_records_removed AFTER DELETE ON archive_holders REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION count_held_manifests();

CREATE TRIGGER count_records_removed BEFORE DELETE ON archives FOR EACH ROW EXECUTE FUNCTION count_deleted_manifest();

CREATE TRIGGER measure_manifest BEFORE INSERT OR UPDATE OF manifest ON archives
  FOR EACH ROW EXECUTE FUNCTION measure_manifest();

CREATE TRIGGER count_records_added AFTER INSERT ON artifacts REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_job_file_records();

CREATE TRIGGER count_records_removed AFTER DELETE ON artifacts REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION count_job_file_records();

CREATE TRIGGER count_records_added AFTER INSERT ON audit_events REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_audit_records();

CREATE TRIGGER count_records_removed AFTER DELETE ON audit_events REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION count_audit_records();

CREATE TRIGGER count_records_added AFTER INSERT ON checkpoint_files REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_checkpoint_records();

CREATE TRIGGER count_records_removed AFTER DELETE ON checkpoint_files REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION count_checkpoint_records();

-- Jobs change often, their texts seldom: this runs only for statements that name such a column.
CREATE TRIGGER count_changed_record AFTER UPDATE OF note, tags, final_metrics ON jobs FOR EACH ROW
  WHEN (OLD.note IS DISTINCT FROM NEW.note OR OLD.tags IS DISTINCT FROM NEW.tags
        OR OLD.final_metrics IS DISTINCT FROM NEW.final_metrics)
  EXECUTE FUNCTION count_changed_job_record();

CREATE TRIGGER count_records AFTER INSERT ON jobs REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_job_records();

CREATE TRIGGER count_records_added AFTER INSERT ON working_files REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_job_file_records();

CREATE TRIGGER count_records_removed AFTER DELETE ON working_files REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION count_job_file_records();
