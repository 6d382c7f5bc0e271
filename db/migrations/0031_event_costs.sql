-- An event of an order is as large as the order: compressing it, and parsing its JSON for the status, cost an import three fifths of what its events cost.
ALTER TABLE events SET (toast_tuple_target = 8160);
--> statement-breakpoint
-- Writes the events of inserted or updated records. Arguments: the prefix of the types, and the statuses with a type of their own. PL/pgSQL looks up
-- the columns of a statement when it first runs it, so only tables with such statuses need the column `status`.
CREATE OR REPLACE FUNCTION desk_write_record_events() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  prefix text := TG_ARGV[0];
  statuses text[] := TG_ARGV[1];
BEGIN
  IF TG_OP = 'INSERT' AND statuses = '{}' THEN
    INSERT INTO events (seller_id, type, data) SELECT seller_id, prefix || '.created', record FROM new_rows;
  ELSIF TG_OP = 'INSERT' THEN
    INSERT INTO events (seller_id, type, data)
    SELECT seller_id, prefix || '.' || change, record
    FROM new_rows CROSS JOIN LATERAL (SELECT 'created' AS change UNION ALL SELECT status WHERE status = ANY (statuses)) AS changes;
  ELSIF statuses = '{}' THEN
    INSERT INTO events (seller_id, type, data)
    SELECT new_rows.seller_id, prefix || '.updated', new_rows.record
    FROM new_rows JOIN old_rows ON old_rows.seller_id = new_rows.seller_id AND old_rows.id = new_rows.id
    WHERE new_rows.record::text <> old_rows.record::text;
  ELSE
    INSERT INTO events (seller_id, type, data)
    SELECT new_rows.seller_id, prefix || '.' || change, new_rows.record
    FROM new_rows JOIN old_rows ON old_rows.seller_id = new_rows.seller_id AND old_rows.id = new_rows.id
    CROSS JOIN LATERAL (
      SELECT 'updated' AS change
      UNION ALL SELECT new_rows.status WHERE new_rows.status = ANY (statuses) AND new_rows.status IS DISTINCT FROM old_rows.status) AS changes
    WHERE new_rows.record::text <> old_rows.record::text;
  END IF;
  RETURN NULL;
END $$;
