-- Written by drizzle-kit from db/schema, with the function of typed codes.
-- Returns a code as somebody might type it: in lower case, without spaces.
CREATE FUNCTION desk_typed(value text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN desk_fold(regexp_replace(value, '\s', '', 'g'));
--> statement-breakpoint
CREATE INDEX "tickets_plain" ON "tickets" USING gin ("seller_id",desk_plain("search") gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "tickets_typed_code" ON "tickets" USING btree ("seller_id",md5(desk_typed("qr_code")));--> statement-breakpoint
CREATE INDEX "tickets_typed_short_id" ON "tickets" USING btree ("seller_id",md5(desk_typed("record" ->> 'ticketShortId')));