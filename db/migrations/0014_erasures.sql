CREATE TABLE "erasures" (
	"seller_id" text NOT NULL,
	"subject" "bytea" NOT NULL,
	"salt" "bytea" NOT NULL,
	"customer_id" text NOT NULL,
	"at" timestamp with time zone NOT NULL,
	CONSTRAINT "erasures_seller_id_subject_pk" PRIMARY KEY("seller_id","subject")
);
