-- AlterTable
ALTER TABLE "jobs" ADD COLUMN     "never_fits_ends_at" TIMESTAMPTZ(3),
ADD COLUMN     "never_fits_since" TIMESTAMPTZ(3);

-- The few waiting jobs that no node fits.
CREATE INDEX "jobs_never_fits" ON "jobs" ("never_fits_since") WHERE "never_fits_since" IS NOT NULL;

-- Keeps since when no node has fitted a waiting job. The reasons that are listed say nothing about whether one fits.
CREATE FUNCTION "keep_never_fits_since"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.never_fits_since := CASE
    WHEN NEW.status = 'pending' AND NEW.reason = 'never_fits' THEN coalesce(OLD.never_fits_since, now())
    WHEN NEW.status = 'pending' AND (NEW.reason IS NULL OR NEW.reason IN ('no_node', 'stopped', 'backing_off', 'budget'))
      THEN OLD.never_fits_since END;
  IF NEW.never_fits_since IS NULL THEN NEW.never_fits_ends_at := NULL; END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER "keep_never_fits_since" BEFORE UPDATE OF "status", "reason" ON "jobs" FOR EACH ROW
  WHEN (NEW."reason" = 'never_fits' OR OLD."never_fits_since" IS NOT NULL) EXECUTE FUNCTION keep_never_fits_since();

-- The jobs of an existing installation.
UPDATE "jobs" SET "reason" = "reason" WHERE "status" = 'pending' AND "reason" = 'never_fits';

-- Who wants to know that a job failed wants to know a day before.
UPDATE "notification_targets" SET "events" = array_append("events", 'job.never_fits') WHERE 'job.failed' = ANY ("events");
