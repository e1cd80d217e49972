SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
CREATE SCHEMA robandit;
CREATE FUNCTION robandit.commit_lines(heads json, lines json, snapshots json, bodies bytea[]) RETURNS void
    LANGUAGE plpgsql
    AS $$
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
      SELECT line FROM robandit.snapshot WHERE experiment = (one->>0)::int ORDER BY line DESC LIMIT 2);
  END LOOP;
END $$;
CREATE FUNCTION robandit.create_experiment(its_name text, its_about text, first text, its_chain bytea, its_owner text, seconds double precision, its_address text) RETURNS integer
    LANGUAGE plpgsql
    AS $$
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
CREATE FUNCTION robandit.replace_lines(its_id integer, its_fence bigint, old_line bigint, old_chain bytea, new_chain bytea, bodies json, pieces json, added json) RETURNS void
    LANGUAGE plpgsql
    AS $$
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
SET default_tablespace = '';
SET default_table_access_method = heap;
CREATE TABLE robandit.archive (
    experiment integer NOT NULL,
    first bigint NOT NULL,
    last bigint NOT NULL,
    before bytea NOT NULL,
    after bytea NOT NULL,
    name text NOT NULL,
    digest bytea NOT NULL
);
CREATE TABLE robandit.experiment (
    id integer NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    about text NOT NULL
);
CREATE TABLE robandit.head (
    experiment integer NOT NULL,
    line bigint NOT NULL,
    chain bytea NOT NULL
);
CREATE TABLE robandit.instance (
    owner text NOT NULL COLLATE pg_catalog."C",
    until timestamp with time zone NOT NULL
);
CREATE TABLE robandit.lease (
    experiment integer NOT NULL,
    owner text NOT NULL,
    fence bigint NOT NULL,
    until timestamp with time zone NOT NULL,
    address text NOT NULL
);
CREATE TABLE robandit.line (
    experiment integer NOT NULL,
    line bigint NOT NULL,
    act boolean NOT NULL,
    settles bigint,
    body text NOT NULL
);
CREATE TABLE robandit.meta (
    key text NOT NULL COLLATE pg_catalog."C",
    value bytea NOT NULL
);
CREATE TABLE robandit.snapshot (
    experiment integer NOT NULL,
    line bigint NOT NULL,
    code text NOT NULL,
    body bytea NOT NULL
);
INSERT INTO robandit.archive VALUES (1, 2, 61, '\xeae51391ed5639339e97facdc9a17dc6', '\xd2e5084e786bf2f78b84fa5791576221', '1-2-61-d2e5084e.parquet', '\x1bfbff5a73b5f23b646122f52cab9bcec463aa1351392ab8e2c0361300beea5a');
INSERT INTO robandit.archive VALUES (2, 2, 61, '\x92b8d5d1d61a75bf8ba2768ac90b25c5', '\x52b2a745381e937804203b2687770399', '2-2-61-52b2a745.parquet', '\x5ca9416e99f662453a4383e73ac5b146e60e3b7a6dbc92e6dea6b78095c1d094');
INSERT INTO robandit.archive VALUES (2, 62, 121, '\x52b2a745381e937804203b2687770399', '\xcbb17b9c4c3a83cbb3726640011c9e33', '2-62-121-cbb17b9c.parquet', '\xde5e0033bf6ceafaa2fc527a5b6528b4e568c53f7bde97ba6f117529e3c2d2b4');
INSERT INTO robandit.archive VALUES (2, 122, 181, '\xcbb17b9c4c3a83cbb3726640011c9e33', '\x3ea29b5a1c074cd8aab6c78504264986', '2-122-181-3ea29b5a.parquet', '\x9446d5072343faf33ba57b61297c77f16696496da68300b506f8ae5e3481aaa1');
INSERT INTO robandit.archive VALUES (3, 2, 61, '\x5814fed79045b70366d5d6ae9664e755', '\xcae1710ebef38980f2e5e57816380906', '3-2-61-cae1710e.parquet', '\x82210ce468d795c022b32ccbf67cb661a0531ad07d4ff5964b38a904355922b6');
INSERT INTO robandit.archive VALUES (3, 62, 121, '\xcae1710ebef38980f2e5e57816380906', '\xb3f1342841fa642afcc34a9193cc0872', '3-62-121-b3f13428.parquet', '\x2503331d6941210d979dcbd6557a42f33ce9fe7b35375fda8a73207b9ac476e9');
INSERT INTO robandit.archive VALUES (4, 2, 61, '\x245ff7c2a5b842ab72d83ef8336de9c3', '\x428072ed01c25ee465f1c33adb97a257', '4-2-61-428072ed.parquet', '\xb66e9ef7548b7e2fbbe79b60a0364bb9f79665a08821d8c64252a109f6b785aa');
INSERT INTO robandit.archive VALUES (4, 62, 121, '\x428072ed01c25ee465f1c33adb97a257', '\x92e8ed9acca1b839a6a9a453f91bb49a', '4-62-121-92e8ed9a.parquet', '\x431dbfb78fc4f8ce4cb6421d6f77fbb852f155201422e998f51f0879b48440e7');
INSERT INTO robandit.archive VALUES (4, 122, 181, '\x92e8ed9acca1b839a6a9a453f91bb49a', '\xeae359677caca58335df92c29e25a61a', '4-122-181-eae35967.parquet', '\x7265592ca229c5bbff23c3ceb8419951ac29cad0fada6114f0d00057422f3089');
INSERT INTO robandit.experiment VALUES (1, 'plain', '{"shadow": [], "trip": false, "created": 1790000000.0}');
INSERT INTO robandit.experiment VALUES (2, 'shop', '{"shadow": [], "trip": false, "created": 1790000000.0}');
INSERT INTO robandit.experiment VALUES (3, 'parts', '{"shadow": [], "trip": false, "created": 1790000000.0}');
INSERT INTO robandit.experiment VALUES (4, 'shown', '{"shadow": [], "trip": false, "created": 1790000000.0}');
INSERT INTO robandit.experiment VALUES (5, 'sticky', '{"shadow": [], "trip": false, "created": 1790000000.0}');
INSERT INTO robandit.head VALUES (1, 108, '\x451088369f3e7f962cf1959efb8006a2');
INSERT INTO robandit.head VALUES (2, 195, '\xc4affebe46a1bf4716a9edde32d1ba4b');
INSERT INTO robandit.head VALUES (3, 180, '\x707e0a83cca8557b83e17990021f473a');
INSERT INTO robandit.head VALUES (4, 206, '\xd0b472f6e41baea6d70a81a0e689ed46');
INSERT INTO robandit.head VALUES (5, 50, '\x6ed14f1716720590dae885afb3993c0a');
INSERT INTO robandit.lease VALUES (1, '1abfea69579f58de', 2, '2026-11-18 09:24:24.183041+00', '');
INSERT INTO robandit.lease VALUES (2, '1abfea69579f58de', 2, '2026-11-18 09:24:24.183095+00', '');
INSERT INTO robandit.lease VALUES (3, '1abfea69579f58de', 2, '2026-11-18 09:24:24.183099+00', '');
INSERT INTO robandit.lease VALUES (4, '1abfea69579f58de', 2, '2026-11-18 09:24:24.183101+00', '');
INSERT INTO robandit.lease VALUES (5, '1abfea69579f58de', 2, '2026-11-18 09:24:24.183103+00', '');
INSERT INTO robandit.line VALUES (1, 1, false, NULL, '{"robandit":"journal","format":1,"version":"0.1.0","policy":"samba","arms":["a","b","c"],"seed":7,"horizon":100000,"corruption":0.0,"patience":100000,"state":null,"rules":{"window":null,"default":null,"hold":0.0,"aggregate":"first","activation":false,"cap":null,"token_cap":null,"holdout":0.1,"sticky":false},"range":[0.0,1.0]}');
INSERT INTO robandit.line VALUES (1, 62, false, 35, '{"entry":"reward","id":35,"value":1.0,"source":"robot/source 0","time":1790000256.312}');
INSERT INTO robandit.line VALUES (1, 63, false, NULL, '{"entry":"decide","id":36,"arm":"d","chance":0.3511557176197996,"note":0,"eligible":["a","c","d"],"time":1790000267.087,"key":"key 36","unit":"unit 11","source":"shop 0"}');
INSERT INTO robandit.line VALUES (1, 64, false, 36, '{"entry":"reward","id":36,"value":0.75,"source":"robot/source 1","time":1790000267.087}');
INSERT INTO robandit.line VALUES (1, 65, false, NULL, '{"entry":"decide","id":37,"arm":"a","chance":0.31919127442098205,"note":0,"eligible":["a","c","d"],"time":1790000277.239,"key":"key 37","unit":"unit 12","source":"robot/shop 1","by":"robot"}');
INSERT INTO robandit.line VALUES (1, 66, false, 37, '{"entry":"reward","id":37,"value":1.0,"source":"robot/source 2","time":1790000277.239}');
INSERT INTO robandit.line VALUES (1, 67, false, NULL, '{"entry":"decide","id":38,"arm":"d","chance":0.3576843543869339,"note":0,"eligible":["a","c","d"],"time":1790000281.161,"key":"key 38","unit":"unit 13","source":"robot/shop 2","by":"robot"}');
INSERT INTO robandit.line VALUES (1, 68, false, 38, '{"entry":"reward","id":38,"value":0.75,"source":"robot/source 3","time":1790000281.161}');
INSERT INTO robandit.line VALUES (1, 69, false, NULL, '{"entry":"decide","id":39,"arm":"d","chance":0.37935251313372875,"note":0,"eligible":["a","c","d"],"time":1790000287.902,"key":"key 39","unit":"unit 14","source":"shop 3"}');
INSERT INTO robandit.line VALUES (1, 70, false, 39, '{"entry":"reward","id":39,"value":0.75,"source":"robot/source 4","time":1790000287.902}');
INSERT INTO robandit.line VALUES (1, 71, false, NULL, '{"entry":"decide","id":40,"arm":"c","chance":0.2885372997819795,"note":0,"eligible":["a","c","d"],"time":1790000293.58,"key":"key 40","unit":"unit 15","source":"robot/shop 0","by":"robot"}');
INSERT INTO robandit.line VALUES (1, 72, false, NULL, '{"entry":"arm","arm":"b","change":"resumed","time":1790000298.716,"by":"admin"}');
INSERT INTO robandit.line VALUES (1, 73, false, NULL, '{"entry":"decide","id":41,"arm":"c","chance":0.21640297483648463,"note":0,"eligible":null,"time":1790000298.716,"key":"key 41","unit":"unit 16","source":"robot/shop 1","by":"robot"}');
INSERT INTO robandit.line VALUES (1, 74, false, 41, '{"entry":"reward","id":41,"value":0.5,"source":"robot/source 1","time":1790000298.716}');
INSERT INTO robandit.line VALUES (1, 75, false, NULL, '{"entry":"decide","id":42,"arm":"c","chance":0.22181304920739675,"note":0,"eligible":null,"time":1790000305.978,"key":"key 42","unit":"unit 17","source":"shop 2"}');
INSERT INTO robandit.line VALUES (1, 76, false, NULL, '{"entry":"decide","id":43,"arm":"c","chance":0.25,"note":0,"eligible":null,"time":1790000314.441,"key":"key 43","unit":"unit 18","source":"robot/shop 3","holdout":true,"by":"robot"}');
INSERT INTO robandit.line VALUES (1, 77, false, NULL, '{"entry":"decide","id":44,"arm":"c","chance":0.22181304920739675,"note":0,"eligible":null,"time":1790000321.035,"key":"key 44","unit":"unit 19","source":"robot/shop 0","by":"robot"}');
INSERT INTO robandit.line VALUES (1, 78, false, 44, '{"entry":"reward","id":44,"value":1.0,"source":"robot/source 4","time":1790000321.035}');
INSERT INTO robandit.line VALUES (1, 79, false, NULL, '{"entry":"decide","id":45,"arm":"c","chance":0.23290370166776658,"note":0,"eligible":null,"time":1790000327.107,"key":"key 45","unit":"unit 20","source":"shop 1"}');
INSERT INTO robandit.line VALUES (1, 80, false, 45, '{"entry":"reward","id":45,"value":0.75,"source":"robot/source 0","time":1790000327.107}');
INSERT INTO robandit.line VALUES (1, 81, false, NULL, '{"entry":"decide","id":46,"arm":"d","chance":0.2735844115103293,"note":0,"eligible":null,"time":1790000337.649,"key":"key 46","unit":"unit 21","source":"robot/shop 2","by":"robot"}');
INSERT INTO robandit.line VALUES (1, 82, false, 46, '{"entry":"reward","id":46,"value":0.5,"source":"robot/source 1","time":1790000337.649}');
INSERT INTO robandit.line VALUES (1, 83, false, NULL, '{"entry":"decide","id":47,"arm":"d","chance":0.2896680612064825,"note":0,"eligible":null,"time":1790000343.689,"key":"key 47","unit":"unit 22","source":"robot/shop 3","by":"robot"}');
INSERT INTO robandit.line VALUES (1, 84, false, 47, '{"entry":"reward","id":47,"value":0.25,"source":"robot/source 2","time":1790000343.689}');
INSERT INTO robandit.line VALUES (1, 85, false, NULL, '{"entry":"decide","id":48,"arm":"c","chance":0.2338924624096026,"note":0,"eligible":null,"time":1790000348.498,"key":"key 48","unit":"unit 23","source":"shop 0"}');
INSERT INTO robandit.line VALUES (1, 86, false, 48, '{"entry":"reward","id":48,"value":0.25,"source":"robot/source 3","time":1790000348.498}');
INSERT INTO robandit.line VALUES (1, 87, false, NULL, '{"entry":"decide","id":49,"arm":"b","chance":0.25,"note":0,"eligible":null,"time":1790000354.404,"key":"key 49","unit":"unit 24","source":"robot/shop 1","holdout":true,"by":"robot"}');
INSERT INTO robandit.line VALUES (1, 88, false, 49, '{"entry":"reward","id":49,"value":0.0,"source":"robot/source 4","time":1790000354.404}');
INSERT INTO robandit.line VALUES (1, 89, false, NULL, '{"entry":"decide","id":50,"arm":"d","chance":0.2940068838750294,"note":0,"eligible":null,"time":1790000362.497,"key":"key 50","unit":"unit 0","source":"robot/shop 2","by":"robot"}');
INSERT INTO robandit.line VALUES (1, 90, false, 50, '{"entry":"reward","id":50,"value":0.25,"source":"robot/source 0","time":1790000362.497}');
INSERT INTO robandit.line VALUES (1, 91, false, NULL, '{"entry":"decide","id":51,"arm":"a","chance":0.22526368541835723,"note":0,"eligible":null,"time":1790000372.532,"key":"key 51","unit":"unit 1","source":"shop 3"}');
INSERT INTO robandit.line VALUES (1, 92, false, 51, '{"entry":"reward","id":51,"value":0.5,"source":"robot/source 1","time":1790000372.532}');
INSERT INTO robandit.line VALUES (1, 93, false, NULL, '{"entry":"decide","id":52,"arm":"a","chance":0.23089527755381617,"note":0,"eligible":null,"time":1790000380.69,"key":"key 52","unit":"unit 2","source":"robot/shop 0","by":"robot"}');
INSERT INTO robandit.line VALUES (1, 94, false, 52, '{"entry":"reward","id":52,"value":0.25,"source":"robot/source 2","time":1790000380.69}');
INSERT INTO robandit.line VALUES (1, 95, false, NULL, '{"entry":"decide","id":53,"arm":"d","chance":0.29255725730659166,"note":0,"eligible":null,"time":1790000389.006,"key":"key 53","unit":"unit 3","source":"robot/shop 1","by":"robot"}');
INSERT INTO robandit.line VALUES (1, 96, false, NULL, '{"entry":"decide","id":54,"arm":"c","chance":0.23443174060750047,"note":0,"eligible":null,"time":1790000396.185,"key":"key 54","unit":"unit 4","source":"shop 2"}');
INSERT INTO robandit.line VALUES (1, 97, false, NULL, '{"entry":"decide","id":55,"arm":"a","chance":0.25,"note":0,"eligible":null,"time":1790000401.686,"key":"key 55","unit":"unit 5","source":"robot/shop 3","holdout":true,"by":"robot"}');
INSERT INTO robandit.line VALUES (1, 98, false, 55, '{"entry":"reward","id":55,"value":0.75,"source":"robot/source 0","time":1790000401.686}');
INSERT INTO robandit.line VALUES (1, 99, false, NULL, '{"entry":"decide","id":56,"arm":"c","chance":0.23443174060750047,"note":0,"eligible":null,"time":1790000408.905,"key":"key 56","unit":"unit 6","source":"robot/shop 0","by":"robot"}');
INSERT INTO robandit.line VALUES (1, 100, false, 56, '{"entry":"reward","id":56,"value":1.0,"source":"robot/source 1","time":1790000408.905}');
INSERT INTO robandit.line VALUES (1, 101, false, NULL, '{"entry":"decide","id":57,"arm":"a","chance":0.23378146852323886,"note":0,"eligible":null,"time":1790000417.969,"key":"key 57","unit":"unit 7","source":"shop 1"}');
INSERT INTO robandit.line VALUES (1, 102, false, 57, '{"entry":"reward","id":57,"value":0.25,"source":"robot/source 2","time":1790000417.969}');
INSERT INTO robandit.line VALUES (1, 103, false, NULL, '{"entry":"decide","id":58,"arm":"c","chance":0.24615332763787548,"note":0,"eligible":null,"time":1790000422.203,"key":"key 58","unit":"unit 8","source":"robot/shop 2","by":"robot"}');
INSERT INTO robandit.line VALUES (1, 104, false, 58, '{"entry":"reward","id":58,"value":0.25,"source":"robot/source 3","time":1790000422.203}');
INSERT INTO robandit.line VALUES (1, 105, false, NULL, '{"entry":"decide","id":59,"arm":"a","chance":0.23670373687977936,"note":0,"eligible":null,"time":1790000429.078,"key":"key 59","unit":"unit 9","source":"robot/shop 3","by":"robot"}');
INSERT INTO robandit.line VALUES (1, 106, false, 59, '{"entry":"reward","id":59,"value":1.0,"source":"robot/source 4","time":1790000429.078}');
INSERT INTO robandit.line VALUES (1, 107, false, NULL, '{"entry":"epoch","epoch":3197345535,"time":1794980345.295}');
INSERT INTO robandit.line VALUES (2, 1, false, NULL, '{"robandit":"journal","format":1,"version":"0.1.0","policy":"exp3","arms":["a","b","c"],"seed":7,"horizon":100000,"corruption":0.0,"patience":100000,"state":null,"rules":{"window":60.0,"default":0.0,"hold":5.0,"aggregate":"first","activation":false,"cap":20,"token_cap":null,"holdout":0.0,"sticky":false},"range":[0.0,1.0]}');
INSERT INTO robandit.line VALUES (2, 182, false, NULL, '{"entry":"decide","id":57,"arm":"a","chance":0.6090416651583495,"note":0,"eligible":null,"time":1790000419.104,"key":"key 57","unit":"unit 7","source":"shop 1"}');
INSERT INTO robandit.line VALUES (2, 183, false, 57, '{"entry":"reward","id":57,"value":0.25,"source":"robot/source 2","time":1790000419.104}');
INSERT INTO robandit.line VALUES (2, 184, false, NULL, '{"entry":"decide","id":58,"arm":"b","chance":0.20184492960804382,"note":0,"eligible":null,"time":1790000423.691,"key":"key 58","unit":"unit 8","source":"robot/shop 2","by":"robot"}');
INSERT INTO robandit.line VALUES (2, 185, false, 58, '{"entry":"reward","id":58,"value":0.0,"source":"robot/source 3","time":1790000423.691}');
INSERT INTO robandit.line VALUES (2, 186, false, NULL, '{"entry":"tick","time":1790000426.469}');
INSERT INTO robandit.line VALUES (2, 187, false, NULL, '{"entry":"tick","time":1790000428.778}');
INSERT INTO robandit.line VALUES (2, 188, false, NULL, '{"entry":"decide","id":59,"arm":"a","chance":0.6247979250388659,"note":0,"eligible":null,"time":1790000431.901,"key":"key 59","unit":"unit 9","source":"robot/shop 3","by":"robot"}');
INSERT INTO robandit.line VALUES (2, 189, false, 59, '{"entry":"reward","id":59,"value":0.25,"source":"robot/source 4","time":1790000431.901}');
INSERT INTO robandit.line VALUES (2, 190, false, NULL, '{"entry":"tick","time":1790000433.36}');
INSERT INTO robandit.line VALUES (2, 191, false, NULL, '{"entry":"tick","time":1790000437.493}');
INSERT INTO robandit.line VALUES (2, 192, true, NULL, '{"entry":"source","source":"robot/source 1","change":"quarantined","time":1790000437.493,"by":"admin"}');
INSERT INTO robandit.line VALUES (2, 193, true, NULL, '{"entry":"source","source":"robot/source 2","change":"weighted","weight":0.5,"time":1790000437.493,"by":"admin"}');
INSERT INTO robandit.line VALUES (2, 194, true, NULL, '{"entry":"retract","id":3,"time":1790000437.493,"by":"admin"}');
INSERT INTO robandit.line VALUES (2, 195, false, NULL, '{"entry":"epoch","epoch":3197345535,"time":1794980345.298}');
INSERT INTO robandit.line VALUES (3, 1, false, NULL, '{"robandit":"journal","format":1,"version":"0.1.0","policy":"thompson:probabilities=computed","arms":["a","b"],"seed":7,"horizon":100000,"corruption":0.0,"patience":100000,"state":null,"rules":{"window":30.0,"default":null,"hold":0.0,"aggregate":"sum","activation":false,"cap":null,"token_cap":null,"holdout":0.0,"sticky":false},"range":[0.0,1.0]}');
INSERT INTO robandit.line VALUES (3, 150, false, NULL, '{"entry":"reward","id":50,"value":0.0,"source":"robot/source 0","time":1790000366.968,"part":"one"}');
INSERT INTO robandit.line VALUES (3, 122, false, NULL, '{"entry":"decide","id":41,"arm":"a","chance":0.5606545950379362,"note":0,"eligible":null,"time":1790000301.601,"key":"key 41","unit":"unit 16","source":"robot/shop 1","by":"robot"}');
INSERT INTO robandit.line VALUES (3, 123, false, NULL, '{"entry":"decide","id":42,"arm":"a","chance":0.5606545950379362,"note":0,"eligible":null,"time":1790000307.95,"key":"key 42","unit":"unit 17","source":"shop 2"}');
INSERT INTO robandit.line VALUES (3, 124, false, NULL, '{"entry":"reward","id":42,"value":0.2,"source":"robot/source 2","time":1790000307.95,"part":"one"}');
INSERT INTO robandit.line VALUES (3, 125, false, NULL, '{"entry":"reward","id":42,"value":0.3,"source":"robot/source 2","time":1790000307.95,"part":"two"}');
INSERT INTO robandit.line VALUES (3, 126, false, NULL, '{"entry":"tick","time":1790000310.74}');
INSERT INTO robandit.line VALUES (3, 127, false, NULL, '{"entry":"tick","time":1790000314.441}');
INSERT INTO robandit.line VALUES (3, 128, false, NULL, '{"entry":"decide","id":43,"arm":"b","chance":0.507246378206654,"note":0,"eligible":null,"time":1790000314.829,"key":"key 43","unit":"unit 18","source":"robot/shop 3","by":"robot"}');
INSERT INTO robandit.line VALUES (3, 129, false, NULL, '{"entry":"tick","time":1790000321.035}');
INSERT INTO robandit.line VALUES (3, 130, false, NULL, '{"entry":"decide","id":44,"arm":"b","chance":0.507246378206654,"note":0,"eligible":null,"time":1790000322.264,"key":"key 44","unit":"unit 19","source":"robot/shop 0","by":"robot"}');
INSERT INTO robandit.line VALUES (3, 131, false, NULL, '{"entry":"tick","time":1790000327.107}');
INSERT INTO robandit.line VALUES (3, 132, false, NULL, '{"entry":"decide","id":45,"arm":"b","chance":0.507246378206654,"note":0,"eligible":null,"time":1790000330.046,"key":"key 45","unit":"unit 20","source":"shop 1"}');
INSERT INTO robandit.line VALUES (3, 133, false, NULL, '{"entry":"tick","time":1790000332.254}');
INSERT INTO robandit.line VALUES (3, 134, false, NULL, '{"entry":"tick","time":1790000340.548}');
INSERT INTO robandit.line VALUES (3, 135, false, NULL, '{"entry":"decide","id":46,"arm":"b","chance":0.3849075505334616,"note":0,"eligible":null,"time":1790000342.667,"key":"key 46","unit":"unit 21","source":"robot/shop 2","by":"robot"}');
INSERT INTO robandit.line VALUES (3, 136, false, NULL, '{"entry":"reward","id":46,"value":0.0,"source":"robot/source 1","time":1790000342.667,"part":"one"}');
INSERT INTO robandit.line VALUES (3, 137, false, NULL, '{"entry":"tick","time":1790000345.448}');
INSERT INTO robandit.line VALUES (3, 138, false, NULL, '{"entry":"decide","id":47,"arm":"b","chance":0.3849075505334616,"note":0,"eligible":null,"time":1790000346.187,"key":"key 47","unit":"unit 22","source":"robot/shop 3","by":"robot"}');
INSERT INTO robandit.line VALUES (3, 139, false, NULL, '{"entry":"reward","id":47,"value":0.0,"source":"robot/source 2","time":1790000346.187,"part":"one"}');
INSERT INTO robandit.line VALUES (3, 140, false, NULL, '{"entry":"reward","id":47,"value":0.3,"source":"robot/source 2","time":1790000346.187,"part":"two"}');
INSERT INTO robandit.line VALUES (3, 141, false, NULL, '{"entry":"decide","id":48,"arm":"b","chance":0.3849075505334616,"note":0,"eligible":null,"time":1790000350.749,"key":"key 48","unit":"unit 23","source":"shop 0"}');
INSERT INTO robandit.line VALUES (3, 142, false, NULL, '{"entry":"reward","id":48,"value":0.3,"source":"robot/source 3","time":1790000350.749,"part":"one"}');
INSERT INTO robandit.line VALUES (3, 143, false, NULL, '{"entry":"reward","id":48,"value":0.3,"source":"robot/source 3","time":1790000350.749,"part":"two"}');
INSERT INTO robandit.line VALUES (3, 144, false, NULL, '{"entry":"tick","time":1790000354.404}');
INSERT INTO robandit.line VALUES (3, 145, false, NULL, '{"entry":"decide","id":49,"arm":"a","chance":0.6150924494665383,"note":0,"eligible":null,"time":1790000357.315,"key":"key 49","unit":"unit 24","source":"robot/shop 1","by":"robot"}');
INSERT INTO robandit.line VALUES (3, 146, false, NULL, '{"entry":"reward","id":49,"value":0.1,"source":"robot/source 4","time":1790000357.315,"part":"one"}');
INSERT INTO robandit.line VALUES (3, 147, false, NULL, '{"entry":"reward","id":49,"value":0.0,"source":"robot/source 4","time":1790000357.315,"part":"two"}');
INSERT INTO robandit.line VALUES (3, 148, false, NULL, '{"entry":"tick","time":1790000360.48}');
INSERT INTO robandit.line VALUES (3, 149, false, NULL, '{"entry":"decide","id":50,"arm":"b","chance":0.3849075505334616,"note":0,"eligible":null,"time":1790000366.968,"key":"key 50","unit":"unit 0","source":"robot/shop 2","by":"robot"}');
INSERT INTO robandit.line VALUES (3, 151, false, NULL, '{"entry":"reward","id":50,"value":0.2,"source":"robot/source 0","time":1790000366.968,"part":"two"}');
INSERT INTO robandit.line VALUES (3, 152, false, NULL, '{"entry":"tick","time":1790000372.979}');
INSERT INTO robandit.line VALUES (3, 153, false, NULL, '{"entry":"decide","id":51,"arm":"a","chance":0.6558720632396222,"note":0,"eligible":null,"time":1790000374.453,"key":"key 51","unit":"unit 1","source":"shop 3"}');
INSERT INTO robandit.line VALUES (3, 154, false, NULL, '{"entry":"reward","id":51,"value":0.3,"source":"robot/source 1","time":1790000374.453,"part":"one"}');
INSERT INTO robandit.line VALUES (3, 155, false, NULL, '{"entry":"tick","time":1790000376.315}');
INSERT INTO robandit.line VALUES (3, 156, false, NULL, '{"entry":"tick","time":1790000382.775}');
INSERT INTO robandit.line VALUES (3, 157, false, NULL, '{"entry":"decide","id":52,"arm":"a","chance":0.5033008802484635,"note":0,"eligible":null,"time":1790000383.653,"key":"key 52","unit":"unit 2","source":"robot/shop 0","by":"robot"}');
INSERT INTO robandit.line VALUES (3, 158, false, NULL, '{"entry":"reward","id":52,"value":0.4,"source":"robot/source 2","time":1790000383.653,"part":"one"}');
INSERT INTO robandit.line VALUES (3, 159, false, NULL, '{"entry":"tick","time":1790000389.006}');
INSERT INTO robandit.line VALUES (3, 160, false, NULL, '{"entry":"decide","id":53,"arm":"b","chance":0.5636472146543283,"note":0,"eligible":null,"time":1790000392.26,"key":"key 53","unit":"unit 3","source":"robot/shop 1","by":"robot"}');
INSERT INTO robandit.line VALUES (3, 161, false, NULL, '{"entry":"tick","time":1790000397.412}');
INSERT INTO robandit.line VALUES (3, 162, false, NULL, '{"entry":"decide","id":54,"arm":"b","chance":0.6308414347169569,"note":0,"eligible":null,"time":1790000397.412,"key":"key 54","unit":"unit 4","source":"shop 2"}');
INSERT INTO robandit.line VALUES (3, 163, false, NULL, '{"entry":"reward","id":54,"value":0.0,"source":"robot/source 4","time":1790000397.412,"part":"one"}');
INSERT INTO robandit.line VALUES (3, 164, false, NULL, '{"entry":"reward","id":54,"value":0.4,"source":"robot/source 4","time":1790000397.412,"part":"two"}');
INSERT INTO robandit.line VALUES (3, 165, false, NULL, '{"entry":"decide","id":55,"arm":"a","chance":0.3691585652830431,"note":0,"eligible":null,"time":1790000404.318,"key":"key 55","unit":"unit 5","source":"robot/shop 3","by":"robot"}');
INSERT INTO robandit.line VALUES (3, 166, false, NULL, '{"entry":"reward","id":55,"value":0.3,"source":"robot/source 0","time":1790000404.318,"part":"one"}');
INSERT INTO robandit.line VALUES (3, 167, false, NULL, '{"entry":"reward","id":55,"value":0.1,"source":"robot/source 0","time":1790000404.318,"part":"two"}');
INSERT INTO robandit.line VALUES (3, 168, false, NULL, '{"entry":"tick","time":1790000406.033}');
INSERT INTO robandit.line VALUES (3, 169, false, NULL, '{"entry":"decide","id":56,"arm":"b","chance":0.6890764338184465,"note":0,"eligible":null,"time":1790000412.592,"key":"key 56","unit":"unit 6","source":"robot/shop 0","by":"robot"}');
INSERT INTO robandit.line VALUES (3, 170, false, NULL, '{"entry":"reward","id":56,"value":0.4,"source":"robot/source 1","time":1790000412.592,"part":"one"}');
INSERT INTO robandit.line VALUES (3, 171, false, NULL, '{"entry":"tick","time":1790000414.809}');
INSERT INTO robandit.line VALUES (3, 172, false, NULL, '{"entry":"decide","id":57,"arm":"a","chance":0.26110028814701164,"note":0,"eligible":null,"time":1790000419.187,"key":"key 57","unit":"unit 7","source":"shop 1"}');
INSERT INTO robandit.line VALUES (3, 173, false, NULL, '{"entry":"tick","time":1790000423.691}');
INSERT INTO robandit.line VALUES (3, 174, false, NULL, '{"entry":"decide","id":58,"arm":"b","chance":0.7388997118529883,"note":0,"eligible":null,"time":1790000426.469,"key":"key 58","unit":"unit 8","source":"robot/shop 2","by":"robot"}');
INSERT INTO robandit.line VALUES (3, 175, false, NULL, '{"entry":"tick","time":1790000428.485}');
INSERT INTO robandit.line VALUES (3, 176, false, NULL, '{"entry":"decide","id":59,"arm":"a","chance":0.29683631857933934,"note":0,"eligible":null,"time":1790000433.36,"key":"key 59","unit":"unit 9","source":"robot/shop 3","by":"robot"}');
INSERT INTO robandit.line VALUES (3, 177, false, NULL, '{"entry":"reward","id":59,"value":0.2,"source":"robot/source 4","time":1790000433.36,"part":"one"}');
INSERT INTO robandit.line VALUES (3, 178, false, NULL, '{"entry":"reward","id":59,"value":0.0,"source":"robot/source 4","time":1790000433.36,"part":"two"}');
INSERT INTO robandit.line VALUES (3, 179, false, NULL, '{"entry":"tick","time":1790000434.334}');
INSERT INTO robandit.line VALUES (3, 180, false, NULL, '{"entry":"epoch","epoch":3197345535,"time":1794980345.303}');
INSERT INTO robandit.line VALUES (4, 1, false, NULL, '{"robandit":"journal","format":1,"version":"0.1.0","policy":"ucb1","arms":["a","b"],"seed":7,"horizon":100000,"corruption":0.0,"patience":100000,"state":null,"rules":{"window":30.0,"default":null,"hold":0.0,"aggregate":"first","activation":true,"cap":null,"token_cap":null,"holdout":0.0,"sticky":false},"range":[0.0,1.0]}');
INSERT INTO robandit.line VALUES (4, 182, false, NULL, '{"entry":"activate","id":53,"time":1790000393.611}');
INSERT INTO robandit.line VALUES (4, 183, false, 53, '{"entry":"reward","id":53,"value":0.25,"source":"robot/source 3","time":1790000393.611}');
INSERT INTO robandit.line VALUES (4, 184, false, NULL, '{"entry":"decide","id":54,"arm":"b","chance":1.0,"note":0,"eligible":null,"time":1790000398.661,"key":"key 54","unit":"unit 4","source":"shop 2"}');
INSERT INTO robandit.line VALUES (4, 185, false, NULL, '{"entry":"activate","id":54,"time":1790000398.661}');
INSERT INTO robandit.line VALUES (4, 186, false, 54, '{"entry":"reward","id":54,"value":0.75,"source":"robot/source 4","time":1790000398.661}');
INSERT INTO robandit.line VALUES (4, 187, false, NULL, '{"entry":"tick","time":1790000401.351}');
INSERT INTO robandit.line VALUES (4, 188, false, NULL, '{"entry":"decide","id":55,"arm":"b","chance":1.0,"note":0,"eligible":null,"time":1790000406.033,"key":"key 55","unit":"unit 5","source":"robot/shop 3","by":"robot"}');
INSERT INTO robandit.line VALUES (4, 189, false, NULL, '{"entry":"activate","id":55,"time":1790000406.033}');
INSERT INTO robandit.line VALUES (4, 190, false, 55, '{"entry":"reward","id":55,"value":0.5,"source":"robot/source 0","time":1790000406.033}');
INSERT INTO robandit.line VALUES (4, 191, false, NULL, '{"entry":"tick","time":1790000408.422}');
INSERT INTO robandit.line VALUES (4, 192, false, NULL, '{"entry":"tick","time":1790000414.809}');
INSERT INTO robandit.line VALUES (4, 193, false, NULL, '{"entry":"decide","id":56,"arm":"b","chance":1.0,"note":0,"eligible":null,"time":1790000414.809,"key":"key 56","unit":"unit 6","source":"robot/shop 0","by":"robot"}');
INSERT INTO robandit.line VALUES (4, 194, false, 56, '{"entry":"reward","id":56,"value":0.25,"source":"robot/source 1","time":1790000414.809}');
INSERT INTO robandit.line VALUES (4, 195, false, NULL, '{"entry":"decide","id":57,"arm":"a","chance":1.0,"note":0,"eligible":null,"time":1790000419.543,"key":"key 57","unit":"unit 7","source":"shop 1"}');
INSERT INTO robandit.line VALUES (4, 196, false, NULL, '{"entry":"activate","id":57,"time":1790000419.543}');
INSERT INTO robandit.line VALUES (4, 197, false, 57, '{"entry":"reward","id":57,"value":0.0,"source":"robot/source 2","time":1790000419.543}');
INSERT INTO robandit.line VALUES (4, 198, false, NULL, '{"entry":"tick","time":1790000423.691}');
INSERT INTO robandit.line VALUES (4, 199, false, NULL, '{"entry":"decide","id":58,"arm":"b","chance":1.0,"note":0,"eligible":null,"time":1790000428.485,"key":"key 58","unit":"unit 8","source":"robot/shop 2","by":"robot"}');
INSERT INTO robandit.line VALUES (4, 200, false, NULL, '{"entry":"activate","id":58,"time":1790000428.485}');
INSERT INTO robandit.line VALUES (4, 201, false, NULL, '{"entry":"tick","time":1790000428.778}');
INSERT INTO robandit.line VALUES (4, 202, false, NULL, '{"entry":"decide","id":59,"arm":"b","chance":1.0,"note":0,"eligible":null,"time":1790000434.334,"key":"key 59","unit":"unit 9","source":"robot/shop 3","by":"robot"}');
INSERT INTO robandit.line VALUES (4, 203, false, NULL, '{"entry":"activate","id":59,"time":1790000434.334}');
INSERT INTO robandit.line VALUES (4, 204, false, 59, '{"entry":"reward","id":59,"value":0.25,"source":"robot/source 4","time":1790000434.334}');
INSERT INTO robandit.line VALUES (4, 205, false, NULL, '{"entry":"tick","time":1790000437.493}');
INSERT INTO robandit.line VALUES (4, 206, false, NULL, '{"entry":"epoch","epoch":3197345535,"time":1794980345.309}');
INSERT INTO robandit.line VALUES (5, 1, false, NULL, '{"robandit":"journal","format":1,"version":"0.1.0","policy":"exp3","arms":["a","b"],"seed":7,"horizon":100000,"corruption":0.0,"patience":100000,"state":null,"rules":{"window":600.0,"default":null,"hold":0.0,"aggregate":"first","activation":false,"cap":null,"token_cap":null,"holdout":0.0,"sticky":true},"range":[0.0,1.0]}');
INSERT INTO robandit.line VALUES (5, 2, false, NULL, '{"entry":"decide","id":0,"arm":"a","chance":0.5,"note":0,"eligible":null,"time":1790000004.568,"key":"key 0","unit":"unit 0","source":"shop 0"}');
INSERT INTO robandit.line VALUES (5, 3, false, 0, '{"entry":"reward","id":0,"value":0.75,"source":"robot/source 0","time":1790000004.568}');
INSERT INTO robandit.line VALUES (5, 4, false, NULL, '{"entry":"decide","id":1,"arm":"b","chance":0.5518476209539082,"note":0,"eligible":null,"time":1790000011.858,"key":"key 1","unit":"unit 1","source":"robot/shop 1","by":"robot"}');
INSERT INTO robandit.line VALUES (5, 5, false, 1, '{"entry":"reward","id":1,"value":0.75,"source":"robot/source 1","time":1790000011.858}');
INSERT INTO robandit.line VALUES (5, 6, false, NULL, '{"entry":"decide","id":2,"arm":"b","chance":0.5039916049340667,"note":0,"eligible":null,"time":1790000018.535,"key":"key 2","unit":"unit 2","source":"robot/shop 2","by":"robot"}');
INSERT INTO robandit.line VALUES (5, 7, false, 2, '{"entry":"reward","id":2,"value":0.75,"source":"robot/source 2","time":1790000018.535}');
INSERT INTO robandit.line VALUES (5, 8, false, NULL, '{"entry":"decide","id":3,"arm":"a","chance":0.5329977184919132,"note":0,"eligible":null,"time":1790000025.544,"key":"key 3","unit":"unit 3","source":"shop 3"}');
INSERT INTO robandit.line VALUES (5, 9, false, 3, '{"entry":"reward","id":3,"value":0.75,"source":"robot/source 3","time":1790000025.544}');
INSERT INTO robandit.line VALUES (5, 10, false, NULL, '{"entry":"decide","id":4,"arm":"b","chance":0.5013151666163213,"note":0,"eligible":null,"time":1790000033.517,"key":"key 4","unit":"unit 4","source":"robot/shop 0","by":"robot"}');
INSERT INTO robandit.line VALUES (5, 11, false, 4, '{"entry":"reward","id":4,"value":0.75,"source":"robot/source 4","time":1790000033.517}');
INSERT INTO robandit.line VALUES (5, 12, false, NULL, '{"entry":"decide","id":5,"arm":"b","chance":0.47126885249963085,"note":0,"eligible":null,"time":1790000039.57,"key":"key 5","unit":"unit 5","source":"robot/shop 1","by":"robot"}');
INSERT INTO robandit.line VALUES (5, 13, false, 5, '{"entry":"reward","id":5,"value":0.75,"source":"robot/source 0","time":1790000039.57}');
INSERT INTO robandit.line VALUES (5, 14, false, NULL, '{"entry":"decide","id":6,"arm":"a","chance":0.5559038686989505,"note":0,"eligible":null,"time":1790000044.742,"key":"key 6","unit":"unit 6","source":"shop 2"}');
INSERT INTO robandit.line VALUES (5, 15, false, 6, '{"entry":"reward","id":6,"value":0.0,"source":"robot/source 1","time":1790000044.742}');
INSERT INTO robandit.line VALUES (5, 16, false, NULL, '{"entry":"decide","id":7,"arm":"b","chance":0.5409986142626716,"note":0,"eligible":null,"time":1790000052.382,"key":"key 7","unit":"unit 7","source":"robot/shop 3","by":"robot"}');
INSERT INTO robandit.line VALUES (5, 17, false, 7, '{"entry":"reward","id":7,"value":1.0,"source":"robot/source 2","time":1790000052.382}');
INSERT INTO robandit.line VALUES (5, 18, false, NULL, '{"entry":"decide","id":8,"arm":"a","chance":0.46133649432061874,"note":0,"eligible":null,"time":1790000058.754,"key":"key 8","unit":"unit 8","source":"robot/shop 0","by":"robot"}');
INSERT INTO robandit.line VALUES (5, 19, false, NULL, '{"entry":"decide","id":9,"arm":"a","chance":0.46133649432061874,"note":0,"eligible":null,"time":1790000061.228,"key":"key 9","unit":"unit 9","source":"shop 1"}');
INSERT INTO robandit.line VALUES (5, 20, false, NULL, '{"entry":"decide","id":10,"arm":"b","chance":0.5386635056793813,"note":0,"eligible":null,"time":1790000068.371,"key":"key 10","unit":"unit 10","source":"robot/shop 2","by":"robot"}');
INSERT INTO robandit.line VALUES (5, 21, false, NULL, '{"entry":"decide","id":11,"arm":"a","chance":0.46133649432061874,"note":0,"eligible":null,"time":1790000072.717,"key":"key 11","unit":"unit 11","source":"robot/shop 3","by":"robot"}');
INSERT INTO robandit.line VALUES (5, 22, false, 11, '{"entry":"reward","id":11,"value":0.5,"source":"robot/source 1","time":1790000072.717}');
INSERT INTO robandit.line VALUES (5, 23, false, NULL, '{"entry":"decide","id":12,"arm":"a","chance":0.413678765982584,"note":0,"eligible":null,"time":1790000081.275,"key":"key 12","unit":"unit 12","source":"shop 0"}');
INSERT INTO robandit.line VALUES (5, 24, false, 12, '{"entry":"reward","id":12,"value":1.0,"source":"robot/source 2","time":1790000081.275}');
INSERT INTO robandit.line VALUES (5, 25, false, NULL, '{"entry":"decide","id":13,"arm":"a","chance":0.4176210654708827,"note":0,"eligible":null,"time":1790000088.608,"key":"key 13","unit":"unit 13","source":"robot/shop 1","by":"robot"}');
INSERT INTO robandit.line VALUES (5, 26, false, 13, '{"entry":"reward","id":13,"value":1.0,"source":"robot/source 3","time":1790000088.608}');
INSERT INTO robandit.line VALUES (5, 27, false, NULL, '{"entry":"decide","id":14,"arm":"b","chance":0.578931678136424,"note":0,"eligible":null,"time":1790000094.508,"key":"key 14","unit":"unit 14","source":"robot/shop 2","by":"robot"}');
INSERT INTO robandit.line VALUES (5, 28, false, 14, '{"entry":"reward","id":14,"value":0.0,"source":"robot/source 4","time":1790000094.508}');
INSERT INTO robandit.line VALUES (5, 29, false, NULL, '{"entry":"decide","id":15,"arm":"b","chance":0.5059663110760378,"note":0,"eligible":null,"time":1790000104.983,"key":"key 15","unit":"unit 15","source":"shop 3"}');
INSERT INTO robandit.line VALUES (5, 30, false, 15, '{"entry":"reward","id":15,"value":0.5,"source":"robot/source 0","time":1790000104.983}');
INSERT INTO robandit.line VALUES (5, 31, false, NULL, '{"entry":"decide","id":16,"arm":"a","chance":0.5330727641957219,"note":0,"eligible":null,"time":1790000112.695,"key":"key 16","unit":"unit 16","source":"robot/shop 0","by":"robot"}');
INSERT INTO robandit.line VALUES (5, 32, false, NULL, '{"entry":"decide","id":17,"arm":"a","chance":0.5330727641957219,"note":0,"eligible":null,"time":1790000118.712,"key":"key 17","unit":"unit 17","source":"robot/shop 1","by":"robot"}');
INSERT INTO robandit.line VALUES (5, 33, false, NULL, '{"entry":"decide","id":18,"arm":"a","chance":0.5330727641957219,"note":0,"eligible":null,"time":1790000128.001,"key":"key 18","unit":"unit 18","source":"shop 2"}');
INSERT INTO robandit.line VALUES (5, 34, false, NULL, '{"entry":"decide","id":19,"arm":"b","chance":0.4669272358042781,"note":0,"eligible":null,"time":1790000131.007,"key":"key 19","unit":"unit 19","source":"robot/shop 3","by":"robot"}');
INSERT INTO robandit.line VALUES (5, 35, false, 19, '{"entry":"reward","id":19,"value":1.0,"source":"robot/source 4","time":1790000131.007}');
INSERT INTO robandit.line VALUES (5, 36, false, NULL, '{"entry":"decide","id":20,"arm":"a","chance":0.5319544353627506,"note":0,"eligible":null,"time":1790000137.202,"key":"key 20","unit":"unit 20","source":"robot/shop 0","by":"robot"}');
INSERT INTO robandit.line VALUES (5, 37, false, NULL, '{"entry":"decide","id":21,"arm":"b","chance":0.46804556463724944,"note":0,"eligible":null,"time":1790000144.463,"key":"key 21","unit":"unit 21","source":"shop 1"}');
INSERT INTO robandit.line VALUES (5, 38, false, 21, '{"entry":"reward","id":21,"value":0.5,"source":"robot/source 1","time":1790000144.463}');
INSERT INTO robandit.line VALUES (5, 39, false, NULL, '{"entry":"decide","id":22,"arm":"a","chance":0.5698286736680394,"note":0,"eligible":null,"time":1790000154.508,"key":"key 22","unit":"unit 22","source":"robot/shop 2","by":"robot"}');
INSERT INTO robandit.line VALUES (5, 40, false, NULL, '{"entry":"decide","id":23,"arm":"a","chance":0.5698286736680394,"note":0,"eligible":null,"time":1790000164.431,"key":"key 23","unit":"unit 23","source":"robot/shop 3","by":"robot"}');
INSERT INTO robandit.line VALUES (5, 41, false, 23, '{"entry":"reward","id":23,"value":0.75,"source":"robot/source 3","time":1790000164.431}');
INSERT INTO robandit.line VALUES (5, 42, false, NULL, '{"entry":"decide","id":24,"arm":"a","chance":0.5523363926478738,"note":0,"eligible":null,"time":1790000175.369,"key":"key 24","unit":"unit 24","source":"shop 0"}');
INSERT INTO robandit.line VALUES (5, 43, false, 24, '{"entry":"reward","id":24,"value":1.0,"source":"robot/source 4","time":1790000175.369}');
INSERT INTO robandit.line VALUES (5, 44, false, 8, '{"entry":"reward","id":8,"value":0.0,"source":"robot/source 3","time":1790000244.211}');
INSERT INTO robandit.line VALUES (5, 45, false, 16, '{"entry":"reward","id":16,"value":0.75,"source":"robot/source 1","time":1790000305.742}');
INSERT INTO robandit.line VALUES (5, 46, false, 18, '{"entry":"reward","id":18,"value":0.5,"source":"robot/source 3","time":1790000318.158}');
INSERT INTO robandit.line VALUES (5, 47, false, 22, '{"entry":"reward","id":22,"value":0.5,"source":"robot/source 2","time":1790000348.024}');
INSERT INTO robandit.line VALUES (5, 48, false, 9, '{"entry":"reward","id":9,"value":0.75,"source":"robot/source 4","time":1790000435.854}');
INSERT INTO robandit.line VALUES (5, 49, true, NULL, '{"entry":"breaker","change":"tripped","since":48,"time":1790000437.493,"by":"watch"}');
INSERT INTO robandit.line VALUES (5, 50, false, NULL, '{"entry":"epoch","epoch":3197345535,"time":1794980345.311}');
INSERT INTO robandit.line VALUES (1, 108, false, NULL, '{"entry":"end","time":1794980350.295,"by":"me"}');
INSERT INTO robandit.meta VALUES ('key', '\xd3e70e948bceb185c0cd2245f44e31aee18d57a6bc949b203d9c0b6ecf3e02f6');
INSERT INTO robandit.meta VALUES ('format', '\x32');
INSERT INTO robandit.meta VALUES ('archive', '\x2f61726368697665');
INSERT INTO robandit.snapshot VALUES (1, 108, 'other', '\x7b22666f6c64223a7b22726f62616e646974223a226c6561726e6572222c22666f726d6174223a312c227465726d73223a7b22726f62616e646974223a226a6f75726e616c222c22666f726d6174223a312c2276657273696f6e223a22302e312e30222c22706f6c696379223a2273616d6261222c2261726d73223a5b2261222c2262222c2263225d2c2273656564223a372c22686f72697a6f6e223a3130303030302c22636f7272757074696f6e223a302e302c2270617469656e6365223a3130303030302c227374617465223a6e756c6c2c2272756c6573223a7b2277696e646f77223a6e756c6c2c2264656661756c74223a6e756c6c2c22686f6c64223a302e302c22616767726567617465223a226669727374222c2261637469766174696f6e223a66616c73652c22636170223a6e756c6c2c22746f6b656e5f636170223a6e756c6c2c22686f6c646f7574223a302e312c22737469636b79223a66616c73657d2c2272616e6765223a5b302e302c312e305d7d2c226465636973696f6e73223a36302c2270656e64696e67223a5b5b332c302c302e333239313636363636363636363636372c305d2c5b31302c312c302e33353734393732373131343733363437342c305d2c5b31332c302c302e33333735343634353634373332313433352c305d2c5b31372c312c302e333337353139383339303136323833372c305d2c5b31392c322c302e333337313138373138343239363435382c305d2c5b32302c302c302e333235333631343432353534303730352c305d2c5b32322c322c302e32353238333930333838323232333433352c305d2c5b32352c332c302e32343036323432353630333638383934322c305d2c5b32372c302c302e32343430323130383139313535353238382c305d2c5b32392c312c302e323632353135363233323235333233342c305d2c5b33312c332c302e33323632373730383935343232303633362c305d2c5b33322c322c302e333432383339383537373434353137362c305d2c5b33342c332c302e333334343334303136373830373631352c305d2c5b34302c322c302e323838353337323939373831393739352c305d2c5b34322c322c302e32323138313330343932303733393637352c305d2c5b35332c332c302e32393235353732353733303635393136362c305d2c5b35342c322c302e32333434333137343036303735303034372c305d5d2c2261726d73223a5b5b2261222c22616374697665225d2c5b2262222c22616374697665225d2c5b2263222c22616374697665225d2c5b2264222c22616374697665225d5d2c227374617465223a7b22666f726d6174223a322c22706f6c696379223a2273616d6261222c226669656c6473223a7b2270726f626162696c6974696573223a22666c6f617436345b315d227d2c2276616c756573223a7b2270726f626162696c6974696573223a5b302e32343835333839323337323337363833322c302e32333932323935333335363236363930322c302e323439323330323434323333333438392c302e323633303031323938343830323133375d7d7d7d2c22646f636b6574223a7b226361736573223a5b5b332c302c747275652c747275652c22222c312c6e756c6c2c302c302e302c6e756c6c2c6e756c6c2c6e756c6c2c2273686f702033225d2c5b31302c312c747275652c747275652c22726f626f74222c362c6e756c6c2c302c302e302c6e756c6c2c6e756c6c2c6e756c6c2c22726f626f742f73686f702032225d2c5b31332c302c747275652c747275652c22726f626f74222c382c6e756c6c2c302c302e302c6e756c6c2c6e756c6c2c6e756c6c2c22726f626f742f73686f702031225d2c5b31372c312c747275652c747275652c22726f626f74222c31312c6e756c6c2c302c302e302c6e756c6c2c6e756c6c2c6e756c6c2c22726f626f742f73686f702031225d2c5b31392c322c747275652c747275652c22726f626f74222c31322c6e756c6c2c302c302e302c6e756c6c2c6e756c6c2c6e756c6c2c22726f626f742f73686f702033225d2c5b32302c302c747275652c747275652c22726f626f74222c31332c6e756c6c2c302c302e302c6e756c6c2c6e756c6c2c6e756c6c2c22726f626f742f73686f702030225d2c5b32322c322c747275652c747275652c22726f626f74222c31342c6e756c6c2c302c302e302c6e756c6c2c6e756c6c2c6e756c6c2c22726f626f742f73686f702032225d2c5b32352c332c747275652c747275652c22726f626f74222c31362c6e756c6c2c302c302e302c6e756c6c2c6e756c6c2c6e756c6c2c22726f626f742f73686f702031225d2c5b32372c302c747275652c747275652c22222c392c6e756c6c2c302c302e302c6e756c6c2c6e756c6c2c6e756c6c2c2273686f702033225d2c5b32392c312c747275652c747275652c22726f626f74222c31392c6e756c6c2c302c302e302c6e756c6c2c6e756c6c2c6e756c6c2c22726f626f742f73686f702031225d2c5b33312c332c747275652c747275652c22726f626f74222c32302c6e756c6c2c302c302e302c6e756c6c2c6e756c6c2c6e756c6c2c22726f626f742f73686f702033225d2c5b33322c322c747275652c747275652c22726f626f74222c32312c6e756c6c2c302c302e302c6e756c6c2c6e756c6c2c6e756c6c2c22726f626f742f73686f702030225d2c5b33342c332c747275652c747275652c22726f626f74222c32322c6e756c6c2c302c302e302c6e756c6c2c6e756c6c2c6e756c6c2c22726f626f742f73686f702032225d2c5b34302c322c747275652c747275652c22726f626f74222c32362c6e756c6c2c302c302e302c6e756c6c2c6e756c6c2c6e756c6c2c22726f626f742f73686f702030225d2c5b34322c322c747275652c747275652c22222c31342c6e756c6c2c302c302e302c6e756c6c2c6e756c6c2c6e756c6c2c2273686f702032225d2c5b34332c322c66616c73652c747275652c22726f626f74222c32382c6e756c6c2c302c302e302c6e756c6c2c6e756c6c2c6e756c6c2c22726f626f742f73686f702033225d2c5b35332c332c747275652c747275652c22726f626f74222c33352c6e756c6c2c302c302e302c6e756c6c2c6e756c6c2c6e756c6c2c22726f626f742f73686f702031225d2c5b35342c322c747275652c747275652c22222c31382c6e756c6c2c302c302e302c6e756c6c2c6e756c6c2c6e756c6c2c2273686f702032225d5d2c22646561646c696e6573223a5b5d2c22686f6c6473223a5b5d2c226c6561726e74223a5b7b7d2c7b7d5d2c2261736b6564223a7b22223a32302c22726f626f74223a34307d2c2265706f636873223a5b5b302c305d2c5b36302c333139373334353533355d5d2c22636c6f636b223a313739343938303335302e3239352c2265787069726564223a302c226c6566745f6f7574223a302c226c696e65223a3130382c226465636973696f6e73223a36307d2c2274616c6c79223a7b226265666f7265223a5b392c31322c31362c31325d2c2263686f73656e223a5b31342c31332c31392c31345d2c226c617374223a34382c22706f696e7473223a5b5b313739303030303130362e3734322c31362c5b302e3332353336312c302e33333735322c302e3333373131395d2c5b362c362c355d5d2c5b313739303030303233322e3235392c33322c5b302e3132352c302e3337352c302e32352c302e32355d2c5b382c31322c392c345d5d2c5b313739303030303334382e3439382c34382c5b302e3232373436332c302e3234313731342c302e3233333839322c302e3239363933315d2c5b392c31322c31362c31325d5d5d2c227265636f72646564223a5b31302c31302c31322c31305d2c22737472696465223a31362c2273756d73223a5b342e352c332e352c362e352c362e305d7d2c2265706f6368223a333139373334353533352c22656e646564223a747275652c2261637473223a5b5b33382c7b22656e747279223a2261726d222c2261726d223a2264222c226368616e6765223a226164646564222c2274696d65223a313739303030303133372e3633342c226279223a2261646d696e227d5d2c5b35352c7b22656e747279223a2261726d222c2261726d223a2262222c226368616e6765223a22706175736564222c2274696d65223a313739303030303232362e3335392c226279223a2261646d696e227d5d2c5b37322c7b22656e747279223a2261726d222c2261726d223a2262222c226368616e6765223a22726573756d6564222c2274696d65223a313739303030303239382e3731362c226279223a2261646d696e227d5d2c5b3130372c7b22656e747279223a2265706f6368222c2265706f6368223a333139373334353533352c2274696d65223a313739343938303334352e3239357d5d2c5b3130382c7b22656e747279223a22656e64222c2274696d65223a313739343938303335302e3239352c226279223a226d65227d5d5d7d');
INSERT INTO robandit.snapshot VALUES (2, 195, 'other', '\x7b22666f6c64223a7b22726f62616e646974223a226c6561726e6572222c22666f726d6174223a312c227465726d73223a7b22726f62616e646974223a226a6f75726e616c222c22666f726d6174223a312c2276657273696f6e223a22302e312e30222c22706f6c696379223a2265787033222c2261726d73223a5b2261222c2262222c2263225d2c2273656564223a372c22686f72697a6f6e223a3130303030302c22636f7272757074696f6e223a302e302c2270617469656e6365223a3130303030302c227374617465223a6e756c6c2c2272756c6573223a7b2277696e646f77223a36302e302c2264656661756c74223a302e302c22686f6c64223a352e302c22616767726567617465223a226669727374222c2261637469766174696f6e223a66616c73652c22636170223a32302c22746f6b656e5f636170223a6e756c6c2c22686f6c646f7574223a302e302c22737469636b79223a66616c73657d2c2272616e6765223a5b302e302c312e305d7d2c226465636973696f6e73223a36302c2270656e64696e67223a5b5d2c2261726d73223a5b5b2261222c22616374697665225d2c5b2262222c22616374697665225d2c5b2263222c22616374697665225d5d2c227374617465223a7b22666f726d6174223a322c22706f6c696379223a2265787033222c226669656c6473223a7b2270726f626162696c6974696573223a22666c6f617436345b315d222c226c6f73736573223a22666c6f617436345b315d222c22726f756e64223a22696e743634227d2c2276616c756573223a7b2270726f626162696c6974696573223a5b302e363538393235303333393339333837372c302e31313037383730373830333032343839352c302e323330323837383838303330333633345d2c226c6f73736573223a5b32342e3732323937313436323834353838372c34342e39323233373637323136373736322c33362e36333238303131303739373434315d2c22726f756e64223a34377d7d7d2c22646f636b6574223a7b226361736573223a5b5d2c22646561646c696e6573223a5b5d2c22686f6c6473223a5b5d2c226c6561726e74223a5b7b22726f626f742f736f757263652034223a5b32303731372c365d2c22726f626f742f736f757263652030223a5b32303731372c395d2c22726f626f742f736f757263652033223a5b32303731372c385d2c22726f626f742f736f757263652032223a5b32303731372c365d7d2c7b22726f626f74223a5b32303731372c32395d7d5d2c2261736b6564223a7b22223a32302c22726f626f74223a34307d2c2265706f636873223a5b5b302c305d2c5b36302c333139373334353533355d5d2c22636c6f636b223a313739343938303334352e3239382c2265787069726564223a31372c226c6566745f6f7574223a31342c226c696e65223a3139352c226465636973696f6e73223a36307d2c2274616c6c79223a7b226265666f7265223a5b31362c31362c31375d2c2263686f73656e223a5b32332c31382c31395d2c226c617374223a34382c22706f696e7473223a5b5b313739303030303130382e3639342c31362c5b302e3635373330342c302e3132393030362c302e32313336395d2c5b362c372c345d5d2c5b313739303030303233332e3333342c33322c5b302e3436303035362c302e3135373133382c302e3338323830375d2c5b31342c392c31305d5d2c5b313739303030303334392e3931342c34382c5b302e3538373330312c302e3136323236322c302e3235303433375d2c5b31362c31362c31375d5d5d2c227265636f72646564223a5b31372c31322c31345d2c22737472696465223a31362c2273756d73223a5b382e37352c362e352c362e32355d7d2c2265706f6368223a333139373334353533352c22656e646564223a66616c73652c2261637473223a5b5b3139322c7b22656e747279223a22736f75726365222c22736f75726365223a22726f626f742f736f757263652031222c226368616e6765223a2271756172616e74696e6564222c2274696d65223a313739303030303433372e3439332c226279223a2261646d696e227d5d2c5b3139332c7b22656e747279223a22736f75726365222c22736f75726365223a22726f626f742f736f757263652032222c226368616e6765223a227765696768746564222c22776569676874223a302e352c2274696d65223a313739303030303433372e3439332c226279223a2261646d696e227d5d2c5b3139342c7b22656e747279223a2272657472616374222c226964223a332c2274696d65223a313739303030303433372e3439332c226279223a2261646d696e227d5d2c5b3139352c7b22656e747279223a2265706f6368222c2265706f6368223a333139373334353533352c2274696d65223a313739343938303334352e3239387d5d5d7d');
INSERT INTO robandit.snapshot VALUES (3, 180, 'other', '\x7b22666f6c64223a7b22726f62616e646974223a226c6561726e6572222c22666f726d6174223a312c227465726d73223a7b22726f62616e646974223a226a6f75726e616c222c22666f726d6174223a312c2276657273696f6e223a22302e312e30222c22706f6c696379223a2274686f6d70736f6e3a70726f626162696c69746965733d636f6d7075746564222c2261726d73223a5b2261222c2262225d2c2273656564223a372c22686f72697a6f6e223a3130303030302c22636f7272757074696f6e223a302e302c2270617469656e6365223a3130303030302c227374617465223a6e756c6c2c2272756c6573223a7b2277696e646f77223a33302e302c2264656661756c74223a6e756c6c2c22686f6c64223a302e302c22616767726567617465223a2273756d222c2261637469766174696f6e223a66616c73652c22636170223a6e756c6c2c22746f6b656e5f636170223a6e756c6c2c22686f6c646f7574223a302e302c22737469636b79223a66616c73657d2c2272616e6765223a5b302e302c312e305d7d2c226465636973696f6e73223a36302c2270656e64696e67223a5b5d2c2261726d73223a5b5b2261222c22616374697665225d2c5b2262222c22616374697665225d5d2c227374617465223a7b22666f726d6174223a322c22706f6c696379223a2274686f6d70736f6e222c226669656c6473223a7b2270726f626162696c6974696573223a22666c6f617436345b315d222c2277696e73223a22666c6f617436345b315d222c226c6f73736573223a22666c6f617436345b315d227d2c2276616c756573223a7b2270726f626162696c6974696573223a5b302e333833363434343834343739343836352c302e363136333535353135353230353133345d2c2277696e73223a5b362e302c392e305d2c226c6f73736573223a5b31322e302c31352e305d7d7d7d2c22646f636b6574223a7b226361736573223a5b5d2c22646561646c696e6573223a5b5d2c22686f6c6473223a5b5d2c226c6561726e74223a5b7b7d2c7b7d5d2c2261736b6564223a7b22223a32302c22726f626f74223a34307d2c2265706f636873223a5b5b302c305d2c5b36302c333139373334353533355d5d2c22636c6f636b223a313739343938303334352e3330332c2265787069726564223a32322c226c6566745f6f7574223a302c226c696e65223a3138302c226465636973696f6e73223a36307d2c2274616c6c79223a7b226265666f7265223a5b31372c33325d2c2263686f73656e223a5b32332c33375d2c226c617374223a34382c22706f696e7473223a5b5b313739303030303130392e3136342c31362c5b302e352c302e355d2c5b362c31315d5d2c5b313739303030303233342e3136352c33322c5b302e3539303239392c302e3430393730315d2c5b31332c32305d5d2c5b313739303030303335302e3734392c34382c5b302e3631353039322c302e3338343930385d2c5b31372c33325d5d5d2c227265636f72646564223a5b32362c33365d2c22737472696465223a31362c2273756d73223a5b342e352c372e335d7d2c2265706f6368223a333139373334353533352c22656e646564223a66616c73652c2261637473223a5b5b3138302c7b22656e747279223a2265706f6368222c2265706f6368223a333139373334353533352c2274696d65223a313739343938303334352e3330337d5d5d7d');
INSERT INTO robandit.snapshot VALUES (4, 206, 'other', '\x7b22666f6c64223a7b22726f62616e646974223a226c6561726e6572222c22666f726d6174223a312c227465726d73223a7b22726f62616e646974223a226a6f75726e616c222c22666f726d6174223a312c2276657273696f6e223a22302e312e30222c22706f6c696379223a2275636231222c2261726d73223a5b2261222c2262225d2c2273656564223a372c22686f72697a6f6e223a3130303030302c22636f7272757074696f6e223a302e302c2270617469656e6365223a3130303030302c227374617465223a6e756c6c2c2272756c6573223a7b2277696e646f77223a33302e302c2264656661756c74223a6e756c6c2c22686f6c64223a302e302c22616767726567617465223a226669727374222c2261637469766174696f6e223a747275652c22636170223a6e756c6c2c22746f6b656e5f636170223a6e756c6c2c22686f6c646f7574223a302e302c22737469636b79223a66616c73657d2c2272616e6765223a5b302e302c312e305d7d2c226465636973696f6e73223a36302c2270656e64696e67223a5b5d2c2261726d73223a5b5b2261222c22616374697665225d2c5b2262222c22616374697665225d5d2c227374617465223a7b22666f726d6174223a322c22706f6c696379223a2275636231222c226669656c6473223a7b2270726f626162696c6974696573223a22666c6f617436345b315d222c2270756c6c73223a22666c6f617436345b315d222c2273756d73223a22666c6f617436345b315d222c226d65616e73223a22666c6f617436345b315d222c2277616974696e67223a22666c6f617436345b315d222c22726f756e6473223a22696e743634222c226e6578745f61726d223a22696e743634227d2c2276616c756573223a7b2270726f626162696c6974696573223a5b302e302c312e305d2c2270756c6c73223a5b31342e302c32312e305d2c2273756d73223a5b362e302c31312e355d2c226d65616e73223a5b302e34323835373134323835373134323835352c302e353437363139303437363139303437375d2c2277616974696e67223a5b31302e302c31352e305d2c22726f756e6473223a36302c226e6578745f61726d223a317d7d7d2c22646f636b6574223a7b226361736573223a5b5d2c22646561646c696e6573223a5b5d2c22686f6c6473223a5b5d2c226c6561726e74223a5b7b7d2c7b7d5d2c2261736b6564223a7b22223a32302c22726f626f74223a34307d2c2265706f636873223a5b5b302c305d2c5b36302c333139373334353533355d5d2c22636c6f636b223a313739343938303334352e3330392c2265787069726564223a31302c226c6566745f6f7574223a302c226c696e65223a3230362c226465636973696f6e73223a36307d2c2274616c6c79223a7b226265666f7265223a5b32332c32365d2c2263686f73656e223a5b32342c33365d2c226c617374223a34382c22706f696e7473223a5b5b313739303030303131312e3533312c31362c5b312e302c302e305d2c5b372c31305d5d2c5b313739303030303233372e3031392c33322c5b312e302c302e305d2c5b31372c31365d5d2c5b313739303030303335312e3030362c34382c5b302e302c312e305d2c5b32332c32365d5d5d2c227265636f72646564223a5b31382c32355d2c22737472696465223a31362c2273756d73223a5b372e32352c31332e32355d7d2c2265706f6368223a333139373334353533352c22656e646564223a66616c73652c2261637473223a5b5b3230362c7b22656e747279223a2265706f6368222c2265706f6368223a333139373334353533352c2274696d65223a313739343938303334352e3330397d5d5d7d');
INSERT INTO robandit.snapshot VALUES (5, 50, 'other', '\x7b22666f6c64223a7b22726f62616e646974223a226c6561726e6572222c22666f726d6174223a312c227465726d73223a7b22726f62616e646974223a226a6f75726e616c222c22666f726d6174223a312c2276657273696f6e223a22302e312e30222c22706f6c696379223a2265787033222c2261726d73223a5b2261222c2262225d2c2273656564223a372c22686f72697a6f6e223a3130303030302c22636f7272757074696f6e223a302e302c2270617469656e6365223a3130303030302c227374617465223a6e756c6c2c2272756c6573223a7b2277696e646f77223a3630302e302c2264656661756c74223a6e756c6c2c22686f6c64223a302e302c22616767726567617465223a226669727374222c2261637469766174696f6e223a66616c73652c22636170223a6e756c6c2c22746f6b656e5f636170223a6e756c6c2c22686f6c646f7574223a302e302c22737469636b79223a747275657d2c2272616e6765223a5b302e302c312e305d7d2c226465636973696f6e73223a32352c2270656e64696e67223a5b5d2c2261726d73223a5b5b2261222c22616374697665225d2c5b2262222c22616374697665225d5d2c227374617465223a7b22666f726d6174223a322c22706f6c696379223a2265787033222c226669656c6473223a7b2270726f626162696c6974696573223a22666c6f617436345b315d222c226c6f73736573223a22666c6f617436345b315d222c22726f756e64223a22696e743634227d2c2276616c756573223a7b2270726f626162696c6974696573223a5b302e333933353538353036313339303632332c302e363036343431343933383630393337375d2c226c6f73736573223a5b392e3238343336363430383139333336372c352e37363230333433343336333631345d2c22726f756e64223a32337d7d7d2c22646f636b6574223a7b226361736573223a5b5d2c22646561646c696e6573223a5b5d2c22686f6c6473223a5b5d2c226c6561726e74223a5b7b7d2c7b7d5d2c2261736b6564223a7b22223a392c22726f626f74223a31367d2c2265706f636873223a5b5b302c305d2c5b32352c333139373334353533355d5d2c22636c6f636b223a313739343938303334352e3331312c2265787069726564223a332c226c6566745f6f7574223a302c226c696e65223a35302c226465636973696f6e73223a32357d2c2274616c6c79223a7b226265666f7265223a5b392c385d2c2263686f73656e223a5b31352c31305d2c226c617374223a31362c22706f696e7473223a5b5b313739303030303131322e3639352c31362c5b302e3533333037332c302e3436363932375d2c5b392c385d5d5d2c227265636f72646564223a5b31332c395d2c22737472696465223a31362c2273756d73223a5b382e32352c362e305d7d2c2265706f6368223a333139373334353533352c22656e646564223a66616c73652c2261637473223a5b5b34392c7b22656e747279223a22627265616b6572222c226368616e6765223a2274726970706564222c2273696e6365223a34382c2274696d65223a313739303030303433372e3439332c226279223a227761746368227d5d2c5b35302c7b22656e747279223a2265706f6368222c2265706f6368223a333139373334353533352c2274696d65223a313739343938303334352e3331317d5d5d7d');
ALTER TABLE ONLY robandit.archive
    ADD CONSTRAINT archive_pkey PRIMARY KEY (experiment, last);
