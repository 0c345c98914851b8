-- No index of a JSON column finds the jobs with a number below a limit, whatever its name. A metric whose last value was not finite is null
-- there, and has no row here.
CREATE FUNCTION store_job_metrics() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM job_metrics WHERE job_id = NEW.id;
  INSERT INTO job_metrics (job_id, name, value)
  SELECT NEW.id, metric.key, metric.value::float8 FROM jsonb_each_text(NEW.final_metrics) metric WHERE metric.value IS NOT NULL;
  RETURN NULL;
END $$;

CREATE TRIGGER jobs_first_metrics AFTER INSERT ON jobs
  FOR EACH ROW WHEN (NEW.final_metrics <> '{}') EXECUTE FUNCTION store_job_metrics();

-- Once for each job: when its output becomes a file.
CREATE TRIGGER jobs_metrics AFTER UPDATE OF final_metrics ON jobs
  FOR EACH ROW WHEN (NEW.final_metrics IS DISTINCT FROM OLD.final_metrics) EXECUTE FUNCTION store_job_metrics();
