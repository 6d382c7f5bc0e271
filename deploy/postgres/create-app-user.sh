#!/bin/sh
# Creates desk_app, the login role that the server connects as. It owns nothing and inherits its privileges from desk_server, to which the
# migrations grant them. The postgres image runs this script once, when it initializes an empty data directory.
set -eu
: "${POSTGRES_USER:?is not set}" "${POSTGRES_DB:?is not set}" "${DESK_APP_PASSWORD:?is not set}"
psql -v ON_ERROR_STOP=1 -v password="$DESK_APP_PASSWORD" --no-psqlrc --quiet --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" <<'END'
SELECT 'CREATE ROLE desk_server NOLOGIN' WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'desk_server') \gexec
CREATE ROLE desk_app LOGIN PASSWORD :'password' IN ROLE desk_server;
END
