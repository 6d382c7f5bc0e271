-- What a server may do: read and write rows, and nothing to the tables themselves. A user that serves is made a member of it:
-- GRANT desk_server TO somebody. Where this user may not make roles, an administrator does so before.
DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'desk_server') THEN
    CREATE ROLE desk_server NOLOGIN;
  END IF;
EXCEPTION
  -- Made by another database's migration in this very moment.
  WHEN duplicate_object OR unique_violation THEN NULL;
  WHEN insufficient_privilege THEN RAISE NOTICE 'no right to make the role desk_server: the server serves as the owner of its tables';
END $$;
--> statement-breakpoint
DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'desk_server') THEN
    GRANT USAGE ON SCHEMA public, drizzle TO desk_server;
    GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO desk_server;
    GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO desk_server;
    GRANT SELECT ON ALL TABLES IN SCHEMA drizzle TO desk_server;
    -- What later migrations make is granted by itself.
    ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO desk_server;
    ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT USAGE ON SEQUENCES TO desk_server;
  END IF;
END $$;
