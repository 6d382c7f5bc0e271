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
CREATE INDEX "request_log_request" ON "request_log" USING btree ("seller_id","request_id");--> statement-breakpoint
CREATE INDEX "request_log_status" ON "request_log" USING btree ("seller_id",("status" / 100),"at");--> statement-breakpoint
CREATE INDEX "request_log_key" ON "request_log" USING btree ("seller_id","key_id","at");