-- Written by drizzle-kit from db/schema, with what the dashboard's tables filter, search and sort by in the compact tables of texts.
ALTER TABLE "bookings" ADD COLUMN "method" text;
--> statement-breakpoint
ALTER TABLE "bookings" ADD COLUMN "names" text;
--> statement-breakpoint
ALTER TABLE "coupons" ADD COLUMN "uses" numeric;
--> statement-breakpoint
ALTER TABLE "customers" ADD COLUMN "names" text;
--> statement-breakpoint
ALTER TABLE "payments" ADD COLUMN "method" text;
--> statement-breakpoint
ALTER TABLE "payments" ADD COLUMN "names" text;
--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "method" text;
--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "names" text;
--> statement-breakpoint
-- Folds a text like desk_fold, and removes accents, so that `zoe` finds `Zoë` and `strasse` finds `Straße`.
CREATE FUNCTION desk_plain(value text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN replace(replace(translate(
  regexp_replace(normalize(desk_fold(value), NFKD), U&'[\0300-\036F]', '', 'g'), U&'\00F8\0142\0111\0131\00F0', 'oldid'), U&'\00DF', 'ss'), U&'\00E6', 'ae');
--> statement-breakpoint
-- Returns the key by which a table is sorted by customer: the name, otherwise the first searched text, which is the email address. Null if
-- there is neither. It is cut, because an index entry has to fit into a third of a page.
CREATE FUNCTION desk_customer_key(names text, searched text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN nullif(left(coalesce(nullif(names, ''), split_part(searched, chr(1), 1)), 100), '') COLLATE "C";
--> statement-breakpoint
DROP FUNCTION desk_attach_texts(regclass, boolean);
--> statement-breakpoint
-- Creates <table>_texts: a compact copy of the searched texts, and of the columns that lists filter and sort by. Reading all texts
-- of a seller there takes a fraction of the time of reading the records or an index of them. It has 16 partitions by the seller's number,
-- named <table>_texts_0 to _15, so that a search reads few texts of other sellers.
-- Triggers change it in the statement that changes the records. Calling this again fills it again.
CREATE FUNCTION desk_attach_texts(records regclass) RETURNS void LANGUAGE plpgsql AS $attach$
DECLARE
  table_name text := (SELECT relname FROM pg_class WHERE oid = records);
  texts text := table_name || '_texts';
  declared text := '';
  copied text := 'seller_id, id, created_at, search';
  filled text := '';
  has_names boolean := false;
  has_amount boolean := false;
  operation text;
  copy record;
BEGIN
  -- The copied columns that the table has. IDs are 12 bytes; C is the fastest collation to compare.
  FOR copy IN
    SELECT known.* FROM (VALUES
      (1, 'status', 'text COLLATE "C"', 'record.status'),
      (2, 'page_id', 'bytea', 'decode(record.page_id, ''hex'')'),
      (3, 'amount', 'numeric', 'record.amount'),
      (4, 'currency', 'text COLLATE "C"', 'left(upper(record.currency), 64)'),
      (5, 'livemode', 'boolean', 'record.livemode'),
      (6, 'method', 'text COLLATE "C"', 'left(record.method, 64)'),
      (7, 'names', 'text COLLATE "C"', 'record.names'),
      (8, 'uses', 'numeric', 'record.uses')
    ) AS known (position, name, type, expression)
    JOIN pg_attribute ON attrelid = records AND attname = known.name AND NOT attisdropped ORDER BY known.position
  LOOP
    declared := declared || format(', %I %s', copy.name, copy.type);
    copied := copied || ', ' || copy.name;
    filled := filled || ', ' || copy.expression;
    has_names := has_names OR copy.name = 'names';
    has_amount := has_amount OR copy.name = 'amount';
  END LOOP;
  filled := format('INSERT INTO %I SELECT sellers.number, decode(record.id, ''hex''), record.created_at, record.search%s', texts, filled);
  EXECUTE format('DROP TABLE IF EXISTS %I', texts);
  EXECUTE format('CREATE TABLE %I (seller integer NOT NULL, id bytea NOT NULL, created_at timestamptz NOT NULL, text text COLLATE "C" NOT NULL%s) '
    'PARTITION BY LIST ((seller %% 16))', texts, declared);
  FOR slot IN 0..15 LOOP
    EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES IN (%s)', texts || '_' || slot, texts, slot);
  END LOOP;
  EXECUTE format('%s FROM %s AS record JOIN sellers ON sellers.id = record.seller_id WHERE record.search IS NOT NULL', filled, records);
  EXECUTE format('CREATE INDEX ON %I (seller, id)', texts);
  EXECUTE format('CREATE INDEX ON %I USING gin (text gin_trgm_ops%s) WITH (gin_pending_list_limit = 512)', texts,
    CASE WHEN has_names THEN ', names gin_trgm_ops' ELSE '' END);
  -- The orders of the dashboard's tables besides the date.
  IF has_amount THEN
    EXECUTE format('CREATE INDEX ON %I (seller, currency, amount, created_at, id)', texts);
  END IF;
  IF has_names THEN
    EXECUTE format('CREATE INDEX ON %I (seller, desk_customer_key(names, text), created_at, id)', texts);
  END IF;

  -- Only index scans: a cached plan that was made for a small table must not read a large one.
  EXECUTE format($function$
    CREATE OR REPLACE FUNCTION %1$I() RETURNS trigger LANGUAGE plpgsql
    SET enable_seqscan TO off SET enable_hashjoin TO off SET enable_mergejoin TO off AS $body$
    BEGIN
      IF TG_OP = 'INSERT' THEN
        %2$s FROM new_rows AS record JOIN sellers ON sellers.id = record.seller_id;
      ELSIF TG_OP = 'DELETE' THEN
        DELETE FROM %3$I AS text USING old_rows AS record JOIN sellers ON sellers.id = record.seller_id
        WHERE text.seller = sellers.number AND text.seller %% 16 = sellers.number %% 16 AND text.id = decode(record.id, 'hex');
      ELSE
        DELETE FROM %3$I AS text USING (SELECT %4$s FROM old_rows EXCEPT SELECT %4$s FROM new_rows) AS record
          JOIN sellers ON sellers.id = record.seller_id
        WHERE text.seller = sellers.number AND text.seller %% 16 = sellers.number %% 16 AND text.id = decode(record.id, 'hex');
        %2$s FROM (SELECT %4$s FROM new_rows EXCEPT SELECT %4$s FROM old_rows) AS record JOIN sellers ON sellers.id = record.seller_id;
      END IF;
      RETURN NULL;
    END $body$ $function$, format('desk_write_%s', texts), filled, texts, copied);
  FOREACH operation IN ARRAY ARRAY['INSERT', 'UPDATE', 'DELETE'] LOOP
    EXECUTE format('CREATE OR REPLACE TRIGGER %I AFTER %s ON %s REFERENCING %s FOR EACH STATEMENT EXECUTE FUNCTION %I()',
      CASE operation WHEN 'INSERT' THEN 'texts_inserted' WHEN 'UPDATE' THEN 'texts_updated' ELSE 'texts_deleted' END, operation, records,
      CASE operation WHEN 'INSERT' THEN 'NEW TABLE AS new_rows' WHEN 'DELETE' THEN 'OLD TABLE AS old_rows'
        ELSE 'OLD TABLE AS old_rows NEW TABLE AS new_rows' END, format('desk_write_%s', texts));
  END LOOP;
  EXECUTE format('CREATE OR REPLACE TRIGGER texts_truncated AFTER TRUNCATE ON %s FOR EACH STATEMENT EXECUTE FUNCTION desk_truncate_texts()', records);
END $attach$;
--> statement-breakpoint
-- desk_attach_record_triggers also derives the new columns.
DO $$
DECLARE
  before text := pg_get_functiondef('desk_attach_record_triggers'::regproc);
  amount text := '(''amount'', ''{amount numeric}'', ''r.amount''),';
  added text := '(''method'', ''{"\"paymentMethod\" json"}'', ''r."paymentMethod" ->> ''''method''''''),
      (''names'', ''{billing json,name text,"\"companyName\" text"}'',
        ''desk_plain(concat_ws('''' '''', r.billing ->> ''''name'''', r.name, r."companyName"))''),
      (''uses'', ''{"\"timesRedeemed\" numeric"}'', ''r."timesRedeemed"''),';
  after text := replace(replace(before, amount, added || E'\n      ' || amount),
    'desk_attach_texts(records, has_page_and_status)', 'desk_attach_texts(records)');
BEGIN
  IF position(added IN after) = 0 OR position('desk_attach_texts(records)' IN after) = 0 THEN
    RAISE EXCEPTION 'desk_attach_record_triggers has no list of columns to add to.';
  END IF;
  EXECUTE after;
END $$;
--> statement-breakpoint
ALTER TABLE payments DISABLE TRIGGER USER;
--> statement-breakpoint
UPDATE payments SET method = record -> 'paymentMethod' ->> 'method', names = desk_plain(concat_ws(' ', record -> 'billing' ->> 'name'));
--> statement-breakpoint
ALTER TABLE payments ENABLE TRIGGER USER;
--> statement-breakpoint
SELECT desk_attach_record_triggers('payments', searched => '{customerEmail,orderId}', gateway_id => 'gatewayPaymentIntentId');
--> statement-breakpoint
ALTER TABLE bookings DISABLE TRIGGER USER;
--> statement-breakpoint
UPDATE bookings SET method = record -> 'paymentMethod' ->> 'method', names = desk_plain(concat_ws(' ', record -> 'billing' ->> 'name'));
--> statement-breakpoint
ALTER TABLE bookings ENABLE TRIGGER USER;
--> statement-breakpoint
SELECT desk_attach_record_triggers('bookings', searched => '{customerEmail,orderId}', gateway_id => 'gatewayPaymentIntentId');
--> statement-breakpoint
ALTER TABLE subscriptions DISABLE TRIGGER USER;
--> statement-breakpoint
UPDATE subscriptions SET method = record -> 'paymentMethod' ->> 'method', names = desk_plain(concat_ws(' ', record -> 'billing' ->> 'name'));
--> statement-breakpoint
ALTER TABLE subscriptions ENABLE TRIGGER USER;
--> statement-breakpoint
SELECT desk_attach_record_triggers('subscriptions', searched => '{customerEmail,orderId,billing.name}', gateway_id => 'gatewaySubscriptionId');
--> statement-breakpoint
ALTER TABLE coupons DISABLE TRIGGER USER;
--> statement-breakpoint
UPDATE coupons SET uses = (record ->> 'timesRedeemed')::numeric;
--> statement-breakpoint
ALTER TABLE coupons ENABLE TRIGGER USER;
--> statement-breakpoint
SELECT desk_attach_record_triggers('coupons', searched => '{label,code}', gateway_id => 'gatewayCouponId');
--> statement-breakpoint
ALTER TABLE customers DISABLE TRIGGER USER;
--> statement-breakpoint
UPDATE customers SET names = desk_plain(concat_ws(' ', record ->> 'name', record ->> 'companyName'));
--> statement-breakpoint
ALTER TABLE customers ENABLE TRIGGER USER;
--> statement-breakpoint
SELECT desk_attach_record_triggers('customers', searched => '{email,name,companyName}', gateway_id => 'gatewayCustomerId');
