-- Written by drizzle-kit from db/schema, with what drizzle cannot express: INCLUDE columns, storage settings, an unlogged table.
-- The list indexes INCLUDE the searched text, so that a search never reads the wide rows. By status they also carry what the overview sums.
CREATE SEQUENCE "public"."record_count_slots" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1;--> statement-breakpoint
CREATE TABLE "bookings" (
	"seller_id" text NOT NULL,
	"record" json NOT NULL,
	"id" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"search" text,
	"search_long" text,
	"gateway_id" text,
	"secrets" json,
	"status" text,
	"page_id" text,
	"amount" numeric,
	"currency" text,
	"livemode" boolean,
	"revenue" numeric,
	CONSTRAINT "bookings_seller_id_id_pk" PRIMARY KEY("seller_id","id")
);
--> statement-breakpoint
CREATE TABLE "coupons" (
	"seller_id" text NOT NULL,
	"record" json NOT NULL,
	"id" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"search" text,
	"search_long" text,
	"gateway_id" text,
	"secrets" json,
	CONSTRAINT "coupons_seller_id_id_pk" PRIMARY KEY("seller_id","id")
);
--> statement-breakpoint
CREATE TABLE "payments" (
	"seller_id" text NOT NULL,
	"record" json NOT NULL,
	"id" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"search" text,
	"search_long" text,
	"gateway_id" text,
	"secrets" json,
	"status" text,
	"page_id" text,
	"amount" numeric,
	"currency" text,
	"livemode" boolean,
	"revenue" numeric,
	CONSTRAINT "payments_seller_id_id_pk" PRIMARY KEY("seller_id","id")
);
--> statement-breakpoint
CREATE TABLE "record_counts" (
	"seller_id" text NOT NULL,
	"resource" text NOT NULL,
	"page_id" text NOT NULL,
	"status" text NOT NULL,
	"slot" bigint NOT NULL,
	"total" bigint NOT NULL,
	"changes" bigint NOT NULL,
	CONSTRAINT "record_counts_seller_id_resource_page_id_status_slot_pk" PRIMARY KEY("seller_id","resource","page_id","status","slot")
) WITH (fillfactor = 40, autovacuum_vacuum_scale_factor = 0.5);
--> statement-breakpoint
CREATE TABLE "subscriptions" (
	"seller_id" text NOT NULL,
	"record" json NOT NULL,
	"id" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"search" text,
	"search_long" text,
	"gateway_id" text,
	"secrets" json,
	"status" text,
	"page_id" text,
	"amount" numeric,
	"currency" text,
	"livemode" boolean,
	CONSTRAINT "subscriptions_seller_id_id_pk" PRIMARY KEY("seller_id","id")
);
--> statement-breakpoint
CREATE TABLE "request_log" (
	"seller_id" text NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"request_id" text NOT NULL,
	"key_id" text NOT NULL,
	"method" text NOT NULL,
	"route" text NOT NULL,
	"status" smallint NOT NULL,
	"ms" real NOT NULL,
	CONSTRAINT "request_log_seller_id_at_request_id_pk" PRIMARY KEY("seller_id","at","request_id")
);
--> statement-breakpoint
CREATE TABLE "stripe_accounts" (
	"seller_id" text PRIMARY KEY NOT NULL,
	"secret" "bytea" NOT NULL,
	"changed_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "stripe_events" (
	"seller_id" text NOT NULL,
	"id" text NOT NULL,
	"type" text NOT NULL,
	"created" bigint NOT NULL,
	"links" text[] NOT NULL,
	"payload" json NOT NULL,
	"state" text DEFAULT 'waiting' NOT NULL,
	"error" text,
	"attempts" integer DEFAULT 0 NOT NULL,
	"received_at" timestamp with time zone DEFAULT now() NOT NULL,
	"worked_at" timestamp with time zone,
	CONSTRAINT "stripe_events_seller_id_id_pk" PRIMARY KEY("seller_id","id")
);
--> statement-breakpoint
CREATE TABLE "audit_log" (
	"seller_id" text NOT NULL,
	"id" bigint GENERATED ALWAYS AS IDENTITY (sequence name "audit_log_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	"user_id" text,
	"email" text,
	"action" text NOT NULL,
	"subject" text,
	"details" json DEFAULT '{}' NOT NULL,
	CONSTRAINT "audit_log_seller_id_id_pk" PRIMARY KEY("seller_id","id")
);
--> statement-breakpoint
CREATE TABLE "invitations" (
	"id" text PRIMARY KEY NOT NULL,
	"seller_id" text NOT NULL,
	"email" text NOT NULL,
	"role" text NOT NULL,
	"hash" "bytea" NOT NULL,
	"invited_by" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"used_at" timestamp with time zone,
	"revoked_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "api_keys" (
	"id" text PRIMARY KEY NOT NULL,
	"seller_id" text NOT NULL,
	"name" text NOT NULL,
	"scopes" text[] NOT NULL,
	"hash" "bytea" NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone,
	"revoked_at" timestamp with time zone,
	"last_used_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "pages" (
	"seller_id" text NOT NULL,
	"id" text NOT NULL,
	"name" text NOT NULL,
	"entry_policy" text DEFAULT 'single' NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "pages_seller_id_id_pk" PRIMARY KEY("seller_id","id")
);
--> statement-breakpoint
CREATE TABLE "sellers" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"time_zone" text DEFAULT 'UTC' NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"ended_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "sign_in_failures" (
	"subject" "bytea" PRIMARY KEY NOT NULL,
	"failures" integer NOT NULL,
	"last_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "users" (
	"id" text PRIMARY KEY NOT NULL,
	"seller_id" text NOT NULL,
	"email" text NOT NULL,
	"password_hash" text NOT NULL,
	"role" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"disabled_at" timestamp with time zone,
	"preferences" json DEFAULT '{}' NOT NULL
);
--> statement-breakpoint
CREATE TABLE "check_ins" (
	"seller_id" text NOT NULL,
	"ticket_id" text NOT NULL,
	"sequence" integer NOT NULL,
	"method" text NOT NULL,
	"status" text NOT NULL,
	"day" date NOT NULL,
	"at" timestamp with time zone,
	"actor_id" text,
	"reason" text,
	"standing" boolean DEFAULT false NOT NULL,
	CONSTRAINT "check_ins_seller_id_ticket_id_sequence_pk" PRIMARY KEY("seller_id","ticket_id","sequence")
);
--> statement-breakpoint
CREATE TABLE "idempotency_keys" (
	"seller_id" text NOT NULL,
	"key" text NOT NULL,
	"fingerprint" "bytea" NOT NULL,
	"status" integer NOT NULL,
	"answer" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "idempotency_keys_seller_id_key_pk" PRIMARY KEY("seller_id","key")
);
--> statement-breakpoint
CREATE TABLE "tickets" (
	"seller_id" text NOT NULL,
	"record" json NOT NULL,
	"id" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"search" text NOT NULL,
	"status" text,
	"page_id" text,
	"order_id" text,
	"qr_code" text NOT NULL,
	"metadata" json DEFAULT '[]' NOT NULL,
	"check_in_status" text DEFAULT 'UNCHECKEDIN' NOT NULL,
	"check_in_count" integer DEFAULT 0 NOT NULL,
	"door_at" timestamp with time zone,
	"revoked_at" timestamp with time zone,
	"made" boolean DEFAULT false NOT NULL,
	CONSTRAINT "tickets_seller_id_id_pk" PRIMARY KEY("seller_id","id")
);
--> statement-breakpoint
CREATE TABLE "validation_attempts" (
	"seller_id" text NOT NULL,
	"id" bigint GENERATED ALWAYS AS IDENTITY (sequence name "validation_attempts_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"at" timestamp with time zone NOT NULL,
	"ticket_id" text,
	"outcome" text NOT NULL,
	"actor_id" text NOT NULL,
	"device" text,
	CONSTRAINT "validation_attempts_seller_id_id_pk" PRIMARY KEY("seller_id","id")
);
--> statement-breakpoint
ALTER TABLE "stripe_accounts" ADD CONSTRAINT "stripe_accounts_seller_id_sellers_id_fk" FOREIGN KEY ("seller_id") REFERENCES "public"."sellers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "stripe_events" ADD CONSTRAINT "stripe_events_seller_id_stripe_accounts_seller_id_fk" FOREIGN KEY ("seller_id") REFERENCES "public"."stripe_accounts"("seller_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "audit_log" ADD CONSTRAINT "audit_log_seller_id_sellers_id_fk" FOREIGN KEY ("seller_id") REFERENCES "public"."sellers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_seller_id_sellers_id_fk" FOREIGN KEY ("seller_id") REFERENCES "public"."sellers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_invited_by_users_id_fk" FOREIGN KEY ("invited_by") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_seller_id_sellers_id_fk" FOREIGN KEY ("seller_id") REFERENCES "public"."sellers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pages" ADD CONSTRAINT "pages_seller_id_sellers_id_fk" FOREIGN KEY ("seller_id") REFERENCES "public"."sellers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "users" ADD CONSTRAINT "users_seller_id_sellers_id_fk" FOREIGN KEY ("seller_id") REFERENCES "public"."sellers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "check_ins" ADD CONSTRAINT "check_ins_seller_id_ticket_id_tickets_seller_id_id_fk" FOREIGN KEY ("seller_id","ticket_id") REFERENCES "public"."tickets"("seller_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "idempotency_keys" ADD CONSTRAINT "idempotency_keys_seller_id_sellers_id_fk" FOREIGN KEY ("seller_id") REFERENCES "public"."sellers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "validation_attempts" ADD CONSTRAINT "validation_attempts_seller_id_sellers_id_fk" FOREIGN KEY ("seller_id") REFERENCES "public"."sellers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "bookings_order" ON "bookings" USING btree ("seller_id","created_at","id") INCLUDE ("search");--> statement-breakpoint
CREATE INDEX "bookings_search" ON "bookings" USING gin ("search" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "bookings_search_long" ON "bookings" USING btree ("seller_id","id") WHERE "bookings"."search_long" is not null;--> statement-breakpoint
CREATE INDEX "bookings_gateway" ON "bookings" USING btree ("seller_id","gateway_id") WHERE "bookings"."gateway_id" is not null;--> statement-breakpoint
CREATE INDEX "bookings_status" ON "bookings" USING btree ("seller_id","status","created_at","id") INCLUDE ("search","revenue","currency","page_id","livemode");--> statement-breakpoint
CREATE INDEX "bookings_page" ON "bookings" USING btree ("seller_id","page_id","created_at","id") INCLUDE ("search");--> statement-breakpoint
CREATE INDEX "bookings_page_status" ON "bookings" USING btree ("seller_id","page_id","status","created_at","id") INCLUDE ("search");--> statement-breakpoint
CREATE INDEX "coupons_order" ON "coupons" USING btree ("seller_id","created_at","id") INCLUDE ("search");--> statement-breakpoint
CREATE INDEX "coupons_search" ON "coupons" USING gin ("search" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "coupons_search_long" ON "coupons" USING btree ("seller_id","id") WHERE "coupons"."search_long" is not null;--> statement-breakpoint
CREATE INDEX "coupons_gateway" ON "coupons" USING btree ("seller_id","gateway_id") WHERE "coupons"."gateway_id" is not null;--> statement-breakpoint
CREATE INDEX "payments_order" ON "payments" USING btree ("seller_id","created_at","id") INCLUDE ("search");--> statement-breakpoint
CREATE INDEX "payments_search" ON "payments" USING gin ("search" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "payments_search_long" ON "payments" USING btree ("seller_id","id") WHERE "payments"."search_long" is not null;--> statement-breakpoint
CREATE INDEX "payments_gateway" ON "payments" USING btree ("seller_id","gateway_id") WHERE "payments"."gateway_id" is not null;--> statement-breakpoint
CREATE INDEX "payments_status" ON "payments" USING btree ("seller_id","status","created_at","id") INCLUDE ("search","revenue","currency","page_id","livemode");--> statement-breakpoint
CREATE INDEX "payments_page" ON "payments" USING btree ("seller_id","page_id","created_at","id") INCLUDE ("search");--> statement-breakpoint
CREATE INDEX "payments_page_status" ON "payments" USING btree ("seller_id","page_id","status","created_at","id") INCLUDE ("search");--> statement-breakpoint
CREATE INDEX "subscriptions_order" ON "subscriptions" USING btree ("seller_id","created_at","id") INCLUDE ("search");--> statement-breakpoint
CREATE INDEX "subscriptions_search" ON "subscriptions" USING gin ("search" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "subscriptions_search_long" ON "subscriptions" USING btree ("seller_id","id") WHERE "subscriptions"."search_long" is not null;--> statement-breakpoint
CREATE INDEX "subscriptions_gateway" ON "subscriptions" USING btree ("seller_id","gateway_id") WHERE "subscriptions"."gateway_id" is not null;--> statement-breakpoint
CREATE INDEX "subscriptions_status" ON "subscriptions" USING btree ("seller_id","status","created_at","id") INCLUDE ("search","livemode");--> statement-breakpoint
CREATE INDEX "subscriptions_page" ON "subscriptions" USING btree ("seller_id","page_id","created_at","id") INCLUDE ("search");--> statement-breakpoint
CREATE INDEX "subscriptions_page_status" ON "subscriptions" USING btree ("seller_id","page_id","status","created_at","id") INCLUDE ("search");--> statement-breakpoint
CREATE INDEX "subscriptions_ended" ON "subscriptions" USING btree ("seller_id",("record" ->> 'canceledAt'),"created_at") WHERE status = 'canceled';--> statement-breakpoint
CREATE INDEX "request_log_request" ON "request_log" USING btree ("seller_id","request_id");--> statement-breakpoint
CREATE INDEX "request_log_status" ON "request_log" USING btree ("seller_id",("status" / 100),"at");--> statement-breakpoint
CREATE INDEX "request_log_key" ON "request_log" USING btree ("seller_id","key_id","at");--> statement-breakpoint
CREATE INDEX "stripe_events_links" ON "stripe_events" USING gin ("seller_id","links");--> statement-breakpoint
CREATE INDEX "stripe_events_order" ON "stripe_events" USING btree ("seller_id","created","id");--> statement-breakpoint
CREATE INDEX "stripe_events_open" ON "stripe_events" USING btree ("seller_id","state","created","id") WHERE state <> 'done';--> statement-breakpoint
CREATE INDEX "stripe_events_age" ON "stripe_events" USING btree ("created");--> statement-breakpoint
CREATE UNIQUE INDEX "invitations_hash" ON "invitations" USING btree ("hash");--> statement-breakpoint
CREATE INDEX "invitations_seller" ON "invitations" USING btree ("seller_id");--> statement-breakpoint
CREATE UNIQUE INDEX "api_keys_hash" ON "api_keys" USING btree ("hash");--> statement-breakpoint
CREATE INDEX "api_keys_seller" ON "api_keys" USING btree ("seller_id");--> statement-breakpoint
CREATE INDEX "sessions_user" ON "sessions" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "users_email" ON "users" USING btree (desk_fold("email"));--> statement-breakpoint
CREATE INDEX "users_seller" ON "users" USING btree ("seller_id");--> statement-breakpoint
CREATE UNIQUE INDEX "check_ins_standing" ON "check_ins" USING btree ("seller_id","ticket_id") WHERE standing;--> statement-breakpoint
CREATE INDEX "idempotency_keys_age" ON "idempotency_keys" USING btree ("created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "tickets_qr_code" ON "tickets" USING btree ("seller_id","qr_code");--> statement-breakpoint
CREATE INDEX "tickets_order" ON "tickets" USING btree ("seller_id",md5("order_id"));--> statement-breakpoint
CREATE INDEX "tickets_charge" ON "tickets" USING btree ("seller_id",md5("record" ->> 'chargeId'));--> statement-breakpoint
CREATE INDEX "tickets_page" ON "tickets" USING btree ("seller_id","page_id","created_at","id");--> statement-breakpoint
CREATE INDEX "tickets_search" ON "tickets" USING gin ("seller_id","search" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "validation_attempts_order" ON "validation_attempts" USING btree ("seller_id","at");--> statement-breakpoint
CREATE INDEX "validation_attempts_ticket" ON "validation_attempts" USING btree ("seller_id","ticket_id","at");--> statement-breakpoint
-- A restore finds the sequence by its owner and sets it past the highest slot in use.
ALTER SEQUENCE record_count_slots OWNED BY record_counts.slot;
--> statement-breakpoint
-- Rate limits that several servers share. Unlogged: they start from zero after a crash, and no write goes to the log.
CREATE UNLOGGED TABLE rate_limits (
	key varchar(255) PRIMARY KEY,
	points integer NOT NULL DEFAULT 0,
	expire bigint
);
--> statement-breakpoint
-- A record of 2 to 8 kB stays in its row, uncompressed: compression costs an import more than the space is worth.
-- Frequent vacuums keep index-only scans possible; the default, a fifth of the table, is too rare for a large one.
ALTER TABLE payments SET (toast_tuple_target = 8160, autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
ALTER TABLE bookings SET (toast_tuple_target = 8160, autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
ALTER TABLE subscriptions SET (toast_tuple_target = 8160, autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
ALTER TABLE coupons SET (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_scale_factor = 0.05);
