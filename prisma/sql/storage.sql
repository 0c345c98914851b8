CREATE FUNCTION count_artifacts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO storage_changes (user_id, project_id, kind, bytes)
    SELECT j.user_id, j.project_id, 'artifacts', sum(coalesce(a.stored_bytes, a.bytes))
      FROM added a JOIN jobs j ON j.id = a.job_id GROUP BY 1, 2 HAVING sum(coalesce(a.stored_bytes, a.bytes)) <> 0;
  END IF;
  IF TG_OP <> 'INSERT' THEN
    INSERT INTO storage_changes (user_id, project_id, kind, bytes)
    SELECT j.user_id, j.project_id, 'artifacts', -sum(coalesce(a.stored_bytes, a.bytes))
      FROM removed a JOIN jobs j ON j.id = a.job_id GROUP BY 1, 2 HAVING sum(coalesce(a.stored_bytes, a.bytes)) <> 0;
  END IF;
  RETURN NULL;
END $$;

-- The source of a job is stored once, but counts for each job.
CREATE FUNCTION count_changed_source() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO storage_changes (user_id, project_id, kind, bytes)
  SELECT NEW.user_id, NEW.project_id, 'sources',
         coalesce((SELECT octet_length(content) FROM programs WHERE hash = NEW.program_hash), 0)
         - coalesce((SELECT octet_length(content) FROM programs WHERE hash = OLD.program_hash), 0);
  RETURN NULL;
END $$;

CREATE FUNCTION count_checkpoints() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO storage_changes (user_id, project_id, kind, bytes)
    SELECT coalesce(r.user_id, p.owner_id), p.id, 'checkpoints', sum(f.bytes)
      FROM added f JOIN runs r ON r.id = f.run_id JOIN projects p ON p.id = r.project_id
     GROUP BY 1, 2 HAVING sum(f.bytes) <> 0;
  END IF;
  IF TG_OP <> 'INSERT' THEN
    INSERT INTO storage_changes (user_id, project_id, kind, bytes)
    SELECT coalesce(r.user_id, p.owner_id), p.id, 'checkpoints', -sum(f.bytes)
      FROM removed f JOIN runs r ON r.id = f.run_id JOIN projects p ON p.id = r.project_id
     GROUP BY 1, 2 HAVING sum(f.bytes) <> 0;
  END IF;
  RETURN NULL;
END $$;

-- Counts rows of a table with project_id and bytes. The argument is the kind.
CREATE FUNCTION count_project_storage() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO storage_changes (user_id, project_id, kind, bytes)
    SELECT p.owner_id, p.id, TG_ARGV[0]::"StorageKind", sum(f.bytes) FROM added f JOIN projects p ON p.id = f.project_id
     GROUP BY 1, 2 HAVING sum(f.bytes) <> 0;
  END IF;
  IF TG_OP <> 'INSERT' THEN
    INSERT INTO storage_changes (user_id, project_id, kind, bytes)
    SELECT p.owner_id, p.id, TG_ARGV[0]::"StorageKind", -sum(f.bytes)
      FROM removed f JOIN projects p ON p.id = f.project_id GROUP BY 1, 2 HAVING sum(f.bytes) <> 0;
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION count_results() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO storage_changes (user_id, project_id, kind, bytes)
    SELECT j.user_id, j.project_id, 'results', sum(f.bytes) FROM added f JOIN jobs j ON j.id = f.job_id
     GROUP BY 1, 2 HAVING sum(f.bytes) <> 0;
  END IF;
  IF TG_OP <> 'INSERT' THEN
    INSERT INTO storage_changes (user_id, project_id, kind, bytes)
    SELECT j.user_id, j.project_id, 'results', -sum(f.bytes) FROM removed f JOIN jobs j ON j.id = f.job_id
     GROUP BY 1, 2 HAVING sum(f.bytes) <> 0;
  END IF;
  RETURN NULL;
END $$;

