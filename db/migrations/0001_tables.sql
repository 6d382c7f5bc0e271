CREATE TABLE "bookings" (
	"seller_id" text NOT NULL,
	"record" json NOT NULL,
	"id" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"search" text NOT NULL,
	"secrets" json,
	"status" text,
	"page_id" text,
	"amount" numeric,
	"currency" text,
	"livemode" boolean,
	CONSTRAINT "bookings_seller_id_id_pk" PRIMARY KEY("seller_id","id")
);
--> statement-breakpoint
CREATE TABLE "coupons" (
	"seller_id" text NOT NULL,
	"record" json NOT NULL,
	"id" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"search" text NOT NULL,
	"secrets" json,
	CONSTRAINT "coupons_seller_id_id_pk" PRIMARY KEY("seller_id","id")
);
--> statement-breakpoint
CREATE TABLE "payments" (
	"seller_id" text NOT NULL,
	"record" json NOT NULL,
	"id" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"search" text NOT NULL,
	"secrets" json,
	"status" text,
	"page_id" text,
	"amount" numeric,
	"currency" text,
	"livemode" boolean,
	CONSTRAINT "payments_seller_id_id_pk" PRIMARY KEY("seller_id","id")
);
--> statement-breakpoint
CREATE TABLE "subscriptions" (
	"seller_id" text NOT NULL,
	"record" json NOT NULL,
	"id" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"search" text NOT NULL,
	"secrets" json,
	"status" text,
	"page_id" text,
	"amount" numeric,
	"currency" text,
	"livemode" boolean,
	CONSTRAINT "subscriptions_seller_id_id_pk" PRIMARY KEY("seller_id","id")
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
CREATE TABLE "users" (
	"id" text PRIMARY KEY NOT NULL,
	"seller_id" text NOT NULL,
	"email" text NOT NULL,
	"password_hash" text NOT NULL,
	"role" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
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
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_seller_id_sellers_id_fk" FOREIGN KEY ("seller_id") REFERENCES "public"."sellers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pages" ADD CONSTRAINT "pages_seller_id_sellers_id_fk" FOREIGN KEY ("seller_id") REFERENCES "public"."sellers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "users" ADD CONSTRAINT "users_seller_id_sellers_id_fk" FOREIGN KEY ("seller_id") REFERENCES "public"."sellers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "check_ins" ADD CONSTRAINT "check_ins_seller_id_ticket_id_tickets_seller_id_id_fk" FOREIGN KEY ("seller_id","ticket_id") REFERENCES "public"."tickets"("seller_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "idempotency_keys" ADD CONSTRAINT "idempotency_keys_seller_id_sellers_id_fk" FOREIGN KEY ("seller_id") REFERENCES "public"."sellers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "validation_attempts" ADD CONSTRAINT "validation_attempts_seller_id_sellers_id_fk" FOREIGN KEY ("seller_id") REFERENCES "public"."sellers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "bookings_order" ON "bookings" USING btree ("seller_id","created_at","id");--> statement-breakpoint
CREATE INDEX "bookings_search" ON "bookings" USING gin ("seller_id","search" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "bookings_status" ON "bookings" USING btree ("seller_id","status","created_at","id");--> statement-breakpoint
CREATE INDEX "bookings_page" ON "bookings" USING btree ("seller_id","page_id","created_at","id");--> statement-breakpoint
CREATE INDEX "coupons_order" ON "coupons" USING btree ("seller_id","created_at","id");--> statement-breakpoint
CREATE INDEX "coupons_search" ON "coupons" USING gin ("seller_id","search" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "payments_order" ON "payments" USING btree ("seller_id","created_at","id");--> statement-breakpoint
CREATE INDEX "payments_search" ON "payments" USING gin ("seller_id","search" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "payments_status" ON "payments" USING btree ("seller_id","status","created_at","id");--> statement-breakpoint
CREATE INDEX "payments_page" ON "payments" USING btree ("seller_id","page_id","created_at","id");--> statement-breakpoint
CREATE INDEX "subscriptions_order" ON "subscriptions" USING btree ("seller_id","created_at","id");--> statement-breakpoint
CREATE INDEX "subscriptions_search" ON "subscriptions" USING gin ("seller_id","search" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "subscriptions_status" ON "subscriptions" USING btree ("seller_id","status","created_at","id");--> statement-breakpoint
CREATE INDEX "subscriptions_page" ON "subscriptions" USING btree ("seller_id","page_id","created_at","id");--> statement-breakpoint
CREATE UNIQUE INDEX "api_keys_hash" ON "api_keys" USING btree ("hash");--> statement-breakpoint
CREATE INDEX "api_keys_seller" ON "api_keys" USING btree ("seller_id");--> statement-breakpoint
CREATE UNIQUE INDEX "users_email" ON "users" USING btree (desk_fold("email"));--> statement-breakpoint
CREATE INDEX "users_seller" ON "users" USING btree ("seller_id");--> statement-breakpoint
CREATE UNIQUE INDEX "check_ins_standing" ON "check_ins" USING btree ("seller_id","ticket_id") WHERE standing;--> statement-breakpoint
CREATE INDEX "idempotency_keys_age" ON "idempotency_keys" USING btree ("created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "tickets_qr_code" ON "tickets" USING btree ("seller_id","qr_code");--> statement-breakpoint
CREATE INDEX "tickets_order" ON "tickets" USING btree ("seller_id","order_id");--> statement-breakpoint
CREATE INDEX "tickets_page" ON "tickets" USING btree ("seller_id","page_id","created_at","id");--> statement-breakpoint
CREATE INDEX "tickets_search" ON "tickets" USING gin ("seller_id","search" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "validation_attempts_order" ON "validation_attempts" USING btree ("seller_id","at");--> statement-breakpoint
CREATE INDEX "validation_attempts_ticket" ON "validation_attempts" USING btree ("seller_id","ticket_id","at");