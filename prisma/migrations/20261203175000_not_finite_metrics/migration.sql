-- A metric whose last value was not finite is null in final_metrics, and has no row.
CREATE OR REPLACE FUNCTION store_job_metrics() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM job_metrics WHERE job_id = NEW.id;
  INSERT INTO job_metrics (job_id, name, value)
  SELECT NEW.id, metric.key, metric.value::float8 FROM jsonb_each_text(NEW.final_metrics) metric WHERE metric.value IS NOT NULL;
  RETURN NULL;
END $$;