-- Every change of a size is a new row, never an update: two transactions that store files of one user do not wait for
-- each other. The leader adds the rows up regularly. Rows of deleted users and projects have no foreign key, because a
-- cascade would insert them after their project is gone; the leader removes them.
CREATE FUNCTION count_sources() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO storage_changes (user_id, project_id, kind, bytes)
  SELECT a.user_id, a.project_id, 'sources', sum(octet_length(p.content))
    FROM added a JOIN programs p ON p.hash = a.program_hash GROUP BY 1, 2;
  RETURN NULL;
END $$;

-- Checkpoints count to the user of their run; those of a project's run to the owner of the project, as archives do.
CREATE VIEW stored_bytes AS
  SELECT j.user_id, j.project_id, 'sources'::"StorageKind" AS kind, octet_length(p.content)::int8 AS bytes
    FROM jobs j JOIN programs p ON p.hash = j.program_hash
  UNION ALL
  SELECT j.user_id, j.project_id, 'results', f.bytes FROM result_files f JOIN jobs j ON j.id = f.job_id
   WHERE f.bytes IS NOT NULL
  UNION ALL
  SELECT j.user_id, j.project_id, 'artifacts', coalesce(a.stored_bytes, a.bytes)
    FROM artifacts a JOIN jobs j ON j.id = a.job_id
  UNION ALL
  SELECT p.owner_id, p.id, 'archives', b.bytes FROM archive_blobs b JOIN projects p ON p.id = b.project_id
  UNION ALL
  SELECT coalesce(r.user_id, p.owner_id), p.id, 'checkpoints', f.bytes
    FROM (SELECT run_id, bytes FROM checkpoint_files UNION ALL SELECT run_id, bytes FROM run_directories) f
    JOIN runs r ON r.id = f.run_id JOIN projects p ON p.id = r.project_id
  UNION ALL
  SELECT j.user_id, j.project_id, 'artifacts', coalesce(w.stored_bytes, w.bytes)
    FROM working_files w JOIN jobs j ON j.id = w.job_id;

CREATE TRIGGER count_added AFTER INSERT ON archive_blobs REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_project_storage('archives');

CREATE TRIGGER count_changed AFTER UPDATE ON archive_blobs REFERENCING OLD TABLE AS removed NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_project_storage('archives');

CREATE TRIGGER count_removed AFTER DELETE ON archive_blobs REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION count_project_storage('archives');

CREATE TRIGGER count_added AFTER INSERT ON artifacts REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_artifacts();

CREATE TRIGGER count_changed AFTER UPDATE ON artifacts REFERENCING OLD TABLE AS removed NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_artifacts();

CREATE TRIGGER count_removed AFTER DELETE ON artifacts REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION count_artifacts();

CREATE TRIGGER count_added AFTER INSERT ON checkpoint_files REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_checkpoints();

CREATE TRIGGER count_changed AFTER UPDATE ON checkpoint_files REFERENCING OLD TABLE AS removed NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_checkpoints();

CREATE TRIGGER count_removed AFTER DELETE ON checkpoint_files REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION count_checkpoints();

CREATE TRIGGER count_added AFTER INSERT ON jobs REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_sources();

-- Jobs change often, their source almost never: this runs only for statements that name the column.
CREATE TRIGGER count_source AFTER UPDATE OF program_hash ON jobs
  FOR EACH ROW WHEN (OLD.program_hash IS DISTINCT FROM NEW.program_hash) EXECUTE FUNCTION count_changed_source();

CREATE TRIGGER count_added AFTER INSERT ON result_files REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_results();

CREATE TRIGGER count_changed AFTER UPDATE ON result_files REFERENCING OLD TABLE AS removed NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_results();

CREATE TRIGGER count_removed AFTER DELETE ON result_files REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION count_results();

CREATE TRIGGER count_added AFTER INSERT ON run_directories REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_checkpoints();

CREATE TRIGGER count_changed AFTER UPDATE ON run_directories REFERENCING OLD TABLE AS removed NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_checkpoints();

CREATE TRIGGER count_removed AFTER DELETE ON run_directories REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION count_checkpoints();

-- The function reads only the columns that both tables have. A version is never updated.
CREATE TRIGGER count_added AFTER INSERT ON working_files REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_artifacts();

CREATE TRIGGER count_removed AFTER DELETE ON working_files REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION count_artifacts();
