-- Returns the key by which tickets are sorted by guest: the name, otherwise the email address. Null if there is neither. It is cut, because an
-- index entry has to fit into a third of a page.
CREATE FUNCTION desk_guest_key(record json) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN nullif(left(desk_plain(coalesce(nullif(record ->> 'customerName', ''), record ->> 'customerEmail')), 100), '') COLLATE "C";
--> statement-breakpoint
CREATE INDEX "check_ins_day" ON "check_ins" USING btree ("seller_id","day") WHERE status = 'CHECKEDIN';--> statement-breakpoint
CREATE INDEX "tickets_guest" ON "tickets" USING btree ("seller_id",desk_guest_key("record"),"created_at","id");