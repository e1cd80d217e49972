"""The tables of a PostgreSQL store, the functions that write to them, and the statements about leases.

Each is called as one statement, a transaction of its own: no lock is ever held while a server waits for a client, so a
process that stops in the middle of something holds up nobody. A commit locks its leases as a foreign key would (FOR KEY
SHARE): renewing one does not wait for it, but whoever raises a fence does, and a commit that waited for that sees the
new fence and is refused.
"""

FORMAT = 2
SNAPSHOTS = 2  # of each experiment
LOCK = 0x726F62616E646974  # of those who make the tables at the same time

SCHEMA = f"""
SELECT pg_advisory_xact_lock({LOCK});
CREATE SCHEMA IF NOT EXISTS robandit;
CREATE TABLE IF NOT EXISTS robandit.meta(key text COLLATE "C" PRIMARY KEY, value bytea NOT NULL);
CREATE TABLE IF NOT EXISTS robandit.experiment(
  id int PRIMARY KEY, name text COLLATE "C" NOT NULL UNIQUE, about text NOT NULL);
CREATE TABLE IF NOT EXISTS robandit.line(
  experiment int NOT NULL, line bigint NOT NULL, act boolean NOT NULL, settles bigint, body text NOT NULL,
  PRIMARY KEY(experiment, line));
CREATE UNIQUE INDEX IF NOT EXISTS settled ON robandit.line(experiment, settles) WHERE settles IS NOT NULL;
CREATE INDEX IF NOT EXISTS acts ON robandit.line(experiment, line) WHERE act;
CREATE TABLE IF NOT EXISTS robandit.head(experiment int PRIMARY KEY, line bigint NOT NULL, chain bytea NOT NULL);
CREATE TABLE IF NOT EXISTS robandit.snapshot(
  experiment int NOT NULL, line bigint NOT NULL, code text NOT NULL, body bytea NOT NULL,
  PRIMARY KEY(experiment, line));
CREATE TABLE IF NOT EXISTS robandit.lease(
  experiment int PRIMARY KEY, owner text NOT NULL, fence bigint NOT NULL, until timestamptz NOT NULL,
  address text NOT NULL, UNIQUE(experiment, fence));
CREATE TABLE IF NOT EXISTS robandit.instance(owner text COLLATE "C" PRIMARY KEY, until timestamptz NOT NULL);

CREATE OR REPLACE FUNCTION robandit.create_experiment(
  its_name text, its_about text, first text, its_chain bytea, its_owner text, seconds float8, its_address text
) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
  made int;
BEGIN
  LOCK TABLE robandit.experiment IN SHARE ROW EXCLUSIVE MODE;
  INSERT INTO robandit.experiment SELECT coalesce(max(id), 0) + 1, its_name, its_about FROM robandit.experiment
    RETURNING id INTO made;
  INSERT INTO robandit.line VALUES (made, 1, false, NULL, first);
  INSERT INTO robandit.head VALUES (made, 1, its_chain);
  INSERT INTO robandit.lease
    VALUES (made, its_owner, 1, clock_timestamp() + make_interval(secs => seconds), its_address);
  RETURN made;
END $$;

-- heads: [[experiment, fence, line before, chain before, line after, chain after] ...]; lines: [[experiment, line, act,
-- settles, body] ...]; snapshots: [[experiment, line, code] ...] and their bodies
CREATE OR REPLACE FUNCTION robandit.commit_lines(heads json, lines json, snapshots json, bodies bytea[])
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  wanted int := json_array_length(heads);
  counted int;
  one json;
BEGIN
  PERFORM 1 FROM robandit.lease, json_array_elements(heads) AS told
    WHERE lease.experiment = (told->>0)::int AND lease.fence = (told->>1)::bigint FOR KEY SHARE OF lease;
  GET DIAGNOSTICS counted = ROW_COUNT;
  IF counted < wanted THEN
    RAISE EXCEPTION 'an experiment of this commit belongs to another process now';
  END IF;
  UPDATE robandit.head SET line = (told->>4)::bigint, chain = decode(told->>5, 'hex')
    FROM json_array_elements(heads) AS told
    WHERE head.experiment = (told->>0)::int AND head.line = (told->>2)::bigint AND head.chain = decode(told->>3, 'hex');
  GET DIAGNOSTICS counted = ROW_COUNT;
  IF counted < wanted THEN
    RAISE EXCEPTION 'a journal does not end where this commit goes on';
  END IF;
  INSERT INTO robandit.line
    SELECT (told->>0)::int, (told->>1)::bigint, (told->>2)::boolean, (told->>3)::bigint, told->>4
    FROM json_array_elements(lines) AS told;
  FOR place IN 1 .. json_array_length(snapshots) LOOP
    one := snapshots->(place - 1);
    INSERT INTO robandit.snapshot VALUES ((one->>0)::int, (one->>1)::bigint, one->>2, bodies[place])
      ON CONFLICT (experiment, line) DO UPDATE SET code = excluded.code, body = excluded.body;
    DELETE FROM robandit.snapshot WHERE experiment = (one->>0)::int AND line NOT IN (
      SELECT line FROM robandit.snapshot WHERE experiment = (one->>0)::int ORDER BY line DESC LIMIT {SNAPSHOTS});
  END LOOP;
END $$;

INSERT INTO robandit.meta VALUES ('format', '1') ON CONFLICT DO NOTHING;
"""