ALTER TABLE ONLY robandit.experiment
    ADD CONSTRAINT experiment_name_key UNIQUE (name);
ALTER TABLE ONLY robandit.experiment
    ADD CONSTRAINT experiment_pkey PRIMARY KEY (id);
ALTER TABLE ONLY robandit.head
    ADD CONSTRAINT head_pkey PRIMARY KEY (experiment);
ALTER TABLE ONLY robandit.instance
    ADD CONSTRAINT instance_pkey PRIMARY KEY (owner);
ALTER TABLE ONLY robandit.lease
    ADD CONSTRAINT lease_experiment_fence_key UNIQUE (experiment, fence);
ALTER TABLE ONLY robandit.lease
    ADD CONSTRAINT lease_pkey PRIMARY KEY (experiment);
ALTER TABLE ONLY robandit.line
    ADD CONSTRAINT line_pkey PRIMARY KEY (experiment, line);
ALTER TABLE ONLY robandit.meta
    ADD CONSTRAINT meta_pkey PRIMARY KEY (key);
ALTER TABLE ONLY robandit.snapshot
    ADD CONSTRAINT snapshot_pkey PRIMARY KEY (experiment, line);
CREATE INDEX acts ON robandit.line USING btree (experiment, line) WHERE act;
CREATE UNIQUE INDEX settled ON robandit.line USING btree (experiment, settles) WHERE (settles IS NOT NULL);
