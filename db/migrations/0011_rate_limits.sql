-- Counts of a minute that several servers share; after a crash they begin anew, so nothing is written twice for them.
CREATE UNLOGGED TABLE rate_limits (
  key varchar(255) PRIMARY KEY,
  points integer NOT NULL DEFAULT 0,
  expire bigint
);