# from a format to the next one; a string of statements is one transaction
UPGRADES = {
    1: f"""
SELECT pg_advisory_xact_lock({LOCK});
CREATE TABLE IF NOT EXISTS robandit.archive(
  experiment int NOT NULL, first bigint NOT NULL, last bigint NOT NULL, before bytea NOT NULL, after bytea NOT NULL,
  name text NOT NULL, digest bytea NOT NULL, PRIMARY KEY(experiment, last));

-- pieces: [[experiment, first, last, before, after, name, digest] ...]; added: [act, body], one more line
CREATE OR REPLACE FUNCTION robandit.replace_lines(
  its_id int, its_fence bigint, old_line bigint, old_chain bytea, new_chain bytea, bodies json, pieces json, added json
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM robandit.lease WHERE experiment = its_id AND fence = its_fence FOR KEY SHARE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'the experiment belongs to another process now';
  END IF;
  UPDATE robandit.head SET line = old_line + 1, chain = new_chain
    WHERE experiment = its_id AND line = old_line AND chain = old_chain;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'the experiment has changed meanwhile';
  END IF;
  UPDATE robandit.line SET body = told->>1 FROM json_array_elements(bodies) AS told
    WHERE experiment = its_id AND line = (told->>0)::bigint;
  DELETE FROM robandit.snapshot WHERE experiment = its_id;
  DELETE FROM robandit.archive WHERE experiment = its_id;
  INSERT INTO robandit.archive SELECT (told->>0)::int, (told->>1)::bigint, (told->>2)::bigint, decode(told->>3, 'hex'),
    decode(told->>4, 'hex'), told->>5, decode(told->>6, 'hex') FROM json_array_elements(pieces) AS told;
  INSERT INTO robandit.line VALUES (its_id, old_line + 1, (added->>0)::boolean, NULL, added->>1);
END $$;

UPDATE robandit.meta SET value = '2' WHERE key = 'format' AND value = '1';
""",
}

CLAIM = """WITH free AS MATERIALIZED (
  SELECT experiment FROM robandit.lease
  WHERE (until < clock_timestamp() - make_interval(secs => %(spare)s)
      OR (owner = %(owner)s AND experiment = ANY(%(again)s::int[])))
    AND experiment <> ALL(%(but)s::int[])
  ORDER BY experiment LIMIT %(most)s FOR UPDATE SKIP LOCKED)
UPDATE robandit.lease SET owner = %(owner)s, fence = fence + 1, address = %(address)s,
  until = clock_timestamp() + make_interval(secs => %(seconds)s)
FROM free WHERE lease.experiment = free.experiment RETURNING lease.experiment, lease.fence"""
RENEW = """WITH gone AS (DELETE FROM robandit.instance WHERE until < clock_timestamp() - interval '1 hour'),
life AS (INSERT INTO robandit.instance SELECT %(owner)s, clock_timestamp() + make_interval(secs => %(seconds)s)
  WHERE %(wants)s ON CONFLICT (owner) DO UPDATE SET until = excluded.until)
UPDATE robandit.lease SET until = clock_timestamp() + make_interval(secs => %(seconds)s)
WHERE owner = %(owner)s AND experiment = ANY(%(held)s::int[]) RETURNING experiment, fence"""
SHARE = """SELECT (SELECT count(*) FROM robandit.experiment), 1 + (SELECT count(*) FROM robandit.instance
  WHERE until > clock_timestamp() AND owner <> %s)"""
RELEASE = """UPDATE robandit.lease SET until = clock_timestamp() - interval '1 second'
WHERE owner = %s AND experiment = ANY(%s::int[]) RETURNING experiment"""
LEASES = """SELECT id, name, owner, address, until > clock_timestamp()
FROM robandit.experiment JOIN robandit.lease ON lease.experiment = experiment.id"""
ENDED = """WITH over AS (DELETE FROM robandit.meta WHERE starts_with(key, 'ended session ')
  AND convert_from(value, 'UTF8')::float8 < extract(epoch FROM clock_timestamp())),
added AS (INSERT INTO robandit.meta SELECT 'ended session ' || name, convert_to(until::text, 'UTF8')
  FROM unnest(%s::text[], %s::float8[]) AS new(name, until) ON CONFLICT DO NOTHING RETURNING key)
SELECT substr(key, 15) FROM added
UNION SELECT substr(key, 15) FROM robandit.meta WHERE starts_with(key, 'ended session ')"""
