-- Puts a new job or group into the tree of experiments, and the one that it follows. If that one was deleted meanwhile, it is a root.
-- A member of a wave with a hypothesis of its own follows its group.
CREATE OR REPLACE FUNCTION plant_experiment() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  followed UUID := (NEW.spec->>'parent')::uuid;
BEGIN
  IF TG_TABLE_NAME = 'jobs' AND followed IS NULL THEN
    followed := NEW.group_id;
  END IF;
  INSERT INTO experiments (id, job_id, group_id, user_id, project_id, created_at)
  SELECT id, id, NULL, user_id, project_id, created_at FROM jobs WHERE id = followed
  UNION ALL SELECT id, NULL, id, user_id, project_id, created_at FROM job_groups WHERE id = followed
  ON CONFLICT DO NOTHING;
  INSERT INTO experiments (id, job_id, group_id, user_id, project_id, parent_id, created_at)
  SELECT NEW.id, CASE TG_TABLE_NAME WHEN 'jobs' THEN NEW.id END, CASE TG_TABLE_NAME WHEN 'job_groups' THEN NEW.id END,
         NEW.user_id, NEW.project_id, (SELECT id FROM experiments WHERE id = followed FOR KEY SHARE), NEW.created_at;
  RETURN NULL;
END $$;
