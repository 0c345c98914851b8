-- AlterTable
ALTER TABLE "jobs" ADD COLUMN "search_words" TSVECTOR;

-- The words of a text, in small letters. A word is letters and digits, as in the search.
CREATE FUNCTION "words_of"(text) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT coalesce(array_agg(DISTINCT left(word, 64)), '{}')
    FROM regexp_split_to_table(lower($1), '[^[:alnum:]]+') word WHERE word <> ''
$$;

-- Finds rows that have a word with each of these beginnings. Null finds nothing: the text has no word.
CREATE FUNCTION "words_begin"(text) RETURNS tsquery LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT string_agg('''' || word || ''':*', ' & ')::tsquery FROM unnest(words_of($1)) word
$$;

-- The GPUs that a job requests.
CREATE FUNCTION "requested_gpus"(spec jsonb) RETURNS float8 LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT coalesce((spec->>'gpu_fraction')::float8, (spec->>'gpu_count')::float8, 1)
         * coalesce((spec->>'instance_count')::float8, 1)
$$;

-- What people search by. The end of the id is the name of a job without one.
CREATE FUNCTION "set_search_words"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."search_words" := array_to_tsvector(words_of(concat_ws(' ', right(NEW."id"::text, 8), NEW."name",
    NEW."competition_id", array_to_string(NEW."tags", ' '), NEW."note")));
  RETURN NEW;
END $$;

CREATE TRIGGER "jobs_search_words" BEFORE INSERT OR UPDATE OF "name", "competition_id", "tags", "note" ON "jobs"
  FOR EACH ROW EXECUTE FUNCTION set_search_words();

UPDATE "jobs" SET "name" = "name";

CREATE INDEX "jobs_search_words" ON "jobs" USING gin ("search_words");

-- Filters on the jobs of all users, in the order of the list.
CREATE INDEX "jobs_by_status" ON "jobs" ("status", "created_at" DESC, "id" DESC);
CREATE INDEX "jobs_by_competition" ON "jobs" ("competition_id", "created_at" DESC, "id" DESC);
CREATE INDEX "jobs_by_environment" ON "jobs" ("environment_id", "created_at" DESC, "id" DESC);

-- The other orders of the list. Only jobs that have ended are in them, so they cost nothing before.
CREATE INDEX "jobs_by_run_time" ON "jobs" ((extract(epoch FROM "ended_at" - "started_at")::float8), "id")
  WHERE "started_at" IS NOT NULL AND "ended_at" IS NOT NULL;
CREATE INDEX "jobs_by_wait" ON "jobs" ((extract(epoch FROM "started_at" - "created_at")::float8), "id")
  WHERE "started_at" IS NOT NULL AND "ended_at" IS NOT NULL;
CREATE INDEX "jobs_by_gpu_hours" ON "jobs" ((requested_gpus("spec") * extract(epoch FROM "ended_at" - "started_at")::float8 / 3600), "id")
  WHERE "started_at" IS NOT NULL AND "ended_at" IS NOT NULL;
