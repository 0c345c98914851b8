-- What people search by. The end of the id is the name of a job without one.
CREATE FUNCTION set_search_words() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.search_words := array_to_tsvector(words_of(concat_ws(' ', right(NEW.id::text, 8), NEW.name,
    NEW.competition_id, array_to_string(NEW.tags, ' '), NEW.note)));
  RETURN NEW;
END $$;

-- Finds rows that have a word with each of these beginnings. Null finds nothing: the text has no word.
CREATE FUNCTION words_begin(text) RETURNS tsquery LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT string_agg('''' || word || ''':*', ' & ')::tsquery FROM unnest(words_of($1)) word
$$;

-- The words of a text, in small letters. A word is letters and digits, as in the search.
CREATE FUNCTION words_of(text) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT coalesce(array_agg(DISTINCT left(word, 64)), '{}')
    FROM regexp_split_to_table(lower($1), '[^[:alnum:]]+') word WHERE word <> ''
$$;

CREATE TRIGGER jobs_search_words BEFORE INSERT OR UPDATE OF name, competition_id, tags, note ON jobs
  FOR EACH ROW EXECUTE FUNCTION set_search_words();
